"""Objectives that are linear along some directions, or altogether, where the constraints fix x: against closed forms. And those
that nothing fixes: refused for that reason."""
import csv
import io
import json

import numpy as np
import pytest
from scipy import optimize

BALL = """
[parameters]
angle = { distribution = "uniform", lower = 0, upper = 3 }
[variables]
x = { size = 2 }
[constraints]
ball = "norm2(x) <= 2"
[objective]
minimize = "cos(angle)*x[0] + sin(angle)*x[1]"
"""
COVARIANCE = [[0.04, 0.006, 0.0], [0.006, 0.0225, 0.003], [0.0, 0.003, 0.01]]
HIGHEST_RETURN = f"""
[parameters]
limit = {{ distribution = "uniform", lower = 0.012, upper = 0.02 }}
view = {{ distribution = "uniform", lower = 0.06, upper = 0.1 }}
[constants]
S = {COVARIANCE}
[variables]
w = {{ size = 3, start = 0.33 }}
[constraints]
budget = "sum(w) == 1"
risk = "dot(w, S*w) <= limit"
[objective]
minimize = "-(0.10*w[0] + view*w[1] + 0.05*w[2])"
"""
# Hillier and Lieberman, Introduction to Operations Research: the Wyndor Glass Co.; the price of a door is uncertain.
LINEAR_PROGRAM = """
[parameters]
price = { distribution = "uniform", lower = 3, upper = 5 }
[variables]
doors = { lower = 0 }
windows = { lower = 0 }
[constraints]
plant1 = "doors <= 4"
plant2 = "2*windows <= 12"
plant3 = "3*doors + 2*windows <= 18"
[objective]
minimize = "-(price*doors + 5*windows)"
"""
LARGEST_OF_THREE = """
[parameters]
s = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = {}
t = {}
[constraints]
a = "x - s <= t"
b = "-2*x + s <= t"
c = "0.2 - x/2 <= t"
[objective]
minimize = "t + x^2/20"
"""
DISTANCES = """
[parameters]
weight = { distribution = "uniform", lower = 0.5, upper = 1.5 }
[variables]
x = { size = 2, start = 10 }
[objective]
minimize = "norm2(x - [-1, 0]) + norm2(x - [1, 0]) + weight*norm2(x - [0, 2])"
"""
# Variables that stand in the constraints alone: the smallest circle around three points, one of which moves on an axis, and the
# largest one in a triangle (Boyd and Vandenberghe, 8.5.1).
AROUND = """
[parameters]
s = { distribution = "uniform", lower = 1, upper = 3 }
[variables]
c = { size = 2 }
r = { start = 10 }
[constraints]
a = "norm2(c - [s, 0]) <= r"
b = "norm2(c + [s, 0]) <= r"
d = "norm2(c - [0, 2]) <= r"
[objective]
minimize = "r"
"""
INSIDE = """
[parameters]
t = { distribution = "uniform", lower = 1, upper = 2 }
[variables]
x = {}
y = {}
r = {}
[constraints]
left = "x >= r"
bottom = "y >= r"
slope = "x + y + sqrt(2)*r <= t"
[objective]
minimize = "-r"
"""
# Hadley and Whitin, Analysis of Inventory Systems: lots of three items in one store, in units from 1 to 10^6; and the demand of a consumer
# with the utility of Cobb and Douglas. Neither is flat for its units.
LOTS = """
[parameters]
demand = { distribution = "lognormal", mu = "log(1e6)", sigma = 0.3 }
room = { distribution = "uniform", lower = 1500, upper = 6000 }
[constants]
order = [40, 90, 500]
hold = "[0.02, 5, 800]"
volume = [0.05, 2, 30]
[variables]
lot = { size = 3, start = 1, lower = 0.01 }
[constraints]
space = "dot(volume, lot) <= room"
[objective]
minimize = "sum(order*[demand, 2000, 54]/lot + hold*lot/2)"
"""
CONSUMER = """
[parameters]
price = { distribution = "lognormal", mu = "log(2e-3)", sigma = 0.3 }
income = { distribution = "uniform", lower = 3e4, upper = 9e4 }
[variables]
x = { lower = 0, start = 1 }
y = { lower = 0, start = 1 }
z = { lower = 0, start = 1 }
[constraints]
budget = "price*x + 40*y + 9000*z <= income"
[objective]
minimize = "-(0.3*log(x) + 0.5*log(y) + 0.2*log(z))"
"""
# Birge and Louveaux, Introduction to Stochastic Programming: what is bought costs more than what is sold brings, so that each sum of
# two kinks is convex, but not each of them.
FARMER = """
[parameters]
land = { distribution = "uniform", lower = 400, upper = 600 }
feed = { distribution = "triangular", lower = 150, mode = 200, upper = 260 }
quota = { distribution = "uniform", lower = 4500, upper = 7500 }
[noise]
y = { distribution = "discrete", values = [0.8, 1.0, 1.2] }
[variables]
x = { size = 3, lower = 0 }
[constraints]
acres = "sum(x) <= land"
[objective]
minimize = """ + '"""' + """150*x[0] + 230*x[1] + 260*x[2]
  + 238*max(feed - 2.5*y*x[0], 0) - 170*max(2.5*y*x[0] - feed, 0)
  + 210*max(240 - 3*y*x[1], 0) - 150*max(3*y*x[1] - 240, 0)
  - 36*min(20*y*x[2], quota) - 10*max(20*y*x[2] - quota, 0)""" + '"""'
