"""Optima of the problems here by quadrature with SciPy, coded apart from the files: truth(theta) -> x."""
import numpy as np
from scipy import optimize, special

LEGENDRE = np.polynomial.legendre.leggauss(64)
HERMITE = np.polynomial.hermite_e.hermegauss(64)
LAGUERRE = np.polynomial.laguerre.laggauss(64)
cdf = special.ndtr


def density(z):
    return np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


def uniform(lower, upper, nodes=LEGENDRE):
    return lower + (upper - lower) * (nodes[0] + 1) / 2, nodes[1] / 2


def normal(nodes=HERMITE):
    return nodes[0], nodes[1] / nodes[1].sum()


def lead_time(theta):
    level, spread = theta
    z, w = normal()
    d2 = np.exp(np.log(level) - 0.02 + 0.2 * z)
    e, v = special.roots_genlaguerre(64, 15)
    d3, v = e * level / 16, v / v.sum()
    weights = np.outer(w, v)
    below = lambda s: (weights * cdf((s - d2[:, None] - d3 - level) / spread)).sum() - 0.9
    return np.array([optimize.brentq(below, 0, 20 * level, xtol=1e-10)])


def kinked_slope(theta):
    """x -> 0.8 E(y - x)+ - 0.2 E(x - y)+, whose zero is the expectile."""
    a, b = theta
    sd = np.sqrt(1 + np.exp(b))
    v2, w2 = uniform(-1, 1)
    v3, w3 = LAGUERRE
    centre = 2 + a + (1 + a / 2) * v2[:, None] + v3 / 2
    weights = np.outer(w2, w3)

    def slope(x):
        c = (centre - x) / sd
        above = sd * (c * cdf(c) + density(c))  # E (centre + sd z - x)+
        below = above - (centre - x)
        return (weights * (0.8 * above - 0.2 * below)).sum()
    return slope


def kinked_4(theta):
    return np.array([optimize.brentq(kinked_slope(theta), -5, 15, xtol=1e-12)])


def smooth_sum():
    """Nodes and weights of the eight noise numbers' sum."""
    few = np.polynomial.legendre.leggauss(8)
    z, w = normal(np.polynomial.hermite_e.hermegauss(24))
    total, weights = np.sqrt(1 + 0.49 + 0.25 + 0.09) * z, w
    for factor in (1, 0.7, 0.5, 0.3):
        u, v = uniform(-factor, factor, few)
        total, weights = np.add.outer(total, u).ravel(), np.multiply.outer(weights, v).ravel()
    return total, weights


SMOOTH = smooth_sum()


def smooth_8(theta):
    a, b = theta
    r, w = SMOOTH[0] + b, SMOOTH[1]
    slope = lambda x: w @ (special.expit(x - r) - special.expit(r - 2 * x)) + a * x / 5
    return np.array([optimize.brentq(slope, -10, 10, xtol=1e-11)])


def cvar_lognormal(theta):
    mu, sigma = theta
    nodes = np.polynomial.legendre.leggauss(400)
    z, w = uniform(-8, 8, nodes)
    w = 16 * w * density(z)
    A = np.exp(mu + sigma * z)

    def slopes(x):
        t, share = x
        c = (t - share * A) / (1 - share)  # the loss is above t where B is above c
        k = np.log(np.maximum(c, 1e-300)) / 0.3
        above, mean = cdf(-k), np.exp(0.045) * cdf(0.3 - k)  # P(B > c), E[B; B > c]
        return [1 - 10 * (w @ above), 10 * (w @ (A * above - mean)) + 8 * (share - 0.5)]
    return optimize.fsolve(slopes, [1.8, 0.45], xtol=1e-12)


def kelly_normal(theta):
    drift, vol = theta
    z, w = normal()
    gain = np.exp(drift - vol ** 2 / 2 + vol * z) - 1
    return np.array([optimize.brentq(lambda f: w @ (gain / (1 + f * gain)), 0, 0.999, xtol=1e-12)])


def quantile_line(theta):
    growth, spread = theta
    age, w = uniform(0, 10)

    def slopes(x):
        below = cdf((x[0] + x[1] * age - 80 - growth * age) / (spread * np.sqrt(1 + age))) - 0.9
        return [w @ below, w @ (age * below)]
    return optimize.fsolve(slopes, [85, growth + 0.5], xtol=1e-12)


def failure_chance(theta):
    scale, price = theta
    u, w = [], []
    for lower, upper in zip(np.linspace(0, 4, 41)[:-1], np.linspace(0, 4, 41)[1:]):
        t, v = uniform(lower, upper, np.polynomial.legendre.leggauss(16))
        u.append(t)
        w.append((upper - lower) * v * 3 * t ** 2 * np.exp(-t ** 3))  # Weibull's density of load/scale
    load, w = scale * np.concatenate(u), np.concatenate(w)
    return np.array([optimize.brentq(lambda x: price - 20 * (w @ special.expit((load - x) / 0.05)), 0, 5, xtol=1e-12)])


TRUTHS = {"lead-time": lead_time, "kinked-4": kinked_4, "smooth-8": smooth_8, "cvar-lognormal": cvar_lognormal, "kelly-normal": kelly_normal,
          "quantile-line": quantile_line, "failure-chance": failure_chance}
