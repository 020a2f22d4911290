import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def program():
    return os.environ["CHAOSGRAD"]


@pytest.fixture
def run(program, tmp_path):
    """Runs the program in a fresh folder; run(...) -> (exit code, standard output, standard error)."""

    def call(*arguments, **options):
        done = subprocess.run([program, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              **options)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.fixture
def solve_json(run):
    """The summary of a solved problem."""

    def call(*arguments):
        code, out, err = run("solve", *arguments, "--json")
        assert code == 0, err
        return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))

    return call
