"""Exported evaluators of constrained solutions: they compile without a warning, pass their own test, and agree with `eval`."""
import csv
import ctypes
import io
import json
import math
import random
import subprocess
import sys

import pytest

PARAMETERS = """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "uniform", lower = -1, upper = 1 }
"""
OBJECTIVE = "(w[0] - a)^2 + 1.5*(w[1] - b)^2 + (w[2] - 0.2*a*b)^2 + 0.3*w[0]*w[1] + 0.1*(a + 2)*w[2]^2"
PROBLEMS = {
    "bounds": PARAMETERS + f"""
[variables]
w = {{ size = 3, lower = [0, -0.2, -0.1], upper = "0.5 + 0.1*a" }}
[objective]
minimize = "{OBJECTIVE}"
""",
    "simplex": PARAMETERS + f"""
[variables]
w = {{ size = 3, lower = 0 }}
[constraints]
budget = "sum(w) == 1 + 0.1*b"
cap = "w[0] + 2*w[1] <= 1.2 + 0.3*sin(a)"
floor = "w[1] - w[2] >= -0.8"
[objective]
minimize = "{OBJECTIVE}"
""",
    "kinks": PARAMETERS + f"""
[variables]
w = {{ size = 3, upper = 0.4 }}
[objective]
minimize = "{OBJECTIVE} + (0.3 + 0.1*b)*norm1(w) + 0.2*max(w[0] + w[1], 0)"
""",
    "copula": """
[parameters]
a = { distribution = "normal", mean = 0.1, sd = 0.5 }
b = { distribution = "beta", alpha = 2, beta = 3, lower = -1, upper = 1 }
[dependence]
correlation = [[1, 0.5], [0.5, 1]]
""" + f"""
[variables]
w = {{ size = 3, lower = 0 }}
[constraints]
budget = "sum(w) == 1"
[objective]
minimize = "{OBJECTIVE}"
""",
    "disc": PARAMETERS + f"""
[variables]
w = {{ size = 3, lower = -0.6 }}
[constraints]
disc = "dot(w, w) <= 0.5 + 0.1*a"
curve = "exp(w[0] + w[1]) + w[2]^2 <= 2"
[objective]
minimize = "{OBJECTIVE}"
""",
    "groups": PARAMETERS + f"""
[variables]
w = {{ size = 3, lower = -0.6 }}
[objective]
minimize = "{OBJECTIVE} + (0.6 + 0.3*a)*norm2(w)"
""",
}


def points(name, number):
    draw = random.Random(name)
    inside = (lambda: [draw.gauss(0.1, 0.5), draw.uniform(-0.9, 0.9)]) if name == "copula" else (
        lambda: [draw.uniform(-1, 1), draw.uniform(-1, 1)])
    return [inside() for _ in range(number)]


