"""What `check` and `solve` say of constrained problems that have no answer, or several."""
import json
import re

import pytest

PARAMETERS = """
[parameters]
t = { distribution = "uniform", lower = 0.5, upper = 1 }
"""
SCALES = PARAMETERS + """
[variables]
x = { size = 2, lower = 0, upper = 3, start = 1 }
[constraints]
enough = "sum(x) >= 2 + t"
[objective]
minimize = "2*x[0]^0.6 + (2 + t)*x[1]^0.6"
"""
VERTEX = PARAMETERS + """
[variables]
h = {}
w = {}
[constraints]
wall = "log(exp(h) + exp(w)) <= t"
floor = "w <= h - 0.1"
[objective]
minimize = "-(h + w)"
"""
# Concave across the equality alone: `solve` refuses it too.
HELD = PARAMETERS + """
[variables]
x = { size = 2 }
[constraints]
budget = "sum(x) == t"
[objective]
minimize = "dot(x, x) - 2*sum(x)^2"
"""
RUNAWAY = PARAMETERS + """
[variables]
x = { size = 2, start = 1 }
[constraints]
budget = "sum(x) == 1"
[objective]
minimize = "(x[0] + x[1])^2 - t*x[0]"
"""
DRY = """
[parameters]
inflow = { distribution = "gamma", shape = 4, scale = 10 }
[variables]
r = { size = 2, lower = 15, start = 20 }
[constraints]
dead = "5 + inflow - sum(r) >= 0"
[objective]
minimize = "dot(r - [25, 20], r - [25, 20])"
"""


@pytest.fixture
def write(tmp_path):
    def named(text):
        (tmp_path / "own.toml").write_text(text)
        return "own.toml"

    return named


def strict(text):
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


@pytest.mark.parametrize("text", [SCALES, HELD], ids=["scales", "held"])
def test_check_tells_of_curvature_that_constraints_hold(run, write, text):
    code, out, _ = run("check", write(text))
    assert code == 3 and re.search(r"wrong: not convex: .* has the curvature -[\d.e+]+ in the direction .*other minima", out)
    assert "kappa" not in out  # mu < 0
    assert run("solve", "own.toml", "--quiet")[0] == 3


def test_check_judges_under_constraints(run, write):
    code, out, _ = run("check", write(VERTEX))
    assert code == 0 and "nothing wrong was found" in out, out
    assert run("solve", "own.toml", "--quiet")[0] == 0


@pytest.mark.parametrize("text, status", [(SCALES, "not_strongly_convex"), (RUNAWAY, "diverged")],
                         ids=["scales", "runaway"])
def test_constants_that_are_not_known(run, write, tmp_path, text, status):
    code, out, _ = run("solve", write(text), "-o", "run")
    assert code == 3 and status in out and not re.search(r"\b(nan|inf)\b", out)
    assert "mu not known, L not known" in out
    condition = strict((tmp_path / "run" / "summary.json").read_text())["condition"]
    assert condition["mu"] is condition["L"] is condition["kappa"] is None


def test_empty_sets_are_named_by_what_is_in_the_file(run, write):
    code, _, err = run("solve", write(DRY), "--quiet")
    assert code == 3
    assert re.search(r"no x satisfies the constraints at inflow = [\d.]+: 'r\.lower', 'dead' contradict each other", err)
