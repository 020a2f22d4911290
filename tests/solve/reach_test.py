"""Problems that were refused, or never ended, for reasons that were not theirs: against closed forms, SciPy and enumeration."""
import csv
import io
import json

import numpy as np
import pytest
from scipy import optimize, special

# The least volume of a box is largest at a vertex of three constraints, in logarithms; a fourth is convex and does not bind.
VERTEX = """
[parameters]
wall = { distribution = "uniform", lower = 127, upper = 128.4 }
area = { distribution = "uniform", lower = 1.47, upper = 1.49 }
[variables]
h = {}
w = {}
d = {}
[constraints]
walls = "log(2*exp(h + w) + 2*exp(h + d)) <= log(wall)"
floors = "w + d <= log(area)"
height = "h - w <= log(2)"
depth = "d - w >= log(0.5)"
[objective]
minimize = "-(h + w + d)"
"""
# Beside a log near its border, with a curvature of 1e16, that of x[1], which no bound holds, is 1e-2.
BESIDE_A_POLE = """
[parameters]
t = { distribution = "uniform", lower = 1, upper = 2 }
[variables]
x = { size = 2, lower = 0, start = 1 }
[constraints]
little = "x[0] <= 1e-8*t"
[objective]
minimize = "-log(x[0]) - log(x[1]) + x[1]/(10*t)"
"""
QUANTILES = """
[parameters]
tau = {{ distribution = "uniform", lower = 0.1, upper = 0.9 }}
spread = {{ distribution = "lognormal", mu = 0, sigma = 0.3 }}
[noise]
load = {{ distribution = "uniform", lower = 0, upper = 1 }}
e = {{ distribution = "exponential", rate = 1 }}
[variables]
a = {{ start = {} }}
slope = {{ start = {} }}
[definitions]
miss = "2 + 3*load + (0.5 + spread*load)*e - a - slope*load"
[objective]
minimize = "{}"
[solve]
relative_tolerance = 1e-2
"""
LARGER_OF_TWO = "max(tau*miss, (tau - 1)*miss)"
TWO_SIDES = "tau*max(miss, 0) + (1 - tau)*max(-miss, 0)"
# The entropy of a distribution with a given mean, as a penalty: at 1e-3 the curvature is 1000 times that at the optimum.
ENTROPY = """
[parameters]
mean = { distribution = "uniform", lower = 2, upper = 4 }
weight = { distribution = "loguniform", lower = 1, upper = 10 }
[constants]
k = [1, 2, 3, 4, 5, 6]
[variables]
p = { size = 6, start = 1e-3 }
[objective]
minimize = "sum(p*log(p) - p) + weight*(dot(k, p) - mean)^2 + weight*(sum(p) - 1)^2"
[solve]
relative_tolerance = 1e-3
"""
# Wood and Wollenberg, Power Generation, Operation and Control, example 3A, on a network of three buses.
DISPATCH = """
[parameters]
load = { distribution = "uniform", lower = 820, upper = 840 }
wind = { distribution = "uniform", lower = 30, upper = 35 }
[variables]
p = { size = 3, lower = [150, 100, 50], upper = [600, 400, 200] }
phi = { size = 2 }
shed = { lower = 0 }
[definitions]
f12 = "-1000*phi[0]"
f13 = "-1250*phi[1]"
f23 = "800*(phi[0] - phi[1])"
[constraints]
bus1 = "p[0] == f12 + f13"
bus2 = "p[1] + wind + f12 == 0.3*load + f23"
bus3 = "p[2] + f13 + f23 + shed == 0.7*load"
line13 = "abs(f13) <= 220"
line23 = "abs(f23) <= 200"
line12 = "abs(f12) <= 200"
[objective]
minimize = "7.92*p[0] + 0.001562*p[0]^2 + 7.85*p[1] + 0.00194*p[1]^2 + 7.97*p[2] + 0.00482*p[2]^2 + 1000*shed"
"""
# Beyond t = 7 no x satisfies the constraints: with a probability of 1e-12.
FAR_OUT = """
[parameters]
t = { distribution = "normal", mean = 0, sd = 1 }
s = { distribution = "normal", mean = 0, sd = 1 }
[variables]
x = { lower = -9 }
[constraints]
most = "x <= 5 - t"
least = "x >= -2"
[objective]
minimize = "(x - sin(t) - 0.2*sin(s + t))^2"
[solve]
relative_tolerance = 3e-5
seed = 4
"""


