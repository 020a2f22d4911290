"""The program as its users meet it: commands, files, exit codes."""
import csv
import json
import math
import os
import pathlib
import pty
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

from support.run_stores import wait_for_iterations

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
PAPER = ROOT / "examples" / "paper.toml"
REFERENCE_MEAN = 0.18862533556229788  # of the paper's optimum, by piecewise Gauss-Legendre quadrature


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_solved(solve_json, path):
    summary = solve_json(path)
    assert summary["status"] in ("completed", "converged")
    keys = {"status", "stop_reason", "method", "error", "true_error", "gradient_evaluations", "iterations", "basis_size",
            "samples", "seconds", "condition", "variables", "parameters", "mean", "sd", "mean_error", "sd_error",
            "quantities", "sobol", "seed", "version"}
    assert keys <= summary.keys()
    assert set(summary["error"]) == {"estimate", "basis", "sampling", "optimisation", "bound", "confidence"}
    if summary["true_error"] is not None:
        norm = math.hypot(*summary["mean"], *summary["sd"])
        assert summary["true_error"] < 0.1 * norm
    if summary["error"]["bound"] is not None and summary["true_error"] is not None:
        assert summary["true_error"] <= summary["error"]["bound"]


def test_the_paper_run(solve_json, tmp_path):
    summary = solve_json(PAPER, "-o", "paper")
    assert summary["method"] == "gd"
    assert summary["iterations"] == 300
    assert summary["gradient_evaluations"] == 150_000
    assert summary["basis_size"] == math.floor(math.sqrt(310) + 2)
    assert summary["condition"]["mu"] == 1 and summary["condition"]["L"] == 200
    assert summary["condition"]["mu_source"] == "given"
    assert abs(summary["mean"][1] - REFERENCE_MEAN) < 0.01
    rows = list(csv.DictReader((tmp_path / "paper" / "history.csv").open()))
    assert list(rows[0]) == ["k", "basis_size", "samples", "step", "gradients", "seconds", "gradient_norm",
                             "error_squared", "true_error"]
    assert len(rows) == 300
    assert [int(r["basis_size"]) for r in rows] == [math.floor(math.sqrt(k + 10) + 2) for k in range(1, 301)]
    assert float(rows[-1]["true_error"]) == summary["true_error"]
    m = int(rows[0]["basis_size"])  # Q_m = m for odd m, m + 1 for even m
    assert float(rows[0]["step"]) == pytest.approx(2 / (201 * (1 + 2 * m / 500)), rel=1e-12)
    assert json.loads((tmp_path / "paper" / "summary.json").read_text())["true_error"] == summary["true_error"]


def test_the_store_is_read_without_us(solve_json, tmp_path):
    solve_json(PAPER, "-o", "paper", "--set", "solve.iterations=20")
    with h5py.File(tmp_path / "paper" / "solution.h5") as store:
        assert store.attrs["format"] == "chaosgrad run"
        assert store["problem/text"][()].decode() == PAPER.read_text()
        u, indices = store["coefficients"][:], store["indices"][:]
        assert u.shape == (len(indices), 2)
        assert list(indices[:, 0]) == list(range(len(indices)))


