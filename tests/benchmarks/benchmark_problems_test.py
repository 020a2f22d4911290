"""The problems of benchmarks/: every file loads, its gradient is right, and its reference is an optimum."""
import json
import math
import pathlib
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "benchmarks" / "problems").glob("*.toml")) + [ROOT / "examples" / "portfolio.toml"]
sys.path.insert(0, str(ROOT / "benchmarks"))
import auto  # noqa: E402
import bounded  # noqa: E402
import numpy_problems  # noqa: E402
import strangers  # noqa: E402


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_wrong(run, path):
    code, out, err = run("check", path, "--json")
    assert code == 0, out + err
    answer = json.loads(out)
    assert answer["problems"] == [] and answer["gradient_error"] < 1e-6


def settings(**values):
    return [word for key, value in values.items() for word in ("--set", f"solve.{key}={value}")]


# The estimate measures the gradient at the solution and knows nothing of the reference: with a wrong one the true error would be
# far above it. (A true error is known to 1e-7 of the norm only, as a difference of squares.)
EXACT = [path for path in FILES if path.stem.startswith("quadratic") or "full" in path.stem]


@pytest.mark.parametrize("path", EXACT, ids=lambda path: path.stem)
def test_the_reference_is_the_optimum(solve_json, path):
    summary = solve_json(path, *settings(method="agd", iterations=400, basis_size=6 if path.stem.endswith("discrete") else 10))
    slack = 1e-7 * math.hypot(*summary["mean"], *summary["sd"])
    assert summary["true_error"] <= 2 * summary["error"]["estimate"] + slack


def test_rows_of_the_table_have_the_moments_of_the_full_batch(solve_json):
    """Ridge regression with the rows summed exactly is the full batch, to rounding."""
    exact = settings(method="agd", gradient="quadrature", nodes=24, iterations=1500, basis_size=6, max_gradients=10 ** 10)
    rows, full = (solve_json(ROOT / "benchmarks" / "problems" / f"ridge-{kind}.toml", *exact) for kind in ("rows", "full"))
    assert rows["true_error"] == pytest.approx(full["true_error"], rel=1e-9)
    assert rows["mean"] == pytest.approx(full["mean"], rel=1e-9)


def test_moments_of_the_returns():
    """What examples/portfolio.toml writes down is the mean and covariance of its table."""
    problem = tomllib.loads((ROOT / "examples" / "portfolio.toml").read_text())
    returns = np.loadtxt(ROOT / "examples" / "data" / "eu_returns.csv", delimiter=",", skiprows=1)
    assert np.allclose(problem["constants"]["mean"], returns.mean(0), rtol=1e-13)
    assert np.allclose(problem["constants"]["covariance"], np.cov(returns.T, bias=True), rtol=1e-13)


@pytest.mark.parametrize("tau", [0.8, 0.9])
def test_expectiles_of_the_normal_distribution(tau):
    """tau E(Z - e)+ = (1 - tau) E(e - Z)+, with both expectations in closed form."""
    for kind in ("uniform", "normal"):
        e = tomllib.loads((ROOT / "benchmarks" / "problems" / f"expectile-{tau}-{kind}.toml").read_text())["constants"]["e"]
        above, below = norm.pdf(e) - e * norm.sf(e), norm.pdf(e) + e * norm.cdf(e)
        assert tau * above == pytest.approx((1 - tau) * below, rel=1e-14)


def test_the_newsvendor_s_newton_steps_arrive():
    """The definitions z1 … z6 evaluated here, against a bracketing root finder."""
    definitions = tomllib.loads((ROOT / "benchmarks" / "problems" / "newsvendor.toml").read_text())["definitions"]
    for level in np.linspace(80, 130, 11):
        names = {"over": 1.0, "under": 3.0, "level": level, "normcdf": norm.cdf, "exp": math.exp, "sqrt": math.sqrt, "pi": math.pi}
        for name, formula in definitions.items():
            names[name] = eval(formula.replace("^", "**"), {}, names)  # noqa: S307
        root = brentq(lambda z: 4 * norm.cdf(z) - 3 + 0.04 * (level + 10 * z - 100), -10, 10, xtol=1e-15)
        assert names["z6"] == pytest.approx(root, abs=1e-13)


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


def test_strangers_and_bounded_have_a_truth_for_every_file():
    for module in (strangers, bounded):
        files = {path.stem for path in module.FOLDER.glob("*.toml")}
        assert files == set(module.PROBLEMS)


def test_problems_that_came_later_change_nothing_about_those_kept_aside():
    aside = [name for name, problem in strangers.PROBLEMS.items() if problem.aside]
    assert aside == ["dobson-poisson", "dosing", "fermat-layers", "growth-expectile", "iris-softmax", "landing-lqr", "mpc-barrier", "paint-factory",
                     "pet-image", "power-line", "stackloss-huber", "tv-denoise"]