@pytest.fixture
def solve(run, tmp_path):
    """The summary of a problem that is expected to converge."""

    def call(text):
        (tmp_path / "own.toml").write_text(text)
        code, out, err = run("solve", "own.toml", "-o", "run", "--json")
        assert code == 0, err
        return json.loads(out)

    return call


@pytest.fixture
def evaluate(run, tmp_path):
    """x at rows of parameters of the last run."""

    def call(names, theta):
        lines = [",".join(names)] + [",".join(map(repr, map(float, row))) for row in theta]
        (tmp_path / "theta.csv").write_text("\n".join(lines) + "\n")
        code, out, err = run("eval", "run", "--csv", "theta.csv")
        assert code == 0, err
        return np.array([[float(value) for value in row] for row in list(csv.reader(io.StringIO(out)))[1:]])[:, len(names):]

    return call


def test_a_vertex_of_convex_constraints(solve, evaluate):
    assert solve(VERTEX)["status"] == "converged"
    area = np.array([1.471, 1.48, 1.4888])
    w = np.log(area) / 2 + np.log(2) / 2
    exact = np.column_stack([w + np.log(2), w, w - np.log(2)])
    assert np.abs(evaluate(["wall", "area"], np.column_stack([[127.5] * 3, area])) - exact).max() < 1e-9


def test_curvature_is_judged_in_units_of_its_own(solve, evaluate):
    assert solve(BESIDE_A_POLE)["status"] == "converged"
    t = np.array([1.1, 1.5, 1.9])
    exact = np.column_stack([1e-8 * t, 10 * t])
    assert np.abs(evaluate(["t"], t[:, None]) / exact - 1).max() < 5e-3


@pytest.mark.parametrize("start", [(0, 0), (2.5, 3.5), (-20, 30)])
@pytest.mark.parametrize("objective", [LARGER_OF_TWO, TWO_SIDES])
def test_the_line_of_a_quantile(solve, evaluate, run, start, objective):
    """q = -log(1 - tau) is the quantile of e: all kinks coincide at the optimum a = 2 + q/2, slope = 3 + spread q."""
    found = solve(QUANTILES.format(*start, objective))
    assert found["status"] == "converged" and found["noise"] == "gauss"
    u = np.random.default_rng(1).random((500, 2))
    tau, spread = 0.1 + 0.8 * u[:, 0], np.exp(0.3 * special.ndtri(u[:, 1]))
    q = -np.log(1 - tau)
    exact = np.column_stack([2 + q / 2, 3 + spread * q])
    error = np.linalg.norm(evaluate(["tau", "spread"], np.column_stack([tau, spread])) - exact, axis=1)
    assert np.sqrt(np.mean(error**2)) < 1e-2 * np.sqrt(np.mean(np.sum(exact**2, axis=1)))
    code, out, err = run("verify", "run", "-n", "20")
    assert code == 0, out + err


