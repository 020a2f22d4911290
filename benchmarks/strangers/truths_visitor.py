"""Truths of the problems that a stranger wrote later, after trying the program; none of them was drawn to be kept aside."""
import numpy as np
from scipy import special

from newton import absolute, softplus, with_slope
from record import Problem, table


def positive(x):
    return np.where(np.real(x) > 0, x, np.nan)


def log_sum_exp(z):
    top = z.real.max(-1, keepdims=True)
    return top[..., 0] + np.log(np.exp(z - top).sum(-1))


# ---- statistics ----


def sickness_logit(x, theta):
    ridge, prior, calib = theta
    rows = table("patients.csv")
    eta = x[..., :1] + x[..., 1:] @ (rows[:, :4] * [1, 1, calib, 1]).T
    return (softplus(eta) - rows[:, 4] * eta).mean(-1) + ridge / 2 * ((x[..., 1:] - [prior, 0, 0, 0]) ** 2).sum(-1) + 1e-4 * x[..., 0] ** 2


def negbin_claims(x, theta):
    r, reported = theta
    years, age, smoker, km, claims = table("claims.csv").T
    eta = x @ np.array([np.ones(len(age)), age, smoker, km]) + np.log(years * reported)
    return ((claims + r) * (np.log(r) + softplus(eta - np.log(r))) - claims * eta).mean(-1)


def quantile_load(x, theta):
    """The miss is c + s e: E (c + s e) = c + s, E (-c - s e)+ = s (k - 1 + exp(-k)), k = max(-c/s, 0); Gauss-Legendre over the load."""
    tau, spread = theta
    nodes, weights = np.polynomial.legendre.leggauss(40)
    load = (1 + nodes) / 2
    c, s = 2 + 3 * load - x[..., :1] - x[..., 1:] * load, 0.5 + spread * load
    k = np.where(c.real < 0, -c / s, 0)
    return (tau * (c + s) + s * (k - 1 + np.exp(-k))) @ (weights / 2)


def quantile_load_closed(theta):
    tau, spread = theta
    return np.array([2, 3]) - np.array([0.5, spread]) * np.log(1 - tau)


# ---- finance, economics and operations ----


def bonds_and_stocks(theta):
    _, premium, vol = theta
    return np.array([premium, 0.03]), np.array([[vol**2, 0.032 * vol], [0.032 * vol, 0.0064]])


def cara(x, theta):
    mean, covariance = bonds_and_stocks(theta)
    return np.exp(theta[0] ** 2 / 2 * ((x @ covariance) * x).sum(-1) - theta[0] * x @ mean) / theta[0]


def cara_closed(theta):
    mean, covariance = bonds_and_stocks(theta)
    return np.linalg.solve(covariance, mean) / theta[0]


def two_bets(x, theta):
    p1, p2, odds = theta
    first, second = np.array([1, 1, -1, -1]), np.array([odds, -1, odds, -1])
    return -np.log(1 + x[..., :1] * first + x[..., 1:] * second) @ np.outer([p1, 1 - p1], [p2, 1 - p2]).ravel()


def firm(x, theta):
    price, wage, rent, tfp = theta
    return x @ np.array([wage, rent]) - price * tfp * np.exp(np.log(positive(x)) @ np.array([0.4, 0.3]))


def firm_closed(theta):
    """Labour takes 0.4, capital 0.3 of the revenue."""
    price, wage, rent, tfp = theta
    revenue = (price * tfp * (0.4 / wage) ** 0.4 * (0.3 / rent) ** 0.3) ** (1 / 0.3)
    return revenue * np.array([0.4 / wage, 0.3 / rent])


def newsvendor_price(x, theta):
    """Profit (price - 4) Q - (price - 1) (Q - D)+; E (Q - D)+ as in newsvendor-gamma."""
    level, shape, price = theta
    Q = x[..., 0].real
    scaled = np.maximum(Q, 0) * shape / level
    below = special.gammainc(shape, scaled)
    over = Q * below - level * special.gammainc(shape + 1, scaled)
    return with_slope((price - 1) * over - (price - 4) * Q, (price - 1) * below - (price - 4), x[..., 0])


