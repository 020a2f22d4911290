"""README, CONTRIBUTING and docs/: every snippet is run, every link leads somewhere, every named file exists."""
import os
import pathlib
import re
import shlex
import subprocess
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ["CHAOSGRAD"]).parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]


def snippets(path, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / path).read_text(), re.S)


def numbered(language):
    return [(path, number) for path in NAMES for number in range(len(snippets(path, language)))]


def commands(path):
    """The lines of the shell snippets, without their comments."""
    lines = [line.split("#")[0].strip() for block in snippets(path, "sh") for line in block.splitlines()]
    return [line for line in lines if line]


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True, capture_output=True)
    return prefix


@pytest.mark.parametrize("path,number", numbered("cpp"))
def test_cpp_snippets_build_against_the_installed_library(installed, tmp_path, path, number):
    (tmp_path / "main.cpp").write_text(snippets(path, "cpp")[number])
    (tmp_path / "CMakeLists.txt").write_text(snippets("docs/cpp.md", "cmake")[0])
    configure = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}"]
    for command in (configure, ["cmake", "--build", "build"], ["build/own"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path,number", numbered("toml"))
def test_toml_snippets_are_problems_or_parts_of_one(run, tmp_path, path, number):
    text = snippets(path, "toml")[number]
    if not {"parameters", "objective"} <= tomllib.loads(text).keys():
        return
    if path in ("docs/when-it-fails.md", "docs/models.md"):
        return  # tests/cli/when_it_fails_test.py knows how they end; tests/io/models/models_page_test.py runs the others
    (tmp_path / "own.toml").write_text(text)
    code, out, err = run("solve", "own.toml", "--quiet")
    assert code == 0, out + err


@pytest.mark.parametrize("path,number", numbered("python"))
def test_python_snippets_are_python(path, number):
    """What docs/run-format.md computes with them is compared in tests/io/runs_test.py."""
    compile(snippets(path, "python")[number], path, "exec")


def test_readme_problem_and_commands(program, tmp_path):
    """The TOML of the README is solved with the README's own commands."""
    (tmp_path / "own.toml").write_text(snippets("README.md", "toml")[0])
    environment = {**os.environ, "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}"}
    lines = [line for line in commands("README.md") if line.startswith("chaosgrad ")]
    assert len(lines) >= 3
    for line in lines:
        done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, line + done.stderr


@pytest.mark.parametrize("path", NAMES)
def test_commands_exist(run, path):
    """Those that take too long to run here: their program, script, target or preset is there."""
    targets = " ".join(re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(), re.M)).split()
    presets = (ROOT / "CMakePresets.json").read_text()
    for line in commands(path):
        words = [word for word in shlex.split(line) if not re.match(r"\w+=", word)]
        for preset in re.findall(r"--preset (\w+)", line):
            assert f'"name": "{preset}"' in presets, line
        if words[0] == "make":
            assert set(words[1:]) <= set(targets), line
        elif words[0] == "chaosgrad" and not words[1].startswith("-"):
            assert run(words[1], "--help")[0] == 0, line
        for word in words:
            if re.match(r"(scripts|benchmarks|tests|examples)/", word):
                assert (ROOT / word).exists(), line
            elif word.startswith("build/release/benchmarks/"):
                assert (ROOT / "benchmarks" / f"{pathlib.Path(word).name}.cpp").exists(), line


def anchors(path):
    """The names under which headings can be linked to, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", NAMES)
def test_links_lead_somewhere(path):
    page = ROOT / path
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)", prose):
        other = page.parent / target if target else page
        assert other.exists(), target
        if anchor:
            assert anchor in anchors(other), f"{target}#{anchor}"


@pytest.mark.parametrize("path", NAMES)
def test_every_named_file_exists(path):
    named = r"`((?:\.ci|benchmarks|cli|cmake|docs|examples|include|scripts|src|tests|third_party)/[\w./*-]+)`"
    for name in re.findall(named, (ROOT / path).read_text()):
        assert list(ROOT.glob(name)), name


@pytest.mark.parametrize("path", NAMES)
def test_lines_have_at_most_100_columns(path):
    """But for tables, pictures and programs."""
    text = re.sub(r"```.*?```", "", (ROOT / path).read_text(), flags=re.S)
    for line in text.splitlines():
        assert len(line) <= 100 or line.startswith(("|", "![")), line
