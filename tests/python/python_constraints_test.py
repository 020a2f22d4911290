"""Bounds and constraints of Python problems, against closed forms and scipy's optimisers."""
import pickle

import numpy as np
import pytest
import scipy.optimize

import chaosgrad as cg

T = {"t": cg.Uniform(-1, 1)}
GRID = np.linspace(-0.99, 0.99, 23)


def solve(gradient, **given):
    return cg.solve(gradient, **{"variables": ["x"], "parameters": T, "tolerance": 1e-6, **given})


def test_bounds_clip():
    """min (x − 2t)²/2 over −1/2 ≤ x ≤ 1 is the clipped 2t; the multipliers are what is cut off."""
    sol = solve(lambda x, t: x - 2 * t, lower=-0.5, upper=1)
    assert np.allclose(sol(GRID)[:, 0], np.clip(2 * GRID, -0.5, 1), atol=1e-5)
    assert list(sol.active) == ["x.lower", "x.upper"]
    assert sol.active["x.lower"] == pytest.approx(0.375, abs=1e-3) and sol.active["x.upper"] == pytest.approx(0.25, abs=1e-3)
    at = sol.multipliers(GRID)
    assert np.allclose(at["x.lower"], np.maximum(-0.5 - 2 * GRID, 0), atol=1e-5)
    assert np.allclose(at["x.upper"], np.maximum(2 * GRID - 1, 0), atol=1e-5)
    assert sol.multipliers["x.upper"] == pytest.approx(1 / 8, abs=1e-3)  # ∫ (2t − 1)₊ dt/2
    assert sol.mean[0] == pytest.approx(np.clip(2 * np.linspace(-1, 1, 200001), -0.5, 1).mean(), abs=1e-4)
    assert sol.multipliers(0.9)["x.upper"] == pytest.approx(0.8, abs=1e-5)
    assert np.isclose(sol.sensitivity(0.0)[0, 0], 2, atol=1e-3) and np.isclose(sol.sensitivity(0.9)[0, 0], 0, atol=1e-6)


def test_bounds_by_name_and_component():
    sol = cg.solve(lambda x, t: x - t, variables={"u": 2, "v": 1}, parameters=T, lower={"u": [0, -np.inf]}, upper={"v": 0.5},
                   tolerance=1e-6)
    assert np.allclose(sol(GRID), np.stack([np.maximum(GRID, 0), GRID, np.minimum(GRID, 0.5)], axis=1), atol=1e-5)
    assert sol.active["u.lower"].shape == (2,) and sol.active["v.upper"].shape == (1,)
    assert sol.variables == ["u[0]", "u[1]", "v[0]"]


def test_bounds_that_depend_on_theta():
    sol = solve(lambda x, t: x - 2 * t, lower=lambda t: t[:, 0] - 0.5, upper=lambda t: 0.5 + t / 2)
    assert np.allclose(sol(GRID)[:, 0], np.clip(2 * GRID, GRID - 0.5, 0.5 + GRID / 2), atol=1e-5)
    assert sol.active["x.lower"] == pytest.approx(0.25, abs=1e-3) and sol.active["x.upper"] == pytest.approx(1 / 3, abs=1e-3)


def quadratic(seed):
    generator = np.random.default_rng(seed)
    root = generator.normal(size=(4, 4))
    return root @ root.T + np.eye(4), generator.normal(size=4), generator.normal(size=4)


@pytest.mark.parametrize("seed", range(3))
def test_linear_constraints_against_scipy(seed):
    """A quadratic program in four variables with bounds, an equality and a row with two limits."""
    H, a, b = quadratic(seed)
    sol = cg.solve(lambda x, t: x @ H - a - t * b, variables={"w": 4}, parameters=T, lower=0,
                   constraints=[cg.Linear(np.ones((1, 4)), 1, 1, name="budget"), cg.Linear([[1, -1, 0, 0]], -0.2, 0.3, name="pair")],
                   tolerance=1e-5)
    assert sol.ok
    for t in (-0.8, -0.1, 0.6):
        one = scipy.optimize.minimize(lambda x: x @ H @ x / 2 - (a + t * b) @ x, np.full(4, 0.25), jac=lambda x: H @ x - a - t * b,
                                      bounds=[(0, None)] * 4, method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
                                      constraints=[{"type": "eq", "fun": lambda x: x.sum() - 1},
                                                   {"type": "ineq", "fun": lambda x: x[0] - x[1] + 0.2},
                                                   {"type": "ineq", "fun": lambda x: 0.3 - x[0] + x[1]}])
        x = sol(t)
        assert np.allclose(x, one.x, atol=2e-4)
        found = sol.multipliers(t)  # ∇f + Σ λ ∇c = 0, c ≤ 0
        force = found["budget"] * np.ones(4) - found["w.lower"]
        force += (found["pair.upper"] - found["pair.lower"]) * np.array([1, -1, 0, 0])
        assert np.allclose(x @ H - a - t * b + force, 0, atol=1e-3)