def eoq_fuel(x, theta):
    demand, setup, fuel = theta
    return (setup + 20 * fuel) * demand / positive(x[..., 0]) + 0.2 * x[..., 0]


def market_shares(x, theta):
    kept = 1 - x.sum(-1, keepdims=True)
    prices = (theta[:2] + np.log(kept / x)) / theta[2]
    return -(x * (prices - [3, 5])).sum(-1)


def market_shares_closed(theta):
    """Both products have the same margin m/b, (m - 1) exp(m - 1) = sum exp(quality - b cost - 1)."""
    appeal = np.exp(theta[:2] - theta[2] * np.array([3, 5]) - 1)
    shares = appeal * np.exp(-special.lambertw(appeal.sum()).real)
    return shares / (1 + shares.sum())


def tandem_queues(x, theta):
    load = theta[0] * np.array([1, theta[1], theta[1]])
    return x @ np.array([3, 2, 5]) + theta[2] * (load / positive(x - load)).sum(-1)


def tandem_queues_closed(theta):
    load = theta[0] * np.array([1, theta[1], theta[1]])
    return load + np.sqrt(theta[2] * load / [3, 2, 5])


# ---- chemistry, mechanics, hydraulics, geometry ----


def reformer(x, theta):
    """Times RT, unlike steam_reforming."""
    T, P, steam = theta
    moles = np.array([1, steam, 0, 0, 0]) + x @ np.array([[-1, -1, 1, 0, 3], [0, -1, -1, 1, 1]])
    mixing = (moles * np.log(positive(moles) / moles.sum(-1, keepdims=True) * P)).sum(-1)
    return x @ np.array([224e3 - 252 * T, -36e3 + 32 * T]) + 8.314 * T * mixing


def spring_chain(x, theta):
    soft, stiff, cubic, wind = theta
    end = 0 * x[..., :1]
    stretch = np.diff(np.concatenate([end, x, end], axis=-1), axis=-1)
    return stretch**2 @ np.repeat([soft, stiff], [6, 7]) / 2 + cubic / 4 * (stretch**4).sum(-1) - 4.905 * x.sum(-1) - wind * x[..., 5]


def hazen_williams(x, theta):
    d2, d3, d5, d6, fire, C = theta
    branch = d6 + fire
    flow = np.array([d2 + d3 + branch, d3 + branch, 8 + d5, 0, branch, d5, 0]) + x @ np.array([[1, 0, -1, 1, 0, -1, 0], [0, 1, 0, -1, 1, 0, -1]])
    old = (130 / C) ** 1.852
    return absolute(flow) ** 2.852 @ np.array([4, 6, 4 * old, 20, 10, 6 * old, 12]) / 2852


def gravel_box(x, theta):
    trip, wood, yard = theta
    length, width, height = np.moveaxis(x, -1, 0)
    logs = np.stack([-length - width - height, width + height, length + height, length + width, length], axis=-1)
    return log_sum_exp(logs + np.log([400 * trip, 40, 2 * wood, 10, yard]))


# ---- information and signals ----


def max_entropy(x, theta):
    k, (mean, variance) = np.arange(21), theta
    return log_sum_exp(x @ np.array([k - mean, k**2 - mean**2 - variance]))


def track(x, theta):
    sigma, smooth, glitch = theta
    size = absolute(x - table("track.csv", header=0) - glitch * (np.arange(30) == 17)) / sigma
    return np.where(size.real <= 1.345, size**2 / 2, 1.345 * (size - 1.345 / 2)).sum(-1) + smooth * (np.diff(x, 2, axis=-1) ** 2).sum(-1)


def deconvolution(x, theta):
    width, alpha, gain = theta
    channel = np.arange(24) / 24
    blur = np.exp(-((channel[:, None] - channel) ** 2) / (2 * width**2)) / (24 * width * np.sqrt(2 * np.pi))
    misfit = gain * x @ blur - table("spectrum.csv", header=0)
    return 200 * (misfit**2).sum(-1) + alpha * (x * np.log(positive(x) / 2) - x).sum(-1)


