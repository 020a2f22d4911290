"""The log of evaluations in the hands of the other commands, and of Python; failures that fill a corner of theta."""
import json

import h5py
import pytest

from support.model_server import Behaviour, Server

TEXT = """
[parameters]
a = {{ distribution = "uniform", lower = 0, upper = 1 }}
b = {{ distribution = "uniform", lower = 0, upper = 1 }}
[variables]
x = {{}}
y = {{}}
[objective]
server = "{url}"
parallel = 8
retries = 0
[reference]
x = "exp(a*b)"
y = "a + exp(a*b)"
[solve]
tolerance = 1e-3
"""


def calls(server):
    return sum(server.counts.values())


def logged(folder):
    with h5py.File(folder / "evaluations.h5") as log:
        return len(log["evaluations"])


@pytest.fixture
def solved(run, tmp_path):
    """A server, and the folder `run` of a problem that was solved with it."""
    with Server(Behaviour()) as server:
        (tmp_path / "own.toml").write_text(TEXT.format(url=server.url))
        code, _, err = run("solve", "own.toml", "-o", "run", "--json")
        assert code == 0, err
        yield server


def test_verify_pays_once(run, tmp_path, solved):
    before = calls(solved)
    code, out, err = run("verify", "run", "-n", "40", "--json")
    assert code == 0 and json.loads(out)["verdict"] == "agrees", err
    first, entries = calls(solved) - before, logged(tmp_path / "run")
    assert first >= 80
    code, again, err = run("verify", "run", "-n", "40", "--json")
    assert code == 0 and calls(solved) - before == first, err
    assert json.loads(again)["error"] == json.loads(out)["error"] and logged(tmp_path / "run") == entries
    code, _, err = run("solve", "own.toml", "-o", "run", "--json")
    assert code == 0 and calls(solved) - before == first + 1, err  # which looks whether the model is the same


def test_check_pays_once_and_for_the_solve(run, tmp_path, solved):
    def check(*arguments):
        before = calls(solved)
        code, out, err = run("check", "own.toml", "--json", *arguments)
        assert code == 0, err
        return calls(solved) - before, json.loads(out)

    first, found = check("-o", "other")
    again, same = check("-o", "other")
    assert first > 20 and again == 1 and same == found
    assert check()[0] == first and (tmp_path / "runs" / "own" / "evaluations.h5").exists()  # where solve has its runs
    before = calls(solved)
    assert run("solve", "own.toml", "-o", "other", "--quiet")[0] == 0
    known, before = calls(solved) - before, calls(solved)
    assert run("solve", "own.toml", "-o", "fresh", "--quiet")[0] == 0
    assert known <= calls(solved) - before


def test_verify_leaves_failures_out(run, tmp_path):
    for evaluate in (True, False):
        with Server(Behaviour(failing=0.05, evaluate=evaluate)) as server:
            (tmp_path / "own.toml").write_text(TEXT.format(url=server.url))
            code, _, err = run("solve", "own.toml", "-o", f"run{evaluate}", "--json", "--set", "solve.seed=3")
            assert code == 0, err
            code, out, err = run("verify", f"run{evaluate}", "-n", "100", "--json")
            found = json.loads(out)
            assert code == 0 and found["verdict"] == "agrees", err
            assert found["skipped"] > 0 and found["skipped"] + found["points"] == 100 and found["outside_domain"] == 0


def test_failures_that_fill_a_corner_are_not_certified(run, tmp_path):
    """The estimate has what extrapolation may do, and the run has not converged: exit 1, with the place."""
    for share in (0.05, 0.1):
        with Server(Behaviour(failing=share, corner=True, evaluate=False)) as server:
            (tmp_path / "own.toml").write_text(TEXT.format(url=server.url))
            code, out, err = run("solve", "own.toml", "-o", f"run{share}", "--json")
            summary = json.loads(out)
            assert code == 1 and summary["status"] == "stalled" and summary["skipped"]["together"], err
            assert summary["true_error"] < 1.2 * summary["error"]["estimate"]
            assert "lie together" in summary["stop_reason"] and " is between 0." in summary["stop_reason"]
            code, out, _ = run("report", f"run{share}")
            assert code == 0


def test_python_uses_the_log(tmp_path, solved, monkeypatch):
    import os
    import sys
    monkeypatch.syspath_prepend(str(os.path.join(os.path.dirname(os.environ["CHAOSGRAD"]), "python")))
    cg = pytest.importorskip("chaosgrad")
    before = calls(solved)
    first = cg.solve_file(tmp_path / "own.toml", tmp_path / "by_python")
    paid, before = calls(solved) - before, calls(solved)
    again = cg.solve_file(tmp_path / "own.toml", tmp_path / "by_python")
    assert paid > 100 and calls(solved) - before == 1 and (again.coefficients == first.coefficients).all()
    assert first.options["tolerance"] == 1e-3 and "chaosgrad" in sys.modules
