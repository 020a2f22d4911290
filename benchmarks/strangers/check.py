#!/usr/bin/python3
"""Checks problem files and truths against each other, without chaosgrad.

Usage: benchmarks/strangers/check.py [NAME ...]

Of every problem:
- the file has a title, a tolerance and no other option, and no name is used twice;
- the three starts fit the variables and are in the domain for 200 draws of the parameters;
- the objective in numpy is convex between starts and optimum, at 3 draws;
- the closed form, where there is one, is its minimum, at 5 draws;
- the objective of the file, read by formulas.py, has no gradient there: the Newton step, as a share of |x|, is below 1e-5 (with noise, where
  2^16 Sobol' points stand for it, below 0.01);
- both objectives differ by a constant only.
Prints a line per problem.
"""
import sys
import tomllib
import warnings

import numpy as np

from formulas import objective
from newton import hessian
from record import FOLDER
from sampling import parameters
from truths import PROBLEMS


def flat(start, document):
    """A start as one vector, in the order of the variables."""
    assert list(start) == list(document["variables"]), f"the start names {list(start)}"
    parts = []
    for name, entry in document["variables"].items():
        size = entry.get("size", 1)
        part = np.atleast_1d(np.array(start[name], dtype=float))
        assert len(part) in (1, size) and (isinstance(start[name], list) == (len(part) > 1))
        parts.append(np.broadcast_to(part, size))
    return np.concatenate(parts)


def check_file(document):
    assert document["title"] and list(document["solve"]) == ["relative_tolerance"]
    assert document["solve"]["relative_tolerance"] in (1e-3, 1e-2, 2e-2)
    assert set(document) <= {"title", "parameters", "dependence", "noise", "constants", "definitions", "variables", "objective", "solve"}
    sections = [document.get(key, {}) for key in ("parameters", "noise", "constants", "definitions", "variables")]
    names = [name for section in sections for name in section if name not in ("data", "vectors")]
    assert len(names) == len(set(names)), "a name is used twice"


def check_starts(problem, document, thetas):
    with np.errstate(all="ignore"):
        for number, start in enumerate(problem.starts):
            x = flat(start, document)
            outside = [theta for theta in thetas if not np.isfinite(problem.objective(x, theta))]
            assert not outside, f"start {number + 1} is outside of the domain at {outside[0]}"


def check_convex(problem, document, thetas):
    """On the way from each start to the optimum no curvature is negative beyond rounding."""
    for theta in thetas:
        x = problem.truth(theta)
        for start in problem.starts:
            for share in (0.25, 0.5, 0.75, 0.97):
                z = x + share * (flat(start, document) - x)
                h = hessian(lambda y: problem.objective(y, theta), z, problem.scale)
                size = np.diag(h)
                assert size.min() >= -1e-9 * size.max(), f"diagonal {size} at {z}, theta {theta}"
                d = np.where(size > 1e-12 * size.max(), 1 / np.sqrt(np.maximum(size, 1e-300)), 0)    # less is rounding
                lowest = np.linalg.eigvalsh(h * np.outer(d, d))[0]
                assert lowest > -1e-5, f"curvature {lowest} at {z}, theta {theta}"


def differences(f, x, scale):
    """The gradient by differences of fourth order."""
    g = np.empty(len(x))
    for j, step in enumerate(1e-4 * np.maximum(np.abs(x), scale)):
        e = step * np.eye(len(x))[j]
        g[j] = (8 * (f(x + e) - f(x - e)) - f(x + 2 * e) + f(x - 2 * e)) / (12 * step)
    return g


def check_point(problem, document, theta):
    """Newton step of the file's objective at the truth over |x|, distance of closed form and minimum, condition number."""
    x = problem.truth(theta)
    h = hessian(lambda z: problem.objective(z, theta), x, problem.scale)
    assert np.linalg.eigvalsh(h)[0] > 0, f"not convex at {x}"
    f = objective(document, FOLDER, theta)
    gap = np.linalg.norm(np.linalg.solve(h, differences(f, x, problem.scale))) / np.linalg.norm(x)
    mine = lambda z: float(problem.objective(z, theta))  # noqa: E731
    away = 0.03 if problem.noise else 0.003     # Sobol' points err by a slope
    other = x * (1 + away) if np.isfinite(mine(x * (1 + away))) else x * (1 - away)
    rise, expected = f(other) - f(x), mine(other) - mine(x)
    assert abs(rise - expected) <= (0.05 if problem.noise else 1e-5) * abs(expected) + 1e-9 * abs(mine(x)), (rise, expected)
    closed = np.linalg.norm(problem.numeric(theta) - x) / np.linalg.norm(x) if problem.closed else 0
    return gap, closed, np.linalg.cond(h)


def check(problem):
    document = tomllib.loads((FOLDER / f"{problem.name}.toml").read_text())
    check_file(document)
    assert problem.noise == ("noise" in document)
    thetas = parameters(document, FOLDER, 200, seed=1)
    check_starts(problem, document, thetas)
    check_convex(problem, document, thetas[:3])
    optima = np.array([problem.truth(theta) for theta in thetas])
    assert np.isfinite(optima).all()
    points = np.array([check_point(problem, document, theta) for theta in thetas[:5]])
    gap, closed, condition = points.max(0)
    good = gap < (1e-2 if problem.noise else 1e-5) and closed < 1e-7
    norm, spread = np.sqrt((optima**2).sum(1).mean()), np.sqrt(optima.var(0).sum())
    print(f"{problem.name:<22} {'good' if good else 'BAD '} q {optima.shape[1]:>2} d {thetas.shape[1]}  step {gap:7.1e}  closed form {closed:7.1e}  "
          f"condition {condition:7.1e}  |x| {norm:8.3g}  spread {spread / norm:6.3f}", flush=True)
    return good


def main():
    warnings.simplefilter("ignore")
    bad = []
    for name in sys.argv[1:] or PROBLEMS:
        try:
            if not check(PROBLEMS[name]):
                bad.append(name)
        except (AssertionError, ArithmeticError, NameError, ValueError) as error:
            print(f"{name:<22} BAD  {type(error).__name__}: {error}", flush=True)
            bad.append(name)
    print(f"{len(bad)} bad" + (": " + ", ".join(bad) if bad else ""))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
