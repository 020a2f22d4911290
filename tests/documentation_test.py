"""Every snippet of the README and of docs/ is run."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ["CHAOSGRAD"]).parent


def snippets(path, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / path).read_text(), re.S)


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True, capture_output=True)
    return prefix


CPP = [(path, i) for path in ("README.md", "docs/cpp.md") for i in range(len(snippets(path, "cpp")))]


@pytest.mark.parametrize("path,number", CPP)
def test_cpp_snippets_build_against_the_installed_library(installed, tmp_path, path, number):
    (tmp_path / "main.cpp").write_text(snippets(path, "cpp")[number])
    (tmp_path / "CMakeLists.txt").write_text(snippets("docs/cpp.md", "cmake")[0])
    configure = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}"]
    for command in (configure, ["cmake", "--build", "build"], ["build/own"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_readme_problem_and_commands(program, tmp_path):
    """The TOML of the README is solved with the README's own commands."""
    problems = snippets("README.md", "toml")
    assert problems
    (tmp_path / "own.toml").write_text(problems[0])
    environment = {**os.environ, "PATH": f"{pathlib.Path(program).parent}:{os.environ['PATH']}"}
    ran = 0
    for block in snippets("README.md", "sh"):
        for line in block.splitlines():
            if line.startswith("chaosgrad "):
                done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
                assert done.returncode == 0, line + done.stderr
                ran += 1
    assert ran >= 3


def test_links_lead_somewhere():
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_every_named_file_exists():
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for name in re.findall(r"`((?:tests|benchmarks|examples|docs|scripts|src)/[\w./*-]+)`", path.read_text()):
            assert list(ROOT.glob(name)), f"{path.name}: {name}"
