"""The problems of benchmarks/: every file loads, its gradient is right, and its reference is an optimum."""
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "benchmarks" / "problems").glob("*.toml")) + [ROOT / "examples" / "portfolio.toml"]
sys.path.insert(0, str(ROOT / "benchmarks"))
import auto  # noqa: E402
import numpy_problems  # noqa: E402


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_wrong(run, path):
    code, out, err = run("check", path, "--json")
    assert code == 0, out + err
    answer = json.loads(out)
    assert answer["problems"] == [] and answer["gradient_error"] < 1e-6


# x* has at most the error that 400 iterations with many functions leave: a wrong formula is far above it.
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_reference_is_the_optimum(solve_json, path):
    noisy = path.stem.startswith(("expectile", "ridge-rows", "newsvendor", "portfolio")) and path.stem != "portfolio-full"
    summary = solve_json(path, *[word for key, value in {
        "method": "agd", "iterations": 400, "samples": 4000 if noisy else 500,
        "basis_size": 6 if path.stem.endswith("discrete") else 10}.items() for word in ("--set", f"solve.{key}={value}")])
    assert summary["true_error"] is not None
    # The estimate measures the gradient at the solution, and knows nothing of the reference.
    assert summary["true_error"] <= 3 * summary["error"]["estimate"] + 1e-9, summary["error"]


def test_every_problem_of_the_table_is_there():
    for name, (group, path, settings) in auto.PROBLEMS.items():
        assert path.exists(), name
        assert group in ("paper", "deterministic", "noisy") and settings["solve.method"] == "auto"
    assert {path for _, path, _ in auto.PROBLEMS.values()} >= set(FILES)
    assert set(numpy_problems.PROBLEMS) <= set(auto.PROBLEMS)


def test_the_table_is_printed(program, tmp_path):
    """With a method that is not adaptive: the share of seeds, ratios and medians come from the runs."""
    script = ROOT / "benchmarks" / "auto.py"
    words = ["quadratic-uniform", "expectile-0.8-u", "--seeds", "3", "--set", "solve.method=agd", "--set", "solve.iterations=50",
             "--set", "solve.basis_size=6", "--program", program, "-o", tmp_path / "auto.json"]
    done = subprocess.run([sys.executable, script, *map(str, words)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
    rows = json.loads((tmp_path / "auto.json").read_text())["problems"]
    assert [row["problem"] for row in rows] == ["quadratic-uniform", "expectile-0.8-uniform"]
    for row in rows:
        errors = sorted(run["true_error"] for run in row["runs"])
        assert row["seeds"] == 3 and row["true_error"][1] == errors[1] and row["gradients"] == 50 * 500
        assert row["within_tolerance"] == pytest.approx(sum(e <= row["tolerance"][1] for e in errors) / 3, abs=0.34)
