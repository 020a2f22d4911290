"""Minimises a smooth strictly convex function to rounding, for the truths of these problems.

An objective takes x of shape (..., q), real or complex, and gives (...): gradients then come from complex steps, exact to rounding
(W. Squire, G. Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 1998), Hessians from differences of
gradients. Outside of its domain an objective is nan or infinite.
"""
import numpy as np


def gradient(f, x):
    """Of f at each x of shape (..., q)."""
    h = 1e-30
    return f(x[..., None, :] + 1j * h * np.eye(x.shape[-1])).imag / h


def hessian(f, x, scale):
    steps = 1e-6 * np.maximum(np.abs(x), scale)
    upper, lower = gradient(f, x + np.diag(steps)), gradient(f, x - np.diag(steps))
    h = (upper - lower) / (2 * steps[:, None])
    return (h + h.T) / 2


def newton_step(f, x, scale):
    """The step and the decrement, after scaling to a unit diagonal."""
    g, h = gradient(f, x), hessian(f, x, scale)
    d = 1 / np.sqrt(np.maximum(np.diag(h), 1e-300))
    p = -d * np.linalg.solve(h * np.outer(d, d), d * g)
    return p, -g @ p


def minimise(f, start, scale=1e-3):
    """Damped Newton. `scale`: the size of a component that may be zero."""
    x = np.array(start, dtype=float)
    with np.errstate(all="ignore"):
        value = f(x)
        assert np.isfinite(value), f"start outside of the domain: {start}"
        for _ in range(300):
            p, decrement = newton_step(f, x, scale)
            size = np.linalg.norm(p) / max(np.linalg.norm(x), scale)
            if decrement < 0 and size > 1e-8:
                raise ArithmeticError(f"not convex at {x}")
            t = 1.0
            # Close to the optimum values differ by rounding only: then the whole step, if it is legal.
            while not f(x + t * p) <= value - 1e-4 * t * decrement + (np.inf if size < 1e-6 else 0):
                t /= 2
                if t < 1e-14:
                    raise ArithmeticError(f"no descent from {x}, step {p}")
            x = x + t * p
            value = f(x)
            if size < 1e-11 and t == 1:
                return x
    raise ArithmeticError(f"no convergence: {x}, step {p}")


def softplus(z):
    positive = np.real(z) > 0
    small = np.where(positive, -z, z)
    return np.where(positive, z, 0) + np.log1p(np.exp(small))


def absolute(z):
    """|z| of the real part, with its derivative."""
    return np.where(np.real(z) < 0, -z, z)


def normal_nodes(n):
    """Gauss-Hermite nodes and weights of the standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n)
    return nodes, weights / weights.sum()


def with_slope(value, slope, z):
    """A function of one variable that is known with its derivative, at z real or complex."""
    return value + 1j * slope * z.imag if np.iscomplexobj(z) else value