def compile_and_test(folder):
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", "-O2"]
    for extra in (["-DCHAOSGRAD_SELF_TEST", "-o", "self_test"], ["-shared", "-fPIC", "-o", "optimum.so"]):
        done = subprocess.run(["cc", *flags, "optimum.c", *extra, "-lm"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
    return subprocess.run(["./self_test"], cwd=folder, capture_output=True, text=True)


def solve_and_export(run, tmp_path, text):
    (tmp_path / "p.toml").write_text(text)
    code, out, err = run("solve", "p.toml", "-o", "run", "--json", "--set", "solve.relative_tolerance=1e-3")
    assert code in (0, 1), err
    for language in ("c", "python"):
        assert run("export", "run", "--language", language)[0] == 0
    return json.loads(out)


def c_evaluator(folder, q, columns):
    library = ctypes.CDLL(str(folder / "optimum.so"))

    def evaluate(theta):
        x, lam = (ctypes.c_double * q)(), (ctypes.c_double * max(columns, 1))()
        given = (ctypes.c_double * len(theta))(*theta)
        library.optimum(given, x, None)
        library.multipliers(given, lam)
        return list(x) + list(lam)[:columns]

    return evaluate


@pytest.mark.parametrize("name", PROBLEMS)
def test_agrees_with_eval(run, tmp_path, name):
    """x and multipliers at 1,000 random θ (Python: 200 of them), to 1e-9."""
    summary = solve_and_export(run, tmp_path, PROBLEMS[name])
    folder = tmp_path / "run"
    done = compile_and_test(folder)
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout
    done = subprocess.run([sys.executable, "optimum.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout + done.stderr
    names = {}
    exec((folder / "optimum.py").read_text(), names)

    thetas = points(name, 1000)
    (tmp_path / "points.csv").write_text("\n".join(["a,b"] + [",".join(map(repr, theta)) for theta in thetas]))
    code, out, err = run("eval", "run", "--csv", "points.csv", "--multipliers")
    assert code == 0, err
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0][2:] == summary["variables"] + names["MULTIPLIERS"]
    columns = len(names["MULTIPLIERS"])
    assert columns == sum(len(entry["multiplier"]["mean"]) for entry in summary["constraints"].values())
    expected = [list(map(float, row[2:])) for row in rows[1:]]
    scales = [max(1.0, max(abs(row[j]) for row in expected)) for j in range(3 + columns)]
    evaluate = c_evaluator(folder, 3, columns)
    worst = max(abs(f - e) / s for theta, row in zip(thetas, expected) for f, e, s in zip(evaluate(theta), row, scales))
    assert worst < 1e-9
    worst = max(abs(f - e) / s for theta, row in list(zip(thetas, expected))[:200]
                for f, e, s in zip(names["optimum"](theta) + names["multipliers"](theta), row, scales))
    assert worst < 1e-9


def test_slopes_at_an_edge(run, tmp_path):
    """x = max(a, 0): one side of the derivative is 1, the other 0."""
    solve_and_export(run, tmp_path, """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = { lower = 0 }
[objective]
minimize = "(x - a)^2"
""")
    names = {}
    exec((tmp_path / "run" / "optimum.py").read_text(), names)
    growing, falling, _ = names["sensitivity_sides"]([0.0])
    assert growing[0][0] == pytest.approx(1, abs=1e-6) and falling[0][0] == pytest.approx(0, abs=1e-6)
    assert names["sensitivity"]([0.0])[0][0] == pytest.approx(1, abs=1e-6)
    assert names["sensitivity"]([-0.5])[0][0] == pytest.approx(0, abs=1e-9)
    code, out, _ = run("eval", "run", "--at", "a=0", "--sensitivity", "--json")
    found = json.loads(out)
    assert code == 0 and found["sensitivity"]["x"]["a"] == pytest.approx(1, abs=1e-6)
    assert found["one_sided"]["a"]["x"]["falling"] == pytest.approx(0, abs=1e-6)
    code, out, _ = run("eval", "run", "--at", "a=0", "--sensitivity")
    assert "(growing; falling" in out
    assert json.loads(run("eval", "run", "--at", "a=0.3", "--sensitivity", "--json")[1])["one_sided"] == {}


def test_outside_and_infeasible(run, tmp_path):
    """NaN, and never a point that violates a constraint."""
    text = """
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
w = { size = 2, lower = 0 }
[constraints]
budget = "sum(w) == 1 + a"
[objective]
minimize = "(w[0] - 0.5)^2 + w[1]^2"
"""
    solve_and_export(run, tmp_path, text)
    names = {}
    exec((tmp_path / "run" / "optimum.py").read_text(), names)
    assert all(math.isnan(value) for value in names["optimum"]([1.5]) + names["multipliers"]([1.5]))
    assert not any(math.isnan(value) for value in names["optimum"]([1.5], extrapolate=True))
    # Beyond −1 the budget is negative, which no w ≥ 0 meets.
    assert all(math.isnan(value) for value in names["optimum"]([-1.5], extrapolate=True))
    code, out, err = run("eval", "run", "--at", "a=-1.5", "--extrapolate")
    assert code == 3 and out == "" and "no x satisfies the constraints" in err and "budget" in err