# Between the two middle ones of four readings all are medians.
MEDIAN = """
[parameters]
t = { distribution = "uniform", lower = -0.4, upper = 0.4 }
[variables]
x = {}
[objective]
minimize = "sum(abs(x - [1 + t, 2, 3.5, 7 - t]))"
"""
NOT_UNIQUE = """
[parameters]
p = { distribution = "uniform", lower = 1, upper = 2 }
[variables]
x = { size = 2, lower = 0 }
[constraints]
room = "x[0] + x[1] <= 3"
[objective]
minimize = "(x[0] + x[1] - p)^2"
"""
UNBOUNDED = """
[parameters]
p = { distribution = "uniform", lower = 1, upper = 2 }
[variables]
x = { size = 2, lower = 0 }
[constraints]
room = "x[0] - x[1] <= 3"
[objective]
minimize = "-p*x[0] + 0.1*x[1]"
"""


def opposite(angle):
    return [-2 * np.cos(angle), -2 * np.sin(angle)]


def highest_return(limit, view):
    """w = S⁻¹1/A + Q m sqrt((limit − 1/A)/mᵀQm), A = 1ᵀS⁻¹1, Q = S⁻¹ − S⁻¹11ᵀS⁻¹/A."""
    inverse, m, one = np.linalg.inv(COVARIANCE), np.array([0.1, view, 0.05]), np.ones(3)
    least = inverse @ one / (one @ inverse @ one)
    Q = inverse - np.outer(inverse @ one, least)
    return least + Q @ m * np.sqrt((limit - 1 / (one @ inverse @ one)) / (m @ Q @ m))


def largest_of_three(s):
    """The best of all points where two of the three are equal, and of the minima of each alone."""
    value = lambda x: max(x - s, -2 * x + s, 0.2 - x / 2)  # noqa: E731
    points = [2 * s / 3, (0.2 + s) / 1.5, (s - 0.2) / 1.5, -10, 20, 5]
    x = min(points, key=lambda x: value(x) + x * x / 20)
    return [x, value(x)]


def least_distances(weight):
    """On the axis x_0 = 0: the angle at the foot has 2 sin(angle) = weight, below the top."""
    return [0, weight / np.sqrt(4 - weight**2)]


def circle_around(s):
    """Through the three points, or on two of them as a diameter."""
    return [0, 0, s] if s >= 2 else [0, 1 - s * s / 4, 1 + s * s / 4]


def lots(demand, room):
    """sqrt(order demand/(hold/2 + price volume)), the price of the store 0 or such that it is full."""
    order, hold, volume = np.array([40, 90, 500]), np.array([0.02, 5, 800]), np.array([0.05, 2, 30])
    lot = lambda price: np.sqrt(order * [demand, 2000, 54] / (hold / 2 + price * volume))  # noqa: E731
    if volume @ lot(0) <= room:
        return lot(0)
    return lot(optimize.brentq(lambda price: volume @ lot(price) - room, 0, 1e6, xtol=1e-14))


def farmer(land, feed, quota):
    """Per case: wheat and corn bought and sold, beets sold within the quota and above."""
    cost, rows, limits = np.array([150.0, 230, 260]), [[1, 1, 1] + [0] * 18], [land]
    for k, y in enumerate((0.8, 1, 1.2)):
        cost = np.append(cost, np.array([238, 210, -170, -150, -36, -10]) / 3)
        for crops, trade, limit in [([-2.5 * y, 0, 0], [-1, 0, 1, 0, 0, 0], -feed), ([0, -3 * y, 0], [0, -1, 0, 1, 0, 0], -240),
                                    ([0, 0, -20 * y], [0, 0, 0, 0, 1, 1], 0), ([0, 0, 0], [0, 0, 0, 0, 1, 0], quota)]:
            rows.append(crops + [0] * 6 * k + trade + [0] * 6 * (2 - k))
            limits.append(limit)
    return optimize.linprog(cost, rows, limits, bounds=(0, None)).x[:3]


