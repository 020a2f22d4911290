"""Truths of the problems of finance, economics, energy and operations."""
import numpy as np
from scipy import special

from newton import absolute, normal_nodes, softplus, with_slope
from record import FOLDER, Problem

# ---- finance ----


def market_impact(x, theta):
    signal, illiquidity, aversion = theta
    vol = np.array([0.15, 0.20, 0.25, 0.30])
    covariance = np.outer(vol, vol) * (0.3 + 0.7 * np.eye(4))
    after = x + np.array([0.4, 0.3, 0.2, 0.1])
    risk = ((after @ covariance) * after).sum(-1)
    return aversion / 2 * risk - signal * after @ [0.02, 0.06, 0.05, 0.08] + 0.05 * illiquidity * (absolute(x) ** 1.5).sum(-1)


def market_impact_guess(theta):
    """Without impact, a tenth of the way: no trade is zero."""
    signal, _, aversion = theta
    vol = np.array([0.15, 0.20, 0.25, 0.30])
    covariance = np.outer(vol, vol) * (0.3 + 0.7 * np.eye(4))
    aim = np.linalg.solve(aversion * covariance, signal * np.array([0.02, 0.06, 0.05, 0.08])) - [0.4, 0.3, 0.2, 0.1]
    return 0.5 * aim + 1e-3


def risk_parity(x, theta):
    rho, weighted = theta[0], x * theta[1:]
    return rho / 2 * weighted.sum(-1) ** 2 + (1 - rho) / 2 * (weighted**2).sum(-1) - np.log(x).mean(-1)


def race(theta):
    """Chances of four horses, pay-outs of three, prices of the four states."""
    a, b, c = theta
    p = np.array([a, (1 - a) * b, (1 - a) * (1 - b) * c, (1 - a) * (1 - b) * (1 - c)])
    odds = np.array([3.0, 5.0, 8.0])
    return p, odds, np.append(1 / odds, 1 - (1 / odds).sum())


def horse_kelly(x, theta):
    p, odds, _ = race(theta)
    kept = 1 - x.sum(-1, keepdims=True)
    return -np.log(np.concatenate([kept + odds * x, kept], axis=-1)) @ p


def horse_kelly_closed(theta):
    """The wealth in a state is its chance over its price."""
    p, odds, prices = race(theta)
    wealth = p / prices
    return (wealth[:3] - wealth[3]) / odds


def kelly_stock(x, theta):
    drift, vol = theta
    nodes, weights = normal_nodes(100)
    growth = np.exp(drift - vol**2 / 2 + vol * nodes)
    return -np.log((1 - x) * np.exp(0.02) + x * growth) @ weights


def cvar_indices(x, theta):
    level, cost = theta
    t, w = x[..., :1], x[..., 1:]
    shares = np.concatenate([w, 1 - w.sum(-1, keepdims=True)], axis=-1)
    losses = -shares @ RETURNS.T
    tail = 0.1 * softplus((losses - t) / 0.1)
    return t[..., 0] + tail.mean(-1) / (1 - level) + cost / 2 * ((w - 0.25) ** 2).sum(-1)


RETURNS = np.loadtxt(FOLDER.parent.parent / "examples" / "data" / "eu_returns.csv", delimiter=",", skiprows=1)


# ---- economics ----


def life_cycle(x, theta):
    wealth, rate, patience = theta
    years = np.arange(9)
    last = (wealth - x @ (1 + rate) ** -years.astype(float)) * (1 + rate) ** 9
    return -(np.log(x) @ patience**years + patience**9 * np.log(last))


def life_cycle_closed(theta):
    wealth, rate, patience = theta
    years = np.arange(9)
    return (patience * (1 + rate)) ** years * wealth / (patience ** np.arange(10)).sum()


def brock_mirman(x, theta):
    A, alpha, beta = theta
    first = np.full(x.shape[:-1] + (1,), 0.2)
    consumption = A * np.concatenate([first, x], axis=-1) ** alpha
    consumption = consumption - np.concatenate([x, 0 * first], axis=-1)
    return -np.log(consumption) @ beta ** np.arange(9)


def brock_mirman_closed(theta):
    """The share saved with s periods to come is ab(1 - ab^s)/(1 - ab^(s+1)), ab = alpha beta."""
    A, alpha, beta = theta
    ab, k, path = alpha * beta, 0.2, []
    for left in range(8, 0, -1):
        k = ab * (1 - ab**left) / (1 - ab ** (left + 1)) * A * k**alpha
        path.append(k)
    return np.array(path)


