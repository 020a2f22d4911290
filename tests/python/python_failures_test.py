"""Gradients that fail at some theta: NaN or an exception, scattered or in a corner, with and without noise."""
import functools
import pickle

import numpy as np
import pytest

import chaosgrad as cg


class NoConvergence(RuntimeError):
    pass


def fails(theta, share):
    """At so many theta, scattered; a function of theta."""
    return np.modf(np.abs(np.sin(12.9898 * theta[:, 0] + 78.233 * theta[:, 1]) * 43758.5453))[0] < share


TWO = {"parameters": {"a": cg.Uniform(0, 1), "b": cg.Uniform(0, 1)}, "variables": ["x"], "tolerance": 1e-6}


def product(x, theta):
    return x - np.exp(theta[:, :1] * theta[:, 1:])


def product_or_nan(x, theta, share=0.05):
    return np.where(fails(theta, share)[:, None], np.nan, product(x, theta))


def check_product(sol, together=False):
    grid = np.random.default_rng(5).random((200, 2))
    assert np.sqrt(np.mean((sol(grid) - np.exp(grid[:, :1] * grid[:, 1:]))**2)) < 2e-3
    assert 0 < sol.skipped.share < 0.12 and sol.skipped.points > 0 and sol.skipped.together == together
    assert "were skipped" in repr(sol)


def test_failing_points_are_skipped_when_they_may_be():
    sol = cg.solve(product_or_nan, **TWO, may_fail=True)
    assert sol.status == "converged"
    check_product(sol)
    found = sol.verify(100)
    assert found.ok and found.skipped > 0 and found.points + found.skipped == 100
    again = pickle.loads(pickle.dumps(sol))
    assert again.skipped == sol.skipped and again.verify(50).ok
    strict = cg.solve(product_or_nan, **TWO)
    assert strict.status == "bad_gradient" and "not finite" in strict.message and strict.skipped == (0, 0.0, False)
    many = cg.solve(functools.partial(product_or_nan, share=0.4), **TWO, may_fail=True)
    assert many.status == "bad_gradient" and "up to 10 % are skipped" in many.message


def test_exceptions_that_count_as_failures():
    def batched(x, theta):
        if fails(theta, 0.05).any():
            raise NoConvergence("at one of them")
        return product(x, theta)

    def single(x, theta):
        return batched(x[None], theta[None])[0]

    for function, per_sample in ((batched, False), (single, True)):
        for kinds in (NoConvergence, (KeyError, RuntimeError)):
            sol = cg.solve(function, **TWO, per_sample=per_sample, may_fail=kinds)
            assert sol.status == "converged"
            check_product(sol)
        for kinds in (False, True, KeyError):  # any other exception arrives, as always
            with pytest.raises(NoConvergence, match="at one of them"):
                cg.solve(function, **TWO, per_sample=per_sample, may_fail=kinds)
    with pytest.raises(TypeError, match="may_fail: expected True, False, or classes of exceptions, found 3"):
        cg.solve(product, **TWO, may_fail=3)


def test_failures_that_fill_a_corner_are_not_certified():
    """x* = exp(ab) where it is hardest to extrapolate: the run says that nothing was tested there."""
    sol = cg.solve(lambda x, t: np.where((t.min(axis=1) > 0.78)[:, None], np.nan, product(x, t)), **TWO, may_fail=True,
                   reference=lambda t: np.exp(t[:, :1] * t[:, 1:]))
    assert sol.status == "stalled" and sol.ok and sol.skipped.together
    assert "lie together" in sol.message and "is an extrapolation there" in sol.message
    assert sol.true_error <= 1.2 * sol.error and sol.error.bound is None


def test_failing_samples_of_noise_are_skipped():
    def noisy(x, theta, v):
        return np.where(fails(theta, 0.05)[:, None], np.nan, product(x, theta) + v)

    options = TWO | {"tolerance": 0.05, "noise": {"v": cg.Normal(0, 0.3)}, "method": "sieve"}
    sol = cg.solve(noisy, **options, may_fail=True)
    assert sol.status == "converged" and 0.02 < sol.skipped.share < 0.08 and not sol.skipped.together
    corner = cg.solve(lambda x, t, v: np.where((t.min(axis=1) > 0.8)[:, None], np.nan, product(x, t) + v), **options, may_fail=True)
    assert corner.status == "stalled" and corner.skipped.together and "lie together" in corner.message