def circle_inside(t):
    return [t / (2 + np.sqrt(2))] * 3


CASES = {"ball": (BALL, opposite), "highest return": (HIGHEST_RETURN, highest_return),
         "linear program": (LINEAR_PROGRAM, lambda price: [2, 6]), "largest of three": (LARGEST_OF_THREE, largest_of_three),
         "distances": (DISTANCES, least_distances), "circle around": (AROUND, circle_around), "circle inside": (INSIDE, circle_inside),
         "farmer": (FARMER, farmer), "farmer from elsewhere": (FARMER.replace("lower = 0 }", "lower = 0, start = [200, 80, 220] }"), farmer),
         "lots": (LOTS, lots), "consumer": (CONSUMER, lambda price, income: [0.3 * income / price, 0.5 * income / 40, 0.2 * income / 9000])}


@pytest.mark.parametrize("name", CASES)
def test_the_constraints_fix_x(run, tmp_path, name):
    problem, truth = CASES[name]
    (tmp_path / "own.toml").write_text(problem)
    code, out, err = run("solve", "own.toml", "-o", "run", "--json", "--set", "solve.relative_tolerance=1e-3")
    assert code == 0, err
    summary = json.loads(out)
    code, out, err = run("sample", "run", "-n", "200", "--csv")
    assert code == 0, err
    rows = list(csv.DictReader(io.StringIO(out)))
    theta = [[float(row[parameter]) for parameter in summary["parameters"]] for row in rows]
    found = np.array([[float(row[variable]) for variable in summary["variables"]] for row in rows])
    exact = np.array([truth(*t) for t in theta])
    # The mean of 200 squares of an error whose 4th moment is at most 10 squares of its 2nd: 3 standard errors are 0.64 of it.
    assert np.mean(np.sum((found - exact)**2, axis=1)) <= 1.64 * 1e-6 * np.mean(np.sum(exact**2, axis=1))


def test_prices_of_a_linear_program(run, tmp_path):
    """price = 3 λ_3 and 5 = 2 λ_2 + 2 λ_3: means 4/3 and 7/6. x needs no more than their sign; their error bars hold."""
    (tmp_path / "own.toml").write_text(LINEAR_PROGRAM)
    code, out, err = run("solve", "own.toml", "--json")
    assert code == 0, err
    found = json.loads(out)["constraints"]
    for name, mean in {"plant1": 0, "plant2": 7 / 6, "plant3": 4 / 3}.items():
        multiplier = found[name]["multiplier"]
        assert abs(np.ravel(multiplier["mean"])[0] - mean) <= np.ravel(multiplier["error"])[0] + 1e-9
        assert found[name]["active"] == (0 if name == "plant1" else 1)


def test_what_nothing_fixes_is_refused(run, tmp_path):
    (tmp_path / "own.toml").write_text(NOT_UNIQUE)
    code, out, err = run("solve", "own.toml", "--json")
    assert code == 3 and json.loads(out)["status"] == "not_strongly_convex", out
    assert "-0.71 x[0], 0.71 x[1]" in err or "0.71 x[0], -0.71 x[1]" in err


def test_a_median_that_is_not_one_is_refused(run, tmp_path):
    (tmp_path / "own.toml").write_text(MEDIAN)
    code, out, err = run("solve", "own.toml", "--json")
    assert code == 3 and json.loads(out)["status"] == "not_strongly_convex", out
    assert "its curvature is 0 along 1 x" in err
    (tmp_path / "own.toml").write_text(MEDIAN.replace(", 7 - t", ""))
    code, out, err = run("solve", "own.toml", "--json")
    assert code == 0 and abs(json.loads(out)["mean"][0] - 2) < 1e-12, err


def test_a_variable_that_is_nowhere_is_refused(run, tmp_path):
    (tmp_path / "own.toml").write_text(INSIDE.replace("y = {}", "y = {}\nz = { lower = 0 }"))
    code, _, err = run("solve", "own.toml")
    assert code == 2 and "the objective and the constraints do not depend on 'z'" in err


def test_what_falls_without_end_is_refused(run, tmp_path):
    (tmp_path / "own.toml").write_text(UNBOUNDED)
    code, out, err = run("solve", "own.toml", "--json")
    assert code == 3 and json.loads(out)["status"] == "diverged", out
    assert "has no minimum" in err
