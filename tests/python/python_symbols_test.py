"""Symbols: every operator and function against numpy on numbers, and whole problems against closed forms."""
import numpy as np
import pytest
import scipy.special

import chaosgrad as cg

t = cg.parameter("t", cg.Uniform(0.1, 0.9))
x = cg.variable("x")
w = cg.variable("w", 3)
A = np.array([[1.0, 0.2, 0.1], [0.0, 2.0, 0.3], [0.5, 0.0, 1.5]])
a = np.array([0.5, -1.0, 2.0])


def optimum(target):
    """min (x − target(t))² at a grid of t. Where the target has a kink or jumps, the value at a point converges slowly."""
    sol = cg.solve((x - target)**2, tolerance=1e-5, max_gradients=20_000)
    return sol(np.linspace(0.1, 0.9, 9))[:, 0]


@pytest.mark.parametrize("f", [
    lambda t: 2 * t - 1 / t + t**2, lambda t: 2.0**t - t / 3 + (-t) + (+t), lambda t: np.float64(2) * t - np.float64(1) / t,
    np.sin, np.cos, np.tan, np.exp, np.log, np.sqrt, np.tanh, np.sinh, np.cosh, np.arcsin, np.arccos, np.arctan, np.square,
    np.log1p, np.expm1, np.log2, np.log10, np.reciprocal, np.negative, lambda t: np.abs(t - 2),
    lambda t: np.maximum(t, 0.05), lambda t: np.minimum(5, t), lambda t: abs(t + 1), lambda t: np.power(t, 1.5), lambda t: np.logaddexp(t, 0.2),
    scipy.special.erf, scipy.special.expit, scipy.special.ndtr, lambda t: np.where(t <= 2, t, 1 - t),
    lambda t: np.add(t, 1) * np.subtract(2, t) / np.multiply(t, 2),
], ids=str)
def test_functions_of_numpy(f):
    assert np.allclose(optimum(f(t)), f(np.linspace(0.1, 0.9, 9)), atol=1e-4)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "cosh", "erf", "absolute", "arcsin",
                                  "arccos", "arctan", "sign", "floor", "ceil"])
def test_functions_of_the_module(name):
    exact = getattr(np, name, None) or getattr(scipy.special, name)
    assert np.allclose(optimum(getattr(cg, name)(t)), exact(np.linspace(0.1, 0.9, 9)), atol=1e-4)


@pytest.mark.parametrize("f,exact", [(cg.logistic, scipy.special.expit), (cg.normcdf, scipy.special.ndtr),
                                     (cg.softplus, lambda t: np.log1p(np.exp(t))),
                                     (lambda t: cg.huber(t, 0.05), lambda t: 0.05 * (t - 0.025))])
def test_further_functions(f, exact):
    assert np.allclose(optimum(f(t)), exact(np.linspace(0.1, 0.9, 9)), atol=1e-4)


@pytest.mark.parametrize("f", [
    lambda v: np.sum(v), lambda v: v.sum(), lambda v: v.mean(), lambda v: v @ a, lambda v: a @ v, lambda v: np.dot(a, v),
    lambda v: np.inner(v, v), lambda v: (A @ v)[1], lambda v: (v @ A)[2], lambda v: v @ A @ v, lambda v: np.linalg.norm(v),
    lambda v: np.linalg.norm(v, 1), lambda v: (a * v)[2], lambda v: np.sum(a * v), lambda v: np.sum(v * v), lambda v: v[-1] - v[0],
    lambda v: v[1:].sum(), lambda v: np.sum(np.sin(v)), lambda v: np.sum(v / a), lambda v: np.sum(a - v), lambda v: sum(v),
    lambda v: np.outer(v, v)[0, 2], lambda v: np.sum(np.concatenate([v, v])), lambda v: (A.T @ v)[0], lambda v: np.sum(np.exp(v)**2),
])
def test_vectors(f):
    grid = np.linspace(0.1, 0.9, 9)
    exact = np.array([f(np.array([one, one**2, 1.0])) for one in grid])
    assert np.allclose(optimum(f(cg.vector([t, t**2, 1.0]))), exact, atol=1e-4)


def test_the_issue_in_two_lines():
    y, s = cg.variable("y"), cg.parameter("s", cg.Normal(0, 1))
    sol = cg.solve(0.5 * (y - cg.sin(s))**2, tolerance=1e-4)
    assert sol.ok and abs(sol(0.7)[0] - np.sin(0.7)) < 1e-3


def test_constraints_of_symbols():
    """Long-only portfolio: against the same problem as functions of numpy."""
    S = np.array([[0.10, 0.02, 0.01], [0.02, 0.08, 0.03], [0.01, 0.03, 0.12]])
    m = np.array([0.02, 0.05, 0.08])
    gamma = cg.parameter("gamma", cg.LogUniform(1, 10))
    symbolic = cg.solve(gamma / 2 * w @ S @ w - m @ w, subject_to=[cg.sum(w) == 1, w >= 0], tolerance=1e-5)
    plain = cg.solve(lambda x, g: g * (x @ S) - m, variables={"w": 3}, parameters={"gamma": cg.LogUniform(1, 10)}, lower=0,
                     constraints=[cg.Linear(np.ones((1, 3)), 1, 1)], tolerance=1e-5)
    grid = np.linspace(1, 10, 19)
    assert symbolic.variables == plain.variables and np.allclose(symbolic(grid), plain(grid), atol=1e-4)
    assert set(symbolic.active) == {"w.lower", "constraint_1"}
    assert np.allclose(symbolic.active["w.lower"], plain.active["w.lower"], atol=2e-3)


