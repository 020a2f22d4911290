"""Exported evaluators: they compile without a warning, pass their own test, and agree with `eval`."""
import importlib.util
import json
import math
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))

# Every distribution; with every family, and under a copula.
ALONE = {
    "uniform": "lower = -1, upper = 2", "normal": "mean = 1, sd = 0.5", "lognormal": "mu = 0, sigma = 0.3",
    "beta": "alpha = 2, beta = 3.5, lower = -1, upper = 1", "gamma": "shape = 2.5, scale = 0.5", "exponential": "rate = 2",
    "triangular": "lower = 0, mode = 0.3, upper = 1", "weibull": "shape = 1.8, scale = 1.2", "loguniform": "lower = 0.5, upper = 3",
    "truncated_normal": "mean = 0, sd = 1, lower = -1, upper = 3", "discrete": "values = [-1, 0.5, 2, 40], weights = [1, 2, 3, 1]",
}
# More of those whose distribution function is a series or a continued fraction: small and large arguments, far tails, short intervals.
MORE = {
    "gamma": ["shape = 0.3, scale = 2", "shape = 1, scale = 0.5", "shape = 40, scale = 0.02", "shape = 800, scale = 0.001"],
    "beta": ["alpha = 0.4, beta = 0.6, lower = 0, upper = 1", "alpha = 0.2, beta = 9, lower = -3, upper = -1",
             "alpha = 30, beta = 4, lower = 0, upper = 2", "alpha = 400, beta = 300, lower = -1, upper = 1"],
    "truncated_normal": ["mean = 0, sd = 1, lower = 2, upper = 50", "mean = 0, sd = 0.02, lower = -9, upper = -0.8",
                         "mean = 0.5, sd = 10, lower = 0, upper = 1", "mean = 0, sd = 0.5, lower = -5, upper = 5"],
}


def problem(parameters, dependence="", solve=""):
    return f"""
title = 'All of "them" */ at once'
[parameters]
{parameters}
{dependence}
[variables]
x = {{}}
y = {{ size = 2 }}
[objective]
minimize = "(x - tanh(a*b))^2 + 2*(y[0] - 0.3*a)^2 + (y[1] - b + 0.1*a^2)^2 + 0.5*(x - y[0])^2"
[solve]
method = "agd"
iterations = 40
{solve}
"""