# ---- energy and climate ----


def abatement(x, theta):
    warming, damage, growth, discount = theta
    output = 1000 * np.exp(10 * (growth - discount) * np.arange(8))
    temperature = 1.1 + warming * 0.4 * np.cumsum(1 - x, axis=-1)
    return (damage * temperature**2 + 0.074 * x**2.6) @ output


def economic_dispatch(x, theta):
    coal, demand, wind = theta
    limits = np.array([[150, 100, 50], [600, 400, 200]])
    fuel = np.array([[510, 310, 78], [7.2, 7.85, 7.97], [0.00142, 0.00194, 0.00482]]) * np.array([coal, 1, 1])
    cost = (fuel[0] + fuel[1] * x + fuel[2] * x**2).sum(-1)
    barrier = -(np.log(x - limits[0]) + np.log(limits[1] - x)).sum(-1)
    return cost + 5 * barrier + 5 * (x.sum(-1) + wind - demand) ** 2


def battery(x, theta):
    level, peak, capacity = theta
    base = np.array([42, 40, 38, 37, 38, 41, 50, 60, 66, 62, 56, 50, 45, 42, 43, 48, 55, 62, 66, 64, 58, 52, 48, 45])
    evening = np.array(15 * [0] + [2, 12, 30, 40, 34, 18, 6, 0, 0])
    store = 5 - np.cumsum(x, axis=-1)
    limits = (np.log(store) + np.log(capacity - store)).sum(-1)
    return -x @ (level * (base + peak * evening)) + 15 * (x**2).sum(-1) - 5 * limits + 10 * (store[..., -1] - 5) ** 2


def capacity_mix(x, theta):
    """E (D - k)+ = s phi(z) - (k - m) Phi(-z) for normal D, z = (k - m)/s; min(D, k) = D - (D - k)+."""
    level, spread, gas = theta

    def excess(k):
        z = (k - level) / spread
        return spread * (np.exp(-z**2 / 2) / np.sqrt(2 * np.pi) - z * special.ndtr(-z))

    base, total = x[..., 0], x[..., 0] + x[..., 1]
    running = 10 * (level - excess(base)) + gas * (excess(base) - excess(total)) + 1000 * excess(total)
    return 25 * base + 8 * (total - base) + running


def capacity_mix_closed(theta):
    level, spread, gas = theta
    base = level + spread * special.ndtri(1 - (25 - 8) / (gas - 10))
    total = level + spread * special.ndtri(1 - 8 / (1000 - gas))
    return np.array([base, total - base])


# ---- operations ----


def eoq(x, theta):
    D, K, h = theta
    return D * K / np.where(np.real(x[..., 0]) > 0, x[..., 0], np.nan) + h * x[..., 0] / 2


def newsvendor_gamma(x, theta):
    """E (Q - D)+ = Q G(Q; shape) - average G(Q; shape + 1), with G the distribution function of the gamma demand."""
    average, shape = theta
    Q = x[..., 0].real
    scaled = Q * shape / average
    over = Q * special.gammainc(shape, scaled) - average * special.gammainc(shape + 1, scaled)
    return with_slope(9 * over - 7 * (Q - average), 9 * special.gammainc(shape, scaled) - 7, x[..., 0])


def logit_price(x, theta):
    cost, middle, width = theta
    return softplus((x[..., 0] - middle) / width) - np.log(x[..., 0] - cost)


def logit_price_closed(theta):
    """m = (price - cost)/width solves (m - 1) exp(m - 1) = exp((middle - cost)/width - 1)."""
    cost, middle, width = theta
    return np.array([cost + width * (1 + special.lambertw(np.exp((middle - cost) / width - 1)).real)])


ORDERED = np.array([430, 447, 440, 316, 397, 375, 292, 458, 400, 350, 284, 400])


def paint_factory(x, theta):
    orders, hiring, carrying = theta
    P, W = x[..., :12], x[..., 12:]
    inventory = 263 + np.cumsum(P - orders * ORDERED, axis=-1)
    change = np.diff(np.concatenate([np.full(W.shape[:-1] + (1,), 81.0), W], axis=-1), axis=-1)
    return (340 * W + hiring * change**2 + 0.2 * (P - 5.67 * W) ** 2 + 51.2 * P - 281 * W + carrying * (inventory - 320) ** 2).sum(-1)


