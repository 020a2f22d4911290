"""The deterministic problems of benchmarks/auto.py in vectorised numpy, for comparisons with other programs.

Shapes: theta (N, d), x and gradients (N, q). Each problem has q, distribution() (OpenTURNS), gradient(x, theta), value(x, theta)
and exact(theta). The numbers are those of the problem files.
"""
import pathlib

import numpy as np

DATA = pathlib.Path(__file__).resolve().parent / "problems" / "data"


class Quadratic:
    """(x - a)^2/2 + 5 (y - b + x - a)^2 with a and b functions of theta."""
    q = 2

    def __init__(self, distribution, a, b):
        self.distribution, self.a, self.b = distribution, a, b

    def exact(self, theta):
        return np.column_stack([self.a(*theta.T), self.b(*theta.T)])

    def value(self, x, theta):
        dx, dy = (x - self.exact(theta)).T
        return dx ** 2 / 2 + 5 * (dx + dy) ** 2

    def gradient(self, x, theta):
        dx, dy = (x - self.exact(theta)).T
        return np.column_stack([dx + 10 * (dx + dy), 10 * (dx + dy)])


class Paper:
    """mu/2 (x - s)^2 + L/2 (y - s)^2, mu = 1, L = 200."""
    q, curvature = 2, np.array([1.0, 200.0])

    def distribution(self):
        import openturns as ot
        return ot.Uniform(-np.pi, np.pi)

    def exact(self, theta):
        s = np.sin(theta[:, 0])
        optimum = np.abs(0.8 + np.exp(s) / 4 - np.cosh(s ** 2)) * (1 + np.sin(2 * theta[:, 0]))
        return np.column_stack([optimum, optimum])

    def value(self, x, theta):
        return ((x - self.exact(theta)) ** 2) @ self.curvature / 2

    def gradient(self, x, theta):
        return (x - self.exact(theta)) * self.curvature


class LinearSystem:
    """x'H(theta)x/2 - x'c(theta): gradient Hx - c, optimum H^-1 c."""

    def exact(self, theta):
        return np.linalg.solve(self.hessian(theta), self.right_side(theta)[..., None])[..., 0]

    def value(self, x, theta):
        return np.einsum("ni,ni->n", x, self.gradient(x, theta) - self.right_side(theta)) / 2

    def gradient(self, x, theta):
        return np.einsum("nij,nj->ni", self.hessian(theta), x) - self.right_side(theta)


class Ridge(LinearSystem):
    q = 10

    def __init__(self):
        self.gram = np.loadtxt(DATA / "ridge_gram.csv", delimiter=",")
        self.moment = np.loadtxt(DATA / "ridge_moment.csv", delimiter=",")

    def distribution(self):
        import openturns as ot
        return ot.LogUniform(np.log(1e-3), np.log(10.0))

    def hessian(self, theta):
        return self.gram + theta[:, :, None] * np.eye(10)

    def right_side(self, theta):
        return np.broadcast_to(self.moment, (len(theta), 10))


class Portfolio(LinearSystem):
    q = 3

    def __init__(self):
        covariance = np.loadtxt(DATA / "portfolio_covariance.csv", delimiter=",")
        B, last = np.vstack([np.eye(3), -np.ones(3)]), np.array([0, 0, 0, 1.0])
        self.reduced, self.mixed = B.T @ covariance @ B, B.T @ covariance @ last
        self.mean = B.T @ np.loadtxt(DATA / "portfolio_mean.csv", delimiter=",")

    def distribution(self):
        import openturns as ot
        return ot.ComposedDistribution([ot.Uniform(0.1, 0.5), ot.Normal(0.0, 0.024)])

    def hessian(self, theta):
        return theta[:, 0, None, None] * self.reduced

    def right_side(self, theta):
        return self.mean + theta[:, 1:] * np.array([1.0, 0, 0]) - theta[:, :1] * self.mixed


def unit_cube(d):
    import openturns as ot
    return ot.ComposedDistribution([ot.Uniform(-1.0, 1.0)] * d)


class EllipticControl:
    """|A(theta)^-1 x - z|^2/2 + beta/2 |x|^2."""

    def __init__(self, d, q, beta=1e-3):
        h = 1 / (q + 1)
        s, mid = np.linspace(h, 1 - h, q), np.linspace(h / 2, 1 - h / 2, q + 1)
        self.d, self.q, self.beta, self.z = d, q, beta, 2 * s * (1 - s) * np.exp(s)
        k = np.arange(1, d + 1)[:, None]
        self.base = 0.05 / h ** 2
        self.modes = self.base * 0.6 / k ** 2 * np.sin(k * np.pi * mid)

    def distribution(self):
        return unit_cube(self.d)

    def matrix(self, theta):
        a = self.base + theta @ self.modes
        A, i = np.zeros((len(theta), self.q, self.q)), np.arange(self.q)
        A[:, i, i] = a[:, :-1] + a[:, 1:]
        A[:, i[:-1], i[1:]] = A[:, i[1:], i[:-1]] = -a[:, 1:-1]
        return A

    def value(self, x, theta):
        y = np.linalg.solve(self.matrix(theta), x[..., None])[..., 0] - self.z
        return (y ** 2).sum(1) / 2 + self.beta / 2 * (x ** 2).sum(1)

    def gradient(self, x, theta):
        A = self.matrix(theta)
        y = np.linalg.solve(A, x[..., None])[..., 0] - self.z
        return np.linalg.solve(A, y[..., None])[..., 0] + self.beta * x

    def exact(self, theta):
        A = self.matrix(theta)
        return np.linalg.solve(np.eye(self.q) + self.beta * A @ A, (A @ self.z)[..., None])[..., 0]