PROBLEMS = [
    Problem("sickness-logit", "statistics", [{"b": 0.0, "w": 0.0}, {"b": 10.0, "w": [5.0, -5.0, 5.0, -5.0]}, {"b": -5.0, "w": 5.0}], sickness_logit,
            guess=lambda theta: np.zeros(5), noise=True),
    Problem("negbin-claims", "insurance", [{"b": 0.0}, {"b": [3.0, 0.0, 0.0, 0.0]}, {"b": [-5.0, 0.1, 1.0, 0.1]}], negbin_claims,
            guess=lambda theta: np.zeros(4), noise=True, scale=1e-2),
    Problem("quantile-load", "statistics", [{"a": 0.0, "slope": 0.0}, {"a": 20.0, "slope": -10.0}, {"a": 0.0, "slope": 50.0}], quantile_load,
            closed=quantile_load_closed, noise=True, remark="kinks over two numbers; no curvature where all waits are shorter"),
    Problem("cara", "finance", [{"w": 0.0}, {"w": 1.0}, {"w": 3.0}], cara, closed=cara_closed, noise=True),
    Problem("two-bets", "finance", [{"f1": 0.0, "f2": 0.0}, {"f1": 0.4, "f2": 0.3}, {"f1": 0.05, "f2": 0.9}], two_bets,
            guess=lambda theta: np.zeros(2), noise=True, remark="the noise decides between branches: the objective jumps in it"),
    Problem("firm", "economics", [{"labour": 1.0, "capital": 1.0}, {"labour": 1000.0, "capital": 10.0}, {"labour": 10.0, "capital": 1000.0}], firm,
            closed=firm_closed),
    Problem("newsvendor-price", "operations management", [{"order": 0.0}, {"order": 300.0}, {"order": 1000.0}], newsvendor_price,
            closed=lambda theta: np.array([theta[0] / theta[1] * special.gammaincinv(theta[1], (theta[2] - 4) / (theta[2] - 1))]), noise=True,
            remark="flat far from the demand: curvature is its density"),
    Problem("eoq-fuel", "operations management", [{"Q": 1.0}, {"Q": 100000.0}, {"Q": 5000.0}], eoq_fuel,
            closed=lambda theta: np.array([np.sqrt(5 * (theta[1] + 20 * theta[2]) * theta[0])])),
    Problem("market-shares", "marketing", [{"q1": 0.3, "q2": 0.3}, {"q1": 0.01, "q2": 0.01}, {"q1": 0.6, "q2": 0.39}], market_shares,
            closed=market_shares_closed),
    Problem("tandem-queues", "queueing", [{"mu1": m, "mu2": m, "mu3": m} for m in (20.0, 200.0, 15.5)], tandem_queues, closed=tandem_queues_closed),
    Problem("reformer", "chemistry", [{"xi1": 0.5, "xi2": 0.2}, {"xi1": 0.05, "xi2": 0.04}, {"xi1": 0.98, "xi2": 0.5}], reformer,
            guess=lambda theta: np.array([0.5, 0.2])),
    Problem("spring-chain", "mechanics", [{"u": 0.0}, {"u": 1.0}, {"u": -0.1}], spring_chain, guess=lambda theta: np.full(12, 1e-3), scale=1e-4),
    Problem("hazen-williams", "hydraulics", [{"l": 0.0}, {"l": [-100.0, 100.0]}, {"l": 200.0}], hazen_williams,
            guess=lambda theta: np.array([-5.0, -5.0])),
    Problem("gravel-box", "geometric programming", [{"z": 0.0}, {"z": [5.0, -3.0, 4.0]}, {"z": -3.0}], gravel_box, guess=lambda theta: np.zeros(3)),
    Problem("max-entropy", "information theory", [{"l": 0.0}, {"l": [3.0, -0.3]}, {"l": [5.0, -0.2]}], max_entropy,
            guess=lambda theta: np.array([theta[0], -0.5]) / theta[1]),
    Problem("track", "signal processing", [{"x": 0.0}, {"x": 100.0}, {"x": -300.0}], track, guess=lambda theta: table("track.csv", header=0),
            remark="only the smoothness has curvature where all residuals are large: straight lines have none"),
    Problem("deconvolution", "inverse problems", [{"f": 1.0}, {"f": 0.01}, {"f": 50.0}], deconvolution, guess=lambda theta: np.ones(24)),
]
