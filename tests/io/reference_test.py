"""docs/file.md and docs/formulas.md are what the tables of the program say."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = pathlib.Path(os.environ["CHAOSGRAD"]).parent / "tests" / "reference_pages"


def written(page):
    return subprocess.run([PAGES, page], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("page", ["file", "formulas"])
def test_the_page_is_up_to_date(page):
    assert (ROOT / "docs" / f"{page}.md").read_text() == written(page), "run scripts/write-reference"


@pytest.mark.parametrize("page", ["file", "formulas"])
def test_lines_have_at_most_100_columns(page):
    assert all(len(line) <= 100 for line in written(page).splitlines())


def test_the_examples_of_all_sections_are_a_problem(run, tmp_path):
    (tmp_path / "b.csv").write_text("1,2\n3,4\n")
    (tmp_path / "p.toml").write_text(written("examples"))
    code, out, err = run("check", "p.toml")
    assert code == 0, out + err


def test_every_section_refuses_an_unknown_key(run, tmp_path):
    """The keys on the page are the keys that are read."""
    (tmp_path / "b.csv").write_text("1,2\n3,4\n")
    text = written("examples")
    for old, new in [("correlation =", "corelation ="), ("start =", "strt ="), ("minimize =", "minimise ="),
                     ("file =", "fil ="), ("tolerance =", "tolernce ="), ("title =", "titel =")]:
        assert old in text
        (tmp_path / "p.toml").write_text(text.replace(old, new, 1))
        code, _, err = run("check", "p.toml")
        assert code == 2 and "did you mean" in err and old.split()[0] in err, err