class OscillatorControl(LinearSystem):
    """The states are affine in x, s = s0(theta) + G(theta)x; h/2 |s|^2 + h rho/2 |x|^2."""

    def __init__(self, q=40, horizon=10.0, weight=0.1):
        self.q, self.h, self.weight = q, horizon / q, weight

    def distribution(self):
        import openturns as ot
        return ot.ComposedDistribution([ot.Uniform(0.8, 1.2), ot.Uniform(0.1, 0.5), ot.Uniform(0.7, 1.3)])

    def states(self, theta):
        """s0 (N, 2q) and G (N, 2q, q)."""
        n, q, h, e = len(theta), self.q, self.h, self.h / 2
        K = np.zeros((n, 2, 2))
        K[:, 0, 1], K[:, 1, 0], K[:, 1, 1] = 1, -theta[:, 2] / theta[:, 0], -theta[:, 1] / theta[:, 0]
        left = np.linalg.inv(np.eye(2) - e * K)
        phi, gamma = left @ (np.eye(2) + e * K), left[:, :, 1] * (h / theta[:, :1])
        free, response = np.zeros((n, q, 2)), np.zeros((n, q, 2, q))
        state, moved = np.broadcast_to([1.0, 0.0], (n, 2)), np.zeros((n, 2, q))
        for j in range(q):
            state, moved = np.einsum("nij,nj->ni", phi, state), phi @ moved
            moved[:, :, j] += gamma
            free[:, j], response[:, j] = state, moved
        return free.reshape(n, 2 * q), response.reshape(n, 2 * q, q)

    def hessian(self, theta):
        _, G = self.states(theta)
        return self.h * (G.transpose(0, 2, 1) @ G + self.weight * np.eye(self.q))

    def right_side(self, theta):
        free, G = self.states(theta)
        return -self.h * np.einsum("nji,nj->ni", G, free)


class ActiveParameters:
    """Sum of h_i (x_i - a_i(theta))^2/2: five of fifty parameters matter."""

    def __init__(self, d=50, active=5, q=4, condition=100.0):
        i, k = np.arange(q), np.arange(1, active + 1)[:, None]
        self.d, self.q = d, q
        self.curvature = condition ** (i / (q - 1))
        self.sensitivity = np.cos(i + k) / (2 * k)
        self.position = np.arange(active) * d // active

    def distribution(self):
        return unit_cube(self.d)

    def exact(self, theta):
        return np.exp(theta[:, self.position] @ self.sensitivity)

    def value(self, x, theta):
        return (x - self.exact(theta)) ** 2 @ self.curvature / 2

    def gradient(self, x, theta):
        return (x - self.exact(theta)) * self.curvature


def copula():
    import openturns as ot
    correlation = ot.CorrelationMatrix([[1.0, 0.6, 0.0], [0.6, 1.0, -0.4], [0.0, -0.4, 1.0]])
    return ot.ComposedDistribution([ot.LogNormal(0.0, 0.2), ot.Normal(0.1, 0.3), ot.Beta(2.0, 2.0, 0.0, 1.0)],
                                   ot.NormalCopula(correlation))


def of(name, *arguments):
    """A distribution made when it is asked for, so that OpenTURNS is loaded only then."""
    def make():
        import openturns as ot
        return getattr(ot, name)(*arguments)
    return make


PROBLEMS = {
    "paper": Paper(),
    "quadratic-uniform": Quadratic(of("Uniform", -1.0, 2.0), lambda t: np.exp(np.sin(2 * t)), lambda t: 1 / (1.5 + t)),
    "quadratic-normal": Quadratic(of("Normal", 0.5, 0.8), np.sin, lambda t: np.exp(t / 3)),
    "quadratic-lognormal": Quadratic(of("LogNormal", 0.0, 0.25), lambda t: np.sqrt(1 + t), np.log1p),
    "quadratic-beta": Quadratic(of("Beta", 2.0, 3.0, -1.0, 3.0), lambda t: np.cos(2 * t), lambda t: np.exp(-t)),
    "quadratic-gamma": Quadratic(of("Gamma", 2.5, 2.0), lambda t: np.exp(-t), np.sin),
    "quadratic-exponential": Quadratic(of("Exponential", 2.0), lambda t: np.exp(-t), np.cos),
    "quadratic-triangular": Quadratic(of("Triangular", 0.0, 0.5, 2.0), lambda t: np.exp(np.sin(3 * t)), lambda t: np.sqrt(1 + t)),
    "quadratic-weibull": Quadratic(of("WeibullMin", 1.5, 2.0), lambda t: np.exp(-t), lambda t: np.log(2 + t)),
    "quadratic-loguniform": Quadratic(of("LogUniform", np.log(0.1), np.log(10.0)), lambda t: t / (1 + t),
                                      lambda t: np.exp(-t / 2)),
    "quadratic-truncated-normal": Quadratic(of("TruncatedNormal", 0.0, 1.0, -1.0, 3.0), lambda t: np.exp(np.sin(2 * t)),
                                            lambda t: t ** 2 / (2 + t)),
    "quadratic-copula": Quadratic(copula, lambda price, rate, share: price * np.exp(rate / 2),
                                  lambda price, rate, share: np.sin(rate + share) / (1 + share)),
    "ridge-full": Ridge(),
    "ridge-full-log": Ridge(),
    "portfolio-full": Portfolio(),
    "elliptic-8": EllipticControl(8, 15),
    "elliptic-30": EllipticControl(30, 100),
    "oscillator": OscillatorControl(),
    "active-5-of-50": ActiveParameters(),
}
