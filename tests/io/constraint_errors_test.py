"""Wrong bounds, constraints and kinks: exit code 2 and a message with the place."""
import pytest

GOOD = """\
[parameters]
theta = { distribution = "uniform", lower = -1, upper = 1 }
[noise]
v = { distribution = "normal", mean = "theta", sd = 1 }
[constants]
S = [[2.0, 0.3], [0.3, 1.0]]
[definitions]
cap = "2 + theta"
[variables]
x = { lower = -4, upper = "cap" }
w = { size = 2, lower = [0, -1] }
[constraints]
budget = "sum(w) == 1"
risk = "dot(w, S*w) <= 3 + x"
[objective]
minimize = "(x - theta)^2 + dot(w, w)/2 - v*w[0] + 2*abs(x - 1)"
"""

# (what to replace, by what, line:column or line of the complaint, words of it)
CASES = {
    "unknown key of a variable": ("lower = -4", "lowr = -4", "10:", ["unknown key 'lowr'", "did you mean 'lower'"]),
    "lower > upper": ("upper = \"cap\"", "upper = -5", "10:", ["lower bound of x (-4) is above its upper bound (-5)", "theta ="]),
    "lower > upper for some theta": ('"cap"', '"8*theta"', "10:", ["above its upper bound", "theta = -0."]),
    "lower > upper in a list": ("lower = [0, -1]", "lower = [0, 5], upper = [\"1 + theta^2\", 4]", "11:",
                                ["lower bound of w[1] (5)", "upper bound (4)"]),
    "list of the wrong size": ("lower = [0, -1]", "lower = [0, -1, 2]", "11:", ["'w' has 2 components, its lower bound has 3"]),
    "vector of the wrong size": ("lower = [0, -1]", 'lower = "[1, 2, 3]"', "11:", ["'w' has 2 components", "has 3"]),
    "bound of the wrong type": ("lower = -4", "lower = true", "10:", ["variables.x.lower", "expected a number or a formula"]),
    "bound on the wrong side": ("lower = -4", "lower = inf", "10:", ["no number is above inf"]),
    "unknown name in a bound": ('"cap"', '"cat"', "10:", ["unknown name 'cat'", "did you mean 'cap'"]),
    "bound that depends on x": ('"cap"', '"w[0]"', "10:", ["a bound may not depend on the variables", "[constraints]"]),
    "bound that depends on noise": ('"cap"', '"4 + v^2"', "10:", ["not on the noise"]),
    "bound that is not real": ('"cap"', '"1 + sqrt(theta)"', "10:", ["upper bound of x is not a number", "theta = -"]),
    "unknown name in a constraint": ("sum(w) == 1", "sum(u) == 1", "13:15", ["unknown name 'u'"]),
    "noise in a constraint": ("sum(w) == 1", "sum(w) == 1 + v", "13:", ["may not depend on the noise"]),
    "strict inequality": ("<= 3 + x", "< 3 + x", "14:21", ["write <= instead of <"]),
    "strict inequality upwards": ("dot(w, S*w) <= 3 + x", "3 + x > dot(w, S*w)", "14:15", ["write >= instead of >"]),
    "not equal": ("==", "!=", "13:18", ["expected <=, >= or =="]),
    "one equals sign": ("sum(w) == 1", "sum(w) = 1", "13:18", ["write == to compare"]),
    "no comparison": ("sum(w) == 1", "sum(w)", "13:", ["expected one comparison"]),
    "two comparisons": ("sum(w) == 1", "0 <= sum(w) <= 1", "13:23", ["write two constraints"]),
    "comparisons joined": ("sum(w) == 1", "0 <= x and sum(w) <= 1", "13:", ["expected one comparison"]),
    "shapes that do not fit": ("sum(w) == 1", "w <= [1, 2, 3]", "13:", ["vector of 3", "vector of 2"]),
    "constraint without x": ("sum(w) == 1", "theta <= 1", "13:", ["'budget' does not depend on the variables"]),
    "component without x": ("sum(w) == 1", "[sum(w), 1] <= [1, theta]", "13:",
                            ["component 1 of 'budget' does not depend on the variables", "violated at theta ="]),
    "equality that is not affine": ("sum(w) == 1", "dot(w, w) == 1", "13:", ["'budget' is an equality, and not affine"]),
    "inequality that is not convex": ("dot(w, S*w) <= 3 + x", "dot(w, S*w) >= 3 + x", "14:",
                                      ["'risk' is not convex", "curvature -", "x = ", "theta = "]),
    "product that is not convex": ("dot(w, S*w) <= 3 + x", "x*w[0] <= 3", "14:", ["'risk' is not convex"]),
    "not convex for some theta": ("dot(w, S*w) <= 3 + x", "(theta + 0.9)*x^2 <= 3", "14:", ["'risk' is not convex", "theta = -0.9"]),
    "undefined at the start": ("dot(w, S*w) <= 3 + x", "-log(x - 3) <= 3", "14:", ["'risk' is not defined at the start",
                                                                                  "log of a negative number"]),
    "kink that cannot be taken apart": ("sum(w) == 1", "max(x, w[0], w[1]) <= 1", "13:",
                                        ["'budget' has a kink where it reaches its limit", "[a, b, c] <= d"]),
    "kink inside of a constraint": ("sum(w) == 1", "exp(abs(x)) + dot(w, w) <= 4", "13:", ["'budget' has a kink where it reaches its limit"]),
    "too many kinks": ("sum(w) == 1", "norm1([x, 2*x, 3*x - 1, w[0], w[1], x - w[0], x - w[1], x + w[0], x + w[1]]) <= 9", "13:",
                       ["'budget' has too many kinks for a constraint", "at most 256"]),
    "constraint that is a number": ('budget = "sum(w) == 1"', "budget = 3", "13:", ["expected one comparison"]),
    "weight that is negative for some theta": ("2*abs(x - 1)", "theta*abs(x - 1)", "16:", ["the weight of this kink is negative",
                                                                                        "theta = -"]),
    "kink with a minus": ("2*abs(x - 1)", "x^2 - abs(x - 1)", "16:", ["not differentiable", "weights >= 0"]),
    "largest of three": ("2*abs(x - 1)", "max(x, 1, 3 - x)", "16:", ["not differentiable", "max(a, b)"]),
    "kink inside": ("2*abs(x - 1)", "exp(abs(x - 1))", "16:", ["not differentiable"]),
    "an own section of a built-in problem": ("[objective]\nminimize", "[objective]\nbuiltin = \"quadratic\"\n#", "", ["must be left out"]),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_constraints(run, tmp_path, name):
    old, new, place, words = CASES[name]
    assert old in GOOD
    (tmp_path / "p.toml").write_text(GOOD.replace(old, new, 1))
    code, out, err = run("solve", "p.toml")
    assert code == 2, (code, out, err)
    assert err.startswith(f"error: p.toml:{place}"), err
    for word in words:
        assert word in err, err


BUILTIN = """\
[objective]
builtin = "elliptic-control"
options = { d = 2, q = 3, lower = 0.05, upper = [1, 2, 3] }
"""


@pytest.mark.parametrize("old,new,words", [
    ("[1, 2, 3]", "[1, 2]", ["objective.options.upper", "expected one number, or 3, found 2"]),
    ("[1, 2, 3]", "0.01", ["objective.options.upper", "not below lower"]),
    ("lower = 0.05", 'lower = "theta1"', ["objective.options.lower"]),
])
def test_wrong_bounds_of_a_coded_problem(run, tmp_path, old, new, words):
    (tmp_path / "p.toml").write_text(BUILTIN.replace(old, new, 1))
    code, _, err = run("solve", "p.toml")
    assert code == 2 and err.startswith("error: p.toml:3:"), err
    for word in words:
        assert word in err, err