def test_names_bounds_and_quantities():
    s = cg.parameter("s", cg.Uniform(0, 1))
    sol = cg.solve((x - 2 * s)**2, subject_to=[(x + 0 <= 1.5).named("cap"), x >= s / 2], quantities={"twice": 2 * x},
                   title="named", tolerance=1e-6)
    assert set(sol.active) == {"cap", "x.lower"} and sol.title == "named"
    assert sol.statistics()["quantities"]["twice"]["mean"]["value"] == pytest.approx(2 * sol.mean[0], abs=1e-3)
    by_dict = cg.solve((x - 2 * s)**2, subject_to={"cap": x + 0 <= 1.5}, tolerance=1e-6)
    assert list(by_dict.active) == ["cap"] and by_dict(0.9)[0] == pytest.approx(1.5, abs=1e-5)


def test_noise_and_reference():
    v = cg.noise("v", cg.Normal(0, 1))
    sol = cg.solve((x - cg.exp(t))**2 / 2 + v * x, reference={"x": cg.exp(t)}, strong_convexity=1, tolerance=0.02)
    assert sol.true_error < 0.02 and sol.error.bound is not None


def test_starts_and_correlation():
    s, r = cg.parameter("s", cg.Normal(0, 1)), cg.parameter("r", cg.Normal(0, 1))
    sol = cg.solve((x - s - r)**2, correlation=[[1, 0.5], [0.5, 1]], start={"x": 3.0}, tolerance=1e-6)
    assert sol.sd[0] == pytest.approx(np.sqrt(3), abs=1e-5)
    with pytest.raises(ValueError, match="no variable is called 'z'"):
        cg.solve((x - s)**2, start={"z": 1})


def test_shared_parts_are_written_once():
    """Without names for parts this formula would have 2^40 terms."""
    part = t
    for _ in range(40):
        part = 0.5 * (part + cg.sin(part))
    text = cg.problem_text((x - part)**2)
    assert len(text) < 20_000 and "part_" in text
    grid = np.linspace(0.1, 0.9, 9)
    exact = grid
    for _ in range(40):
        exact = 0.5 * (exact + np.sin(exact))
    assert np.allclose(optimum(part), exact, atol=1e-5)


def test_text_is_a_problem_for_the_program(tmp_path, run):
    text = cg.problem_text(0.5 * (A @ w - t * a) @ (A @ w - t * a) + cg.norm1(w) / 10, subject_to=[w <= 1], options={"tolerance": 1e-4})
    (tmp_path / "own.toml").write_text(text)
    code, _, err = run("solve", "own.toml", "-o", "run", "--quiet")
    assert code == 0, err
    assert cg.load(tmp_path / "run").verify(20)


@pytest.mark.parametrize("make,error,message", [
    (lambda: cg.variable("2x"), ValueError, "is not a name"),
    (lambda: cg.variable("y", 0), ValueError, "at least one"),
    (lambda: cg.solve(w * t), ValueError, r"found an expression of shape \(3,\)"),
    (lambda: cg.solve(x**2), ValueError, "has no parameter"),
    (lambda: cg.solve(t**2), ValueError, "has no variable"),
    (lambda: w + np.ones(4), ValueError, "do not go together"),
    (lambda: A @ cg.variable("u", 2), ValueError, r"\(3, 3\) and \(2,\)"),
    (lambda: A * w, ValueError, "@ is the matrix product"),
    (lambda: bool(x <= 1), TypeError, "neither true nor false"),
    (lambda: 0 <= x <= 1, TypeError, "two: "),
    (lambda: bool(x), TypeError, "neither true nor false"),
    (lambda: w[3], IndexError, "outside"),
    (lambda: x[0], IndexError, "expected 0"),
    (lambda: np.gcd(x, 2), TypeError, "numpy.gcd"),
    (lambda: np.median(w), TypeError, "numpy.median"),
    (lambda: x + "a", TypeError, "numbers or expressions"),
    (lambda: x + np.inf, ValueError, "nan or inf"),
    (lambda: cg.solve((x - t)**2, subject_to=[x < 1]), ValueError, "expected <=, >= or =="),
    (lambda: cg.solve((x - t)**2, subject_to=[3]), TypeError, "relations"),
    (lambda: cg.solve((x - t)**2, lower=0), TypeError, "subject_to"),
    (lambda: cg.solve((x - cg.parameter("t", cg.Normal(0, 1)) - t)**2), ValueError, "two different symbols are called 't'"),
    (lambda: cg.solve((x - t)**2 + cg.parameter("x", cg.Normal(0, 1))), ValueError, "two different symbols are called 'x'"),
    (lambda: cg.solve(-(x - t)**2), ValueError, None),
])
def test_mistakes_are_named(make, error, message):
    if message is None:
        assert not make().ok  # not convex: a status, not an exception
        return
    with pytest.raises(error, match=message):
        make()