def test_eval_is_the_expansion(run, solve_json, tmp_path):
    solve_json(PAPER, "-o", "paper")
    with h5py.File(tmp_path / "paper" / "solution.h5") as store:
        u = store["coefficients"][:]

    def expansion(t):
        psi = [1.0] + [math.sqrt(2) * (math.cos if i % 2 else math.sin)((i + 1) // 2 * t) for i in range(1, len(u))]
        return np.array(psi) @ u

    code, out, err = run("eval", "paper", "--at", "theta=0.3", "--json", "--sensitivity")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["variables"]["x"] == pytest.approx(expansion(0.3)[0], rel=1e-12)
    slope = (expansion(0.3 + 1e-6) - expansion(0.3 - 1e-6)) / 2e-6
    assert answer["sensitivity"]["y"]["theta"] == pytest.approx(slope[1], rel=1e-6)

    (tmp_path / "points.csv").write_text("note,theta\n1,0.3\n2,-2.5\n")
    code, out, err = run("eval", "paper", "--csv", "points.csv")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "note,theta,x,y"
    assert [float(v) for v in lines[2].split(",")][2:] == pytest.approx(list(expansion(-2.5)), rel=1e-12)
    assert run("eval", "paper", "--at", "thet=0.3")[0] == 2
    assert "did you mean 'theta'?" in run("eval", "paper", "--at", "thet=0.3")[2]
    assert run("eval", "nowhere", "--at", "theta=1")[0] == 4


@pytest.mark.parametrize("method", ["gd", "agd", "masg", "uqsa", "nested"])
@pytest.mark.parametrize("name", ["paper", "paper-noise", "expectile"])
def test_one_and_two_threads_give_the_same_bits(run, tmp_path, method, name):
    coefficients = []
    for threads in (1, 2):
        code, _, err = run("solve", ROOT / "examples" / f"{name}.toml", "-o", f"t{threads}", "--quiet", "--set",
                           f"solve.method={method}", "--set", f"solve.threads={threads}", "--set", "solve.iterations=40",
                           "--set", "solve.samples=" + ("2" if method == "nested" else "3000"))
        assert code == 0, err
        with h5py.File(tmp_path / f"t{threads}" / "solution.h5") as store:
            coefficients.append(store["coefficients"][:])
    assert coefficients[0].tobytes() == coefficients[1].tobytes()


def test_set_takes_toml_and_bare_words(solve_json):
    summary = solve_json(PAPER, "--set", "solve.method=agd", "--set", "solve.iterations=10", "--set",
                         'solve.basis_size="k"', "--set", "solve.seed=7")
    assert (summary["method"], summary["iterations"], summary["basis_size"], summary["seed"]) == ("agd", 10, 10, 7)


def test_every_method_alone_runs(run, tmp_path):
    problem = tmp_path / "p.toml"
    problem.write_text("""
[parameters]
t = { distribution = "normal", mean = 0, sd = 1 }
[variables]
x = {}
[objective]
minimize = "(x - sin(t))^2"
""")
    for method in ("gd", "agd", "masg", "uqsa", "nested"):
        code, out, err = run("solve", problem, "--set", f"solve.method={method}", "--json")
        assert code == 0, err
        summary = json.loads(out)
        assert summary["condition"]["mu"] == pytest.approx(2, rel=1e-6)
        assert summary["condition"]["mu_source"] == "estimated"
        assert summary["error"]["bound"] is None
    assert (tmp_path / "runs" / "p" / "solution.h5").exists()


def test_check_estimates_and_contradicts(run):
    code, out, err = run("check", PAPER, "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["kappa"] == 200 and answer["gradient_error"] < 1e-6 and answer["problems"] == []
    assert answer["mu"]["lowest"] == pytest.approx(1, rel=1e-6)
    code, out, _ = run("check", PAPER, "--set", "objective.strong_convexity=10")
    assert code == 3 and "strong_convexity = 10 is contradicted" in out
    code, out, _ = run("check", PAPER, "--set", "objective.smoothness=50")
    assert code == 3 and "smoothness = 50 is contradicted" in out


def test_gallery_lists_and_writes(run, tmp_path):
    code, out, _ = run("gallery")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert names == [p.stem for p in EXAMPLES]
    assert run("gallery", "paper")[1] == PAPER.read_text()
    assert run("gallery", "ridge", "-o", "mine")[0] == 0
    assert (tmp_path / "mine" / "data" / "diabetes.csv").exists()
    assert run("solve", "mine/ridge.toml", "--quiet")[0] == 0
    code, _, err = run("gallery", "papr")
    assert code == 2 and "did you mean 'paper'?" in err


def test_failures_have_their_exit_codes(run):
    diverging = ["--set", "solve.guard=false", "--set", "solve.basis_size=91", "--set", "solve.samples=250", "--set",
                 "solve.method=agd", "--set", "solve.iterations=600"]
    code, out, err = run("solve", PAPER, *diverging, "--json")
    assert code == 3 and "diverge" in err and json.loads(out)["status"] == "diverged"
    code, out, err = run("solve", PAPER, "--set", "solve.max_gradients=2000", "--json")
    assert code == 1 and json.loads(out)["status"] == "out_of_gradients"
    assert run("solve", "missing.toml")[0] == 4
    assert run("solve", PAPER, "-o", "/proc/nowhere", "--quiet")[0] == 4
    assert run("solve")[0] == 2
    assert run("nonsense")[0] == 2


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_with_a_usable_result(program, tmp_path, kind):
    process = subprocess.Popen([program, "solve", str(PAPER), "-o", "stopped", "--json", "--set", "solve.iterations=1000000",
                                "--set", "solve.max_gradients=1000000000"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(kind)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    summary = json.loads(out)
    assert summary["status"] == "interrupted" and summary["iterations"] > 0
    assert subprocess.run([program, "eval", "stopped", "--at", "theta=1"], cwd=tmp_path, capture_output=True).returncode == 0


def test_checkpoints_are_written_on_the_way(program, tmp_path):
    process = subprocess.Popen([program, "solve", str(PAPER), "-o", "going", "--quiet", "--set", "solve.iterations=1000000",
                                "--set", "solve.max_gradients=1000000000", "--set", "solve.checkpoint_seconds=0.2"], cwd=tmp_path)
    wait_for_iterations(tmp_path / "going")
    process.kill()
    process.wait()
    assert not (tmp_path / "going" / "history.csv").exists()  # it is written at the end
    assert subprocess.run([program, "eval", "going", "--at", "theta=1"], cwd=tmp_path, capture_output=True).returncode == 0


def test_the_progress_bar_shows_on_a_terminal_only(program, tmp_path, run):
    assert "[" not in run("solve", PAPER)[2]
    master, slave = pty.openpty()
    process = subprocess.Popen([program, "solve", str(PAPER), "--set", "solve.iterations=20000"], cwd=tmp_path, stderr=slave,
                               stdout=subprocess.DEVNULL)
    process.wait(timeout=120)
    os.close(slave)
    shown = os.read(master, 1 << 20).decode()
    os.close(master)
    assert "/20000  m " in shown and "error " in shown and "s left" in shown


def test_an_option_beside_the_sections(run):
    code, _, err = run("solve", PAPER, "--set", "method=gd")
    assert code == 2 and "unknown key 'method' in the problem file; did you mean 'solve.method'?" in err
