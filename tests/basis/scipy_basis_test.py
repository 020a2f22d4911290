"""Orthonormal families against SciPy's polynomials and an independent construction in NumPy.

CHAOSGRAD_BASIS_TABLE names the program built from tests/support/basis_table.cpp.
"""

import os
import subprocess

import numpy as np
import pytest
from scipy import special, stats


def table(family, parameters, degree, t):
    """Values B_0..B_degree at t, as an array (len(t), degree + 1)."""
    words = [family, *(repr(float(p)) for p in parameters), str(degree), *(repr(float(x)) for x in t)]
    run = subprocess.run(
        [os.environ["CHAOSGRAD_BASIS_TABLE"]],
        input=" ".join(words) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return np.array([[float(w) for w in line.split()] for line in run.stdout.splitlines()])


def assert_close(actual, expected):
    scale = np.abs(expected).max(axis=0)
    assert np.all(np.abs(actual - expected) <= 1e-10 * scale), np.abs(actual - expected).max()


def test_the_program_is_there():
    assert os.access(os.environ.get("CHAOSGRAD_BASIS_TABLE", ""), os.X_OK)


def test_legendre():
    t = np.linspace(-1, 1, 41)
    n = np.arange(61)
    expected = special.eval_legendre(n, t[:, None]) * np.sqrt(2 * n + 1)
    assert_close(table("uniform", [2, 6], 60, 4 + 2 * t), expected)


def test_hermite():
    t = np.linspace(-9, 9, 41)
    n = np.arange(61)
    expected = special.eval_hermitenorm(n, t[:, None]) * np.exp(-0.5 * special.gammaln(n + 1))
    assert_close(table("normal", [1, 3], 60, 1 + 3 * t), expected)


@pytest.mark.parametrize("alpha, beta", [(2, 5), (0.5, 0.5), (0.3, 0.7), (0.5, 1.5), (7.5, 0.2), (1, 1)])
def test_jacobi(alpha, beta):
    x = np.linspace(-1, 1, 41)
    n = np.arange(1, 61)
    a, b = beta - 1, alpha - 1  # exponents of (1 − x) and (1 + x)
    # Squared norms for the probability density (1−x)^a (1+x)^b / (2^{a+b+1} B(a+1, b+1)).
    log_norm = (
        special.gammaln(n + a + 1)
        + special.gammaln(n + b + 1)
        - special.gammaln(n + a + b + 1)
        - special.gammaln(n + 1)
        - np.log(2 * n + a + b + 1)
        - special.betaln(a + 1, b + 1)
    )
    expected = np.ones((len(x), 61))
    expected[:, 1:] = special.eval_jacobi(n, a, b, x[:, None]) * np.exp(-0.5 * log_norm)
    assert_close(table("beta", [alpha, beta, 0, 3], 60, 1.5 * (1 + x)), expected)


@pytest.mark.parametrize("shape", [0.3, 1, 2.5, 40])
def test_laguerre(shape):
    x = np.linspace(0, 4 * 40 + shape, 41)
    n = np.arange(41)
    log_norm = special.gammaln(n + shape) - special.gammaln(n + 1) - special.gammaln(shape)
    # The library's leading coefficients are positive.
    expected = (-1.0) ** n * special.eval_genlaguerre(n, shape - 1, x[:, None]) * np.exp(-0.5 * log_norm)
    assert_close(table("gamma", [shape, 2], 40, 2 * x), expected)
    if shape == 1:
        assert_close(table("exponential", [0.5], 40, 2 * x), expected)


def test_fourier():
    t = np.linspace(-np.pi, np.pi, 41)
    k = np.arange(1, 201)
    expected = np.ones((len(t), 401))
    expected[:, 1::2] = np.sqrt(2) * np.cos(k * t[:, None])
    expected[:, 2::2] = np.sqrt(2) * np.sin(k * t[:, None])
    assert np.abs(table("fourier", [-np.pi, np.pi], 400, t) - expected).max() < 1e-12


def orthonormal_by_qr(points, weights, degree, t):
    """QR of the weighted Legendre–Vandermonde matrix on [min, max] of the points."""
    lower, upper = points.min(), points.max()

    def vandermonde(x):
        return np.polynomial.legendre.legvander((2 * x - lower - upper) / (upper - lower), degree)

    _, r = np.linalg.qr(np.sqrt(weights / weights.sum())[:, None] * vandermonde(points))
    values = np.linalg.solve(r.T, vandermonde(t).T).T
    return values * np.sign(np.diag(r))


BOUNDED = {
    "triangular": ([0, 0.3, 1], stats.triang(0.3), [0, 0.3, 1]),
    "loguniform": ([0.1, 10], stats.loguniform(0.1, 10), [0.1, 0.3, 1, 3, 10]),
    "truncated_normal": ([1, 2, 0, 4], stats.truncnorm(-0.5, 1.5, loc=1, scale=2), [0, 4]),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_stieltjes_families(name):
    parameters, distribution, breaks = BOUNDED[name]
    degree = 12
    nodes, weights = np.polynomial.legendre.leggauss(300)
    points, masses = [], []
    for lower, upper in zip(breaks, breaks[1:]):
        x = lower + 0.5 * (upper - lower) * (1 + nodes)
        points.append(x)
        masses.append(0.5 * (upper - lower) * weights * distribution.pdf(x))
    t = distribution.ppf(np.linspace(0.01, 0.99, 21))
    expected = orthonormal_by_qr(np.concatenate(points), np.concatenate(masses), degree, t)
    actual = table(name, parameters, degree, t)
    assert np.abs(actual - expected).max() <= 1e-9 * np.abs(expected).max()


def orthonormal_by_gram_schmidt(points, weights, degree, t):
    """Gram–Schmidt, repeated, on t · p_n; for densities whose tails a fixed Vandermonde matrix cannot hold."""
    mean = np.average(points, weights=weights)
    sd = np.sqrt(np.average((points - mean) ** 2, weights=weights))
    basis, at_t = [np.ones_like(points)], [np.ones_like(t)]
    for _ in range(degree):
        f, g = (points - mean) / sd * basis[-1], (t - mean) / sd * at_t[-1]
        for _ in range(3):
            for b, c in zip(basis, at_t):
                coefficient = np.average(f * b, weights=weights)
                f, g = f - coefficient * b, g - coefficient * c
        norm = np.sqrt(np.average(f**2, weights=weights))
        basis.append(f / norm)
        at_t.append(g / norm)
    return np.stack(at_t, axis=1)


def test_lognormal():
    sigma = 0.5
    z = np.arange(-12, 24, 0.01)
    t = np.exp(sigma * np.linspace(-2, 2, 21))
    expected = orthonormal_by_gram_schmidt(np.exp(sigma * z), np.exp(-0.5 * z**2), 8, t)
    assert_close(table("lognormal", [0, sigma], 8, t), expected)


@pytest.mark.parametrize("shape", [0.6, 1.5, 3])
def test_weibull(shape):
    z = np.arange(-60, np.log(120), 0.005)  # y = exp(z) has the exponential distribution
    y = np.exp(z)
    t = 2 * stats.expon.ppf(np.linspace(0.01, 0.99, 21)) ** (1 / shape)
    expected = orthonormal_by_gram_schmidt(2 * y ** (1 / shape), y * np.exp(-y), 8, t)
    assert_close(table("weibull", [shape, 2], 8, t), expected)


def test_discrete():
    points = np.array([-2.0, -1.5, 0.0, 0.1, 1.0, 2.5, 4.0])
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 0.5, 0.25])
    expected = orthonormal_by_qr(points, weights, 6, points)
    assert_close(table("discrete", [7, *points, *weights], 6, points), expected)