@pytest.mark.parametrize("hessian", [None, lambda x, t, weights: 2 * weights[:, :, None] * np.eye(2)])
def test_convex_constraint(hessian):
    """The point of the disc |x|² ≤ 1 nearest to 2 (cos πt, sin πt) is that direction itself."""
    ball = cg.Convex(lambda x, t: (x**2).sum(axis=1) - 1, lambda x, t: 2 * x, hessian=hessian, name="disc")
    target = lambda t: 2 * np.hstack([np.cos(np.pi * t), np.sin(np.pi * t)])  # noqa: E731
    sol = cg.solve(lambda x, t: x - target(t), variables=["x", "y"], parameters=T, constraints=[ball], tolerance=1e-4)
    assert sol.ok and np.allclose(sol(GRID), target(GRID[:, None]) / 2, atol=1e-3)
    assert sol.active["disc"] == pytest.approx(1, abs=1e-6) and sol.multipliers["disc"] == pytest.approx(0.5, abs=1e-3)
    assert sol.verify(20)


def test_rows_of_convex_and_affine_functions(tmp_path):
    """x₀ + x₁ = t by an affine function; x ≤ 1/4 by a row of two."""
    rows = cg.Convex(lambda x, t: x - 0.25, lambda x, t: np.broadcast_to(np.eye(2), (len(x), 2, 2)), affine=True, name="cap")
    total = cg.Convex(lambda x, t: x.sum(axis=1) - t[:, 0], lambda x, t: np.ones_like(x), affine=True, equality=True, name="total")
    given = {"variables": ["x", "y"], "parameters": {"t": cg.Uniform(-1, 0.4)}, "tolerance": 1e-6}
    gradient = lambda x, t: x - [0.2, -0.2]  # noqa: E731
    sol = cg.solve(gradient, constraints=[rows, total], **given)
    t = np.linspace(-1, 0.4, 15)
    free = np.stack([t / 2 + 0.2, t / 2 - 0.2], axis=1)
    exact = np.where(free[:, :1] > 0.25, np.stack([np.full_like(t, 0.25), t - 0.25], axis=1), free)
    assert np.allclose(sol(t), exact, atol=1e-5)
    assert sol.active["cap"].shape == (2,) and sol.active["total"] == pytest.approx(1)
    sol.save(tmp_path)
    with pytest.raises(OSError, match="constraints"):
        cg.load(tmp_path)
    again = cg.load(tmp_path, constraints=[rows, total])
    assert np.array_equal(again(t), sol(t))
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(sol)  # x needs the functions, and these are local ones


def test_linear_constraints_are_saved_and_pickled(tmp_path):
    sol = solve(lambda x, t: x - 2 * t, constraints=cg.Linear([[1]], upper=0.5, name="cap"))
    sol.save(tmp_path)
    for again in (cg.load(tmp_path), pickle.loads(pickle.dumps(sol))):
        assert np.array_equal(again(GRID), sol(GRID)) and list(again.active) == ["cap"]


def test_no_constraints_no_multipliers():
    sol = solve(lambda x, t: x - t)
    assert dict(sol.multipliers) == {} and sol.active == {}


def test_infeasible_is_a_status():
    sol = solve(lambda x, t: x - t, constraints=[cg.Linear([[1.0]], 1, 1, name="one"), cg.Linear([[1.0]], 2, 2, name="two")])
    assert sol.status == "infeasible" and not sol.ok and ("one" in sol.message or "two" in sol.message)


@pytest.mark.parametrize("given,error,message", [
    ({"lower": [0, 1]}, ValueError, "lower: expected a number or 1 numbers"),
    ({"lower": {"y": 0}}, ValueError, "no variable is called 'y'"),
    ({"lower": 1, "upper": 0}, ValueError, "above the upper limit"),
    ({"constraints": [3]}, TypeError, "cg.Linear or cg.Convex"),
    ({"constraints": [cg.Linear([[1, 2]], name="wide")]}, ValueError, "wide.A: has 2 columns, not 1"),
    ({"constraints": [cg.Linear([[1]]), cg.Linear([[2]])]}, ValueError, "two are called 'linear'"),
    ({"constraints": [cg.Convex(lambda x, t: x[:, :, None], None, name="c")]}, ValueError, r"c: at one sample .* \(1, 1, 1\)"),
])
def test_bad_constraints_are_named(given, error, message):
    with pytest.raises(error, match=message):
        solve(lambda x, t: x - t, **given)
    with pytest.raises(ValueError, match="affine"):
        cg.Convex(lambda x, t: x, lambda x, t: x, equality=True)
    with pytest.raises(ValueError, match="expected 1 numbers, one per row"):
        cg.Linear([[1, 2]], [1, 2, 3])


def test_exceptions_of_constraints_arrive():
    calls = [0]

    def constraint(x, t):
        calls[0] += 1
        if calls[0] > 3:
            raise LookupError("inside")
        return x[:, 0] - 1

    with pytest.raises(LookupError, match="inside"):
        solve(lambda x, t: x - t, constraints=[cg.Convex(constraint, lambda x, t: np.ones_like(x))])