def compile_and_test(folder):
    """The C file as a self-testing program and as a shared library; messages of the compiler are errors."""
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", "-O2"]
    for extra in (["-DCHAOSGRAD_SELF_TEST", "-o", "self_test"], ["-shared", "-fPIC", "-o", "optimum.so"]):
        done = subprocess.run(["cc", *flags, "optimum.c", *extra, "-lm"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
    return subprocess.run(["./self_test"], cwd=folder, capture_output=True, text=True)


def evaluate_c(folder, theta, q, compare=True, library="optimum.so"):
    """x and dx from the shared library."""
    import ctypes
    library = ctypes.CDLL(str(folder / library))
    x, dx = (ctypes.c_double * q)(), (ctypes.c_double * (q * len(theta)))()
    library.optimum((ctypes.c_double * len(theta))(*theta), x, dx)
    alone = (ctypes.c_double * q)()
    library.optimum((ctypes.c_double * len(theta))(*theta), alone, None)
    assert list(alone) == list(x) or not compare
    return list(x), list(dx)


def evaluate_python(folder, theta):
    spec = importlib.util.spec_from_file_location("optimum", folder / "optimum.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.optimum(theta), [entry for row in module.sensitivity(theta) for entry in row]


def check(run, tmp_path, path):
    """Solves, exports, tests; compares with `eval` at points of `sample`-like spread from the self-test."""
    code, out, err = run("solve", path, "-o", "run", "--json")
    assert code == 0, err
    q = len(json.loads(out)["variables"])
    folder = tmp_path / "run"
    for language, name in (("c", "optimum.c"), ("python", "optimum.py")):
        code, out, err = run("export", "run", "--language", language)
        assert code == 0 and out == f"run/{name}\n", err
    done = compile_and_test(folder)
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout
    done = subprocess.run([sys.executable, "optimum.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout + done.stderr

    names, points = {}, None
    exec((folder / "optimum.py").read_text(), names)
    points, parameters = names["_TEST_THETA"], names["PARAMETERS"]
    (tmp_path / "points.csv").write_text("\n".join([",".join(parameters)] + [",".join(map(repr, theta)) for theta in points]))
    code, out, _ = run("eval", "run", "--csv", "points.csv", "--sensitivity")
    assert code == 0
    rows = [list(map(float, line.split(",")))[len(parameters):] for line in out.splitlines()[1:]]
    # Of x its size; of a slope the sum of its absolute terms, which under a copula may nearly cancel.
    scales = [max(abs(row[j]) for row in rows) or 1.0 for j in range(q)] + [scale or 1.0 for scale in names["_TEST_SLOPE_SCALE"]]
    # Under constraints slopes are differences of projections, whose rounding they magnify.
    lifted = "MULTIPLIERS" in names
    allowed = [1e-9 if lifted else 1e-14] * q + [1e-5 if lifted else 1e-14] * (len(rows[0]) - q)
    # The self-tests have been to every point; projections in Python take seconds where kinks have thousands of rows.
    in_python = len(points) if not lifted else 2
    for number, (theta, expected) in enumerate(zip(points, rows)):
        both = [evaluate_c(folder, theta, q)] + ([evaluate_python(folder, theta)] if number < in_python else [])
        for found in (sum(answer, []) for answer in both):
            worst = max(abs(f - e) / s / a for f, e, s, a in zip(found, expected, scales, allowed))
            assert worst < 1


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_exported(run, tmp_path, path):
    check(run, tmp_path, path)


@pytest.mark.parametrize("name", ALONE)
def test_every_distribution(run, tmp_path, name):
    path = tmp_path / "p.toml"
    path.write_text(problem(f'a = {{ distribution = "{name}", {ALONE[name]} }}\n'
                            'b = { distribution = "uniform", lower = 0, upper = 5, basis = "fourier" }'))
    check(run, tmp_path, path)


@pytest.mark.parametrize("dependence", ["", "[dependence]\ncorrelation = [[1, 0, 0], [0, 1, 0.6], [0, 0.6, 1]]"])
@pytest.mark.parametrize("name", ["lognormal", "loguniform"])
def test_polynomials_in_the_logarithm(run, tmp_path, name, dependence):
    path = tmp_path / "p.toml"
    path.write_text(problem(f'a = {{ distribution = "{name}", {ALONE[name]}, basis = "log" }}\n'
                            'b = { distribution = "normal", mean = 0.5, sd = 0.2 }\n'
                            'free = { distribution = "gamma", shape = 2, scale = 1 }', dependence))
    check(run, tmp_path, path)


@pytest.mark.parametrize("name, arguments", [*ALONE.items(), *[(name, more) for name in MORE for more in MORE[name]]])
def test_every_distribution_under_a_copula(run, tmp_path, name, arguments):
    path = tmp_path / "p.toml"
    path.write_text(problem(f'free = {{ distribution = "uniform", lower = -2, upper = 3 }}\n'
                            f'a = {{ distribution = "{name}", {arguments} }}\n'
                            'b = { distribution = "normal", mean = 0.5, sd = 0.2 }',
                            "[dependence]\ncorrelation = [[1, 0, 0], [0, 1, 0.6], [0, 0.6, 1]]"))
    check(run, tmp_path, path)


def test_many_harmonics(run, tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(problem('a = { distribution = "uniform", lower = "-pi", upper = "pi", basis = "fourier" }\n'
                            'b = { distribution = "uniform", lower = 0, upper = 5 }',
                            solve='index_weights = [0.02, 1]\nbasis_size = 200'))
    check(run, tmp_path, path)


def test_where_it_goes(run, tmp_path):
    assert run("solve", ROOT / "examples" / "paper.toml", "-o", "run", "--quiet")[0] == 0
    code, out, _ = run("export", "run", "--language", "python", "-o", "-")
    assert code == 0 and "def optimum(theta, extrapolate=False):" in out
    assert run("export", "run", "--language", "python", "-o", "mine.py")[1] == "mine.py\n"
    assert (tmp_path / "mine.py").read_text() == out
    assert run("export", "run", "--language", "python", "-o", "nowhere/mine.py")[0] == 4
    assert run("export", "run", "--language", "fortran")[0] == 2
    assert run("export", "run")[0] == 2


def test_outside_the_support(run, tmp_path):
    """NaN by default; the polynomial with an argument, or a macro."""
    (tmp_path / "p.toml").write_text(problem('a = { distribution = "uniform", lower = -1, upper = 2 }\n'
                                             'b = { distribution = "lognormal", mu = 0, sigma = 0.3, basis = "log" }'))
    check(run, tmp_path, tmp_path / "p.toml")
    folder, outside = tmp_path / "run", [[2.1, 1.0], [0.0, -0.5], [math.nan, 1.0]]
    for theta in outside:
        for found in (sum(evaluate_c(folder, theta, 3, compare=False), []), sum(evaluate_python(folder, theta), [])):
            assert len(found) == 9 and all(math.isnan(value) for value in found)
    assert not any(math.isnan(value) for value in evaluate_c(folder, [2.0, 1.0], 3)[0])
    names = {}
    exec((folder / "optimum.py").read_text(), names)
    expected = names["optimum"]([2.1, 1.0], extrapolate=True)
    code, out, _ = run("eval", "run", "--at", "a=2.1,b=1", "--extrapolate", "--json")
    assert code == 0 and list(json.loads(out)["variables"].values()) == pytest.approx(expected, rel=1e-12)
    assert not math.isnan(names["sensitivity"]([2.1, 1.0], extrapolate=True)[0][0])
    done = subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", "-DCHAOSGRAD_EXTRAPOLATE", "-shared",
                           "-fPIC", "optimum.c", "-o", "beyond.so", "-lm"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert evaluate_c(folder, [2.1, 1.0], 3, library="beyond.so")[0] == pytest.approx(expected, rel=1e-12)
