"""Models that are programs on this machine: JSON lines, a process for each call under way."""
import json
import pathlib
import subprocess
import time

import h5py
import pytest

SUPPORT = pathlib.Path(__file__).resolve().parents[2] / "support"


@pytest.fixture
def solve(run, tmp_path):
    """solve("failing=0.02 …", …) → exit code, summary, messages."""
    def call(settings="", objective="", arguments=(), command=None, folder="run"):
        command = command or f"/usr/bin/python3 {SUPPORT / 'model_program.py'} {settings}"
        (tmp_path / "own.toml").write_text(f"""
[parameters]
a = {{ distribution = "uniform", lower = 0, upper = 1 }}
b = {{ distribution = "uniform", lower = 0, upper = 1 }}
[variables]
x = {{}}
y = {{}}
[objective]
command = "{command}"
{objective}
[reference]
x = "exp(a*b)"
y = "a + exp(a*b)"
[solve]
tolerance = 1e-3
""")
        code, out, err = run("solve", "own.toml", "-o", folder, "--json", *arguments)
        return code, json.loads(out) if out else None, err
    return call


def coefficients(folder):
    with h5py.File(folder / "solution.h5") as store:
        return store["coefficients"][...].tobytes()


@pytest.mark.parametrize("value", [0, 1])
def test_a_program_is_solved(solve, value):
    code, summary, err = solve(f"value={value}")
    assert code == 0 and summary["true_error"] < 1e-3, err


def test_one_process_for_each_call_under_way_and_the_same_bits(solve, tmp_path):
    for parallel in (1, 3):
        log = tmp_path / f"calls{parallel}"
        assert solve(f"log={log} seconds=0.005", f"parallel = {parallel}", folder=str(parallel))[0] == 0
        lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
        assert len({process for process, _ in lines}) == parallel
        assert len({request for _, request in lines}) == len(lines)  # none twice
    assert coefficients(tmp_path / "1") == coefficients(tmp_path / "3")


def test_no_process_is_left(solve, tmp_path):
    log = tmp_path / "calls"
    assert solve(f"log={log}", "parallel = 2")[0] == 0
    for process in {line.split(" ", 1)[0] for line in log.read_text().splitlines()}:
        assert not pathlib.Path("/proc", process).exists()


@pytest.mark.parametrize("how", ["nan", "null", "error", "exit", "slow"])
def test_a_program_that_fails_at_two_percent_of_theta(solve, how):
    """One that dies is started again."""
    code, summary, err = solve(f"failing=0.02 how={how}", "timeout = 0.5\nretries = 1\nparallel = 4",
                               ("--set", "solve.seed=3"))
    assert code == 0 and summary["true_error"] < 1e-3, err
    assert 0 < summary["skipped"]["share"] < 0.06


@pytest.mark.parametrize("how,message", [("text", "answered Segmentation fault"), ("size", "a gradient of 2 numbers")])
def test_an_answer_that_is_none_ends_the_run(solve, how, message):
    code, _, err = solve(f"failing=1 how={how}")
    assert code == 2 and message in err and "own.toml" in err, err


@pytest.mark.parametrize("command", ["./absent-program", "false", "sleep 60"])
def test_a_command_that_is_no_model(solve, command):
    code, _, err = solve(command=command, objective="retries = 0\ntimeout = 0.3")
    assert code == 2 and "fails at the start" in err, err


def test_the_program_runs_in_the_folder_of_the_problem_file(run, tmp_path):
    folder = tmp_path / "sub"
    folder.mkdir()
    model = folder / "model"
    model.write_text(f"#!/bin/sh\nexec /usr/bin/python3 {SUPPORT / 'model_program.py'}\n")
    model.chmod(0o755)
    (folder / "own.toml").write_text("""
[parameters]
a = { distribution = "uniform", lower = 0, upper = 1 }
b = { distribution = "uniform", lower = 0, upper = 1 }
[variables]
x = { lower = 0, upper = 2 }
y = {}
[objective]
command = "./model"
""")
    code, out, err = run("solve", "sub/own.toml", "-o", "run", "--json")
    assert code == 0, err
    code, out, err = run("resume", "run", "--set", "solve.relative_tolerance=1e-4", "--json")
    assert code == 0, err


@pytest.mark.parametrize("text,message", [
    ('command = "m"\nserver = "http://localhost:1"', "expected one of both"),
    ('command = "m"\nmodel = "F"', "belongs to a server"),
    ('command = "m"\nparallel = 0', "from 1 to 256, found 0"),
    ('command = "m"\ntimeout = -1', "seconds above 0"),
    ('command = "m"\nminimize = "x^2"', "minimize"),
    ('command = 3', "objective.command"),
    ('server = "http://localhost:1"\nparalel = 2', "did you mean 'parallel'"),
])
def test_bad_keys_are_named(run, tmp_path, text, message):
    (tmp_path / "own.toml").write_text(f"""
[parameters]
a = {{ distribution = "uniform", lower = 0, upper = 1 }}
[variables]
x = {{}}
[objective]
{text}
""")
    code, _, err = run("solve", "own.toml", "--quiet")
    assert code == 2 and message in err and "own.toml:" in err, err