def paint_factory_closed(theta):
    """The normal equations of the squares plus the linear terms."""
    orders, hiring, carrying = theta
    one, zero, sums = np.eye(12), np.zeros((12, 12)), np.tril(np.ones((12, 12)))
    change = one - np.eye(12, k=-1)
    A = np.block([[zero, np.sqrt(hiring) * change], [np.sqrt(0.2) * one, -5.67 * np.sqrt(0.2) * one], [np.sqrt(carrying) * sums, zero]])
    b = np.concatenate([np.sqrt(hiring) * 81.0 * np.eye(12)[0], np.zeros(12), np.sqrt(carrying) * (57 + orders * np.cumsum(ORDERED))])
    linear = np.concatenate([np.full(12, 51.2), np.full(12, 59.0)])
    return np.linalg.solve(A.T @ A, A.T @ b - linear / 2)


PROBLEMS = [
    Problem("market-impact", "finance", [{"trade": 0.0}, {"trade": [-0.1, 0.05, 0.05, 0.05]}, {"trade": 3.0}], market_impact,
            guess=market_impact_guess, remark="infinite curvature where a trade is 0, which is also the usual start"),
    Problem("risk-parity", "finance", [{"w": 1.0}, {"w": [2.0, 2.0, 7.0, 4.0, 3.0]}, {"w": 40.0}], risk_parity, guess=lambda theta: np.ones(5)),
    Problem("horse-kelly", "finance", [{"bet": 0.0}, {"bet": [0.1, 0.05, 0.02]}, {"bet": 0.3}], horse_kelly, closed=horse_kelly_closed),
    Problem("kelly-stock", "finance", [{"fraction": 0.5}, {"fraction": 0.0}, {"fraction": 0.95}], kelly_stock,
            guess=lambda theta: np.array([0.5]), noise=True),
    Problem("cvar-indices", "finance", [{"t": 0.0, "w": 0.0}, {"t": 1.0, "w": 0.25}, {"t": 10.0, "w": 1.0}], cvar_indices,
            guess=lambda theta: np.array([1.0, 0.25, 0.25, 0.25]), noise=True, remark="curvature in t about exp(-80) at the poor start"),
    Problem("life-cycle", "economics", [{"c": 1000.0}, {"c": 5000.0}, {"c": 100.0}], life_cycle, closed=life_cycle_closed),
    Problem("brock-mirman", "economics", [{"k": 0.1}, {"k": 0.2}, {"k": 0.01}], brock_mirman, closed=brock_mirman_closed),
    Problem("abatement", "climate", [{"control": 0.5}, {"control": 0.05}, {"control": 3.0}], abatement, guess=lambda theta: np.full(8, 0.5)),
    Problem("economic-dispatch", "energy", [{"P": [375, 250, 125]}, {"P": [160, 110, 55]}, {"P": [590, 395, 195]}], economic_dispatch,
            guess=lambda theta: np.array([375.0, 250.0, 125.0])),
    Problem("battery", "energy", [{"u": 0.0}, {"u": 12 * [-0.1] + 12 * [0.1]}, {"u": 12 * [0.2] + 12 * [-0.2]}], battery,
            guess=lambda theta: np.zeros(24), scale=0.1),
    Problem("capacity-mix", "energy", [{"base": 5000.0, "peaker": 1000.0}, {"base": 1000.0, "peaker": 100.0}, {"base": 10000.0, "peaker": 5000.0}],
            capacity_mix, closed=capacity_mix_closed, noise=True, remark="flat far from the demand: curvature is its density"),
    Problem("eoq", "operations management", [{"Q": 1.0}, {"Q": 1000.0}, {"Q": 15000.0}], eoq,
            closed=lambda theta: np.array([np.sqrt(2 * theta[0] * theta[1] / theta[2])])),
    Problem("newsvendor-gamma", "operations management", [{"Q": 300.0}, {"Q": 10.0}, {"Q": 3000.0}], newsvendor_gamma,
            closed=lambda theta: np.array([theta[0] / theta[1] * special.gammaincinv(theta[1], 7 / 9)]), noise=True,
            remark="flat far from the demand: curvature is its density"),
    Problem("logit-price", "operations management", [{"price": 20.0}, {"price": 13.0}, {"price": 200.0}], logit_price, closed=logit_price_closed),
    Problem("paint-factory", "operations management", [{"P": 0.0, "W": 0.0}, {"P": 400.0, "W": 80.0}, {"P": 4000.0, "W": 800.0}], paint_factory,
            closed=paint_factory_closed),
]