@pytest.mark.parametrize("start", ["1e-3", "0.2", "30"])
def test_a_start_far_more_curved_than_the_optimum(solve, evaluate, start):
    found = solve(ENTROPY.replace("1e-3 }", start + " }", 1))
    assert found["gradient_evaluations"] < 2000
    k = np.arange(1, 7)

    def optimum(mean, weight):
        # 0 = log p + a k + b, a = 2 weight (k.p - mean), b = 2 weight (sum p - 1): two equations for a and b.
        def rest(ab):
            p = np.exp(-ab[0] * k - ab[1])
            return [ab[0] - 2 * weight * (k @ p - mean), ab[1] - 2 * weight * (p.sum() - 1)]

        a, b = optimize.fsolve(rest, [0.0, 1.8], xtol=1e-13)
        return np.exp(-a * k - b)

    u = np.random.default_rng(2).random((100, 2))
    theta = np.column_stack([2 + 2 * u[:, 0], 10 ** u[:, 1]])
    exact = np.array([optimum(*row) for row in theta])
    error = np.linalg.norm(evaluate(["mean", "weight"], theta) - exact, axis=1)
    assert np.sqrt(np.mean(error**2)) < 1.5e-3 * np.sqrt(np.mean(np.sum(exact**2, axis=1)))


def test_dispatch_where_a_far_centre_hid_a_violation(solve, evaluate):
    """At some theta both cheap units, a line and nearly the shed load are at their limits."""
    assert solve(DISPATCH)["status"] == "converged"
    theta = np.array([[828.891173116521, 33.11071423949939], [822, 31], [838.5, 34.5], [831, 30.2]])
    linear, square = np.array([7.92, 7.85, 7.97, 0, 0, 1000]), np.array([0.001562, 0.00194, 0.00482, 0, 0, 0])

    def optimum(load, wind):
        equal = np.array([[1, 0, 0, 1000, 1250, 0], [0, 1, 0, -1800, 800, 0], [0, 0, 1, 800, -2050, 1]])
        right = np.array([0, 0.3 * load - wind, 0.7 * load])
        lines = np.array([[0, 0, 0, -1000, 0, 0], [0, 0, 0, 0, -1250, 0], [0, 0, 0, 800, -800, 0]])
        limits = np.array([200, 220, 200])
        least, most = np.array([150, 100, 50, -1, -1, 0.0]), np.array([600, 400, 200, 1, 1, 1000.0])
        start = optimize.linprog(0.1 * linear, A_ub=np.vstack([lines, -lines]), b_ub=np.tile(limits, 2), A_eq=equal, b_eq=right,
                                 bounds=list(zip(least, most)), method="highs-ipm", options={"presolve": False}).x
        scale = np.array([100, 100, 100, 0.1, 0.1, 1])
        return scale * optimize.minimize(
            lambda z: linear @ (scale * z) + square @ (scale * z) ** 2, start / scale,
            jac=lambda z: scale * (linear + 2 * square * scale * z), hess=lambda z: np.diag(2 * square * scale**2),
            method="trust-constr", options={"gtol": 1e-10, "xtol": 1e-12, "maxiter": 2000},
            bounds=optimize.Bounds(least / scale, most / scale),
            constraints=[optimize.LinearConstraint(equal * scale, right, right),
                         optimize.LinearConstraint(lines * scale, -limits, limits)]).x

    x = evaluate(["load", "wind"], theta)
    for row, (load, wind) in zip(x, theta):
        assert np.abs(row - optimum(load, wind)).max() < 1e-3 * np.abs(row).max()
    assert np.abs(x[0] - [195.753687609, 400, 200, 0.0242463123914, -0.176, 0.0267712684343]).max() < 1e-6


def test_points_where_theta_practically_never_is_are_left_out(solve, evaluate):
    found = solve(FAR_OUT)
    assert found["status"] == "converged" and any("points left out" in note for note in found["notes"]), found["notes"]
    t, s = np.random.default_rng(3).standard_normal((2, 300))
    exact = np.clip(np.sin(t) + 0.2 * np.sin(s + t), -2, 5 - t)
    error = evaluate(["t", "s"], np.column_stack([t, s]))[:, 0] - exact
    assert np.sqrt(np.mean(error**2)) < 3e-5 * np.sqrt(np.mean(exact**2))
