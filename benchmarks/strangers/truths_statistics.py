"""Truths of the problems of statistics, epidemiology, pharmacology and information theory."""
import numpy as np
from scipy import optimize, special

from newton import absolute, with_slope
from record import Problem, table

# ---- regression ----


def dobson_counts(theta):
    """Outcomes x treatments, and the shares reported of each treatment."""
    r1, r2, r3, moved = theta
    counts = np.array([[18 - moved, 17 + moved, 15], [20, 10, 20], [25, 13, 12]]).T
    return counts, np.array([r1, r2, r3])


def dobson_poisson(x, theta):
    counts, reported = dobson_counts(theta)
    zero = 0 * x[..., :1]
    outcome, treatment = np.concatenate([zero, x[..., 1:3]], axis=-1), np.concatenate([zero, x[..., 3:]], axis=-1)
    eta = x[..., :1, None] + outcome[..., :, None] + treatment[..., None, :]
    return (reported * np.exp(eta) - counts * eta).sum((-1, -2))


def dobson_poisson_closed(theta):
    """The fitted table is the product of its margins over the total."""
    counts, reported = dobson_counts(theta)
    rows, columns = np.log(counts.sum(1)), np.log(counts.sum(0) / reported)
    return np.concatenate([[rows[0] + columns[0] - np.log(counts.sum())], rows[1:] - rows[0], columns[1:] - columns[0]])


def stackloss_huber(x, theta):
    k = theta[0]
    air, water, acid, loss = table("stackloss.csv").T
    residual = (loss - x @ np.array([np.ones(21), air, water, acid])) / 2
    size = absolute(residual)
    return np.where(size.real <= k, residual**2 / 2, k * (size - k / 2)).mean(-1)


def stackloss_guess(theta):
    air, water, acid, loss = table("stackloss.csv").T
    return np.linalg.lstsq(np.array([np.ones(21), air, water, acid]).T, loss, rcond=None)[0]


def beetles_probit(x, theta):
    shift, killed = theta
    dose = np.array([1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839]) + shift
    n, y = np.array([59, 60, 62, 56, 63, 59, 62, 60]), np.array([6, 13, 18, 28, 52, 53, 61, killed])
    eta = x[..., :1] + x[..., 1:] * dose
    return -special.log_ndtr(eta) @ y - special.log_ndtr(-eta) @ (n - y)


def beetles_guess(theta):
    return np.array([-30.0, 17.0]) - [17.0 * theta[0], 0.0]


# ---- location, quantiles, expectiles under noise ----


def wind_quantile(x, theta):
    """E (q - v)+ is the integral of the distribution function from 0 to q."""
    scale, shape = theta
    q = np.maximum(x[..., 0].real, 0)
    t = (q / scale) ** shape
    mean = scale * special.gamma(1 + 1 / shape)
    below = q - mean * special.gammainc(1 / shape, t)
    return with_slope(0.9 * (mean - x[..., 0].real) + below, -np.expm1(-t) - 0.9, x[..., 0])


def growth_expectile(x, theta):
    """E (r+)^2 = (m^2 + s^2) Phi(m/s) + m s phi(m/s) for r normal with mean m and standard deviation s; Gauss-Legendre over the age."""
    growth, spread = theta
    nodes, weights = np.polynomial.legendre.leggauss(40)
    age = 1 + nodes
    m = 50 - x[..., :1] + (growth - x[..., 1:]) * age
    s = spread * (1 + age)
    upper = (m**2 + s**2) * special.ndtr(m / s) + m * s * np.exp(-(m / s) ** 2 / 2) / np.sqrt(2 * np.pi)
    return (0.1 * (m**2 + s**2) + 0.8 * upper) @ (weights / 2)


def normal_expectile(tau):
    """(1 - tau) E (e - z)+ = tau E (z - e)+ for standard normal z."""
    def excess(e):
        return np.exp(-e**2 / 2) / np.sqrt(2 * np.pi) - e * special.ndtr(-e)
    return optimize.brentq(lambda e: (1 - tau) * (excess(e) + e) - tau * excess(e), -5, 5, xtol=1e-14)


def growth_expectile_closed(theta):
    growth, spread = theta
    shift = spread * normal_expectile(0.9)
    return np.array([50 + shift, growth + shift])


def contaminated_location(x, theta):
    """The trapezoidal rule over z, exact to rounding for an integrand that is analytic near the line."""
    signal, offset, sd = theta
    z = np.linspace(-9, 9, 601)
    weights = np.exp(-z**2 / 2)
    value = 0
    for share, shift in ((0.9, 0), (0.1, offset)):
        u = absolute(x - signal - sd * z - shift)
        value = value + share * (u + np.log1p(np.exp(-2 * u)) - np.log(2)) @ (weights / weights.sum())
    return value


# ---- information ----


def jaynes_dice(x, theta):
    average, variance = theta
    face = np.arange(1, 7)
    moments = np.array([average, average**2 + variance])
    return np.log(np.exp(-x @ np.array([face, face**2])).sum(-1)) + x @ moments


# ---- epidemiology ----

CASES = np.array([3, 4, 4, 7, 8, 11, 12, 19, 22, 25, 37, 42, 55, 71])


def outbreak_growth(x, theta):
    reported, trend = theta
    day = np.arange(14)
    eta = x[..., :1] + x[..., 1:] * day
    return np.exp(eta) @ (reported * (1 + trend * day)) - eta @ CASES


PEOPLE = np.array([2.0e6, 3.5e6, 1.5e6, 0.6e6])
LOSS = np.array([150, 1500, 20000, 250000])     # dollars per head and attack


def vaccine_doses(x, theta):
    attack, effect, price = theta
    return attack * np.exp(-effect * x / PEOPLE) @ (PEOPLE * LOSS) + price * x.sum(-1)


def vaccine_doses_closed(theta):
    attack, effect, price = theta
    return PEOPLE / effect * np.log(attack * effect * LOSS / price)


# ---- pharmacology ----


def dosing(x, theta):
    ke, V, toxic = theta
    after = np.arange(2, 48, 6)[:, None] - np.arange(0, 48, 12)
    c = x @ np.where(after > 0, np.exp(-ke * after) / V, 0).T
    return (c**2).sum(-1) / (2 * toxic**2) - np.log(c).sum(-1)


PROBLEMS = [
    Problem("dobson-poisson", "statistics", [{"beta": 0.0}, {"beta": [3, 0, 0, 0, 0]}, {"beta": 3.0}], dobson_poisson, closed=dobson_poisson_closed),
    Problem("stackloss-huber", "statistics", [{"b": 0.0}, {"b": [-40, 0.7, 1.3, -0.15]}, {"b": 10.0}], stackloss_huber, guess=stackloss_guess,
            noise=True, remark="the Hessian is singular where all residuals are large (starts 1 and 3), and jumps where one passes k"),
    Problem("beetles-probit", "statistics", [{"a": 0.0, "b": 0.0}, {"a": -30.0, "b": 17.0}, {"a": 0.0, "b": 10.0}], beetles_probit,
            guess=beetles_guess, remark="normcdf(-18) at the poor start"),
    Problem("wind-quantile", "statistics", [{"q": 0.0}, {"q": 10.0}, {"q": 100.0}], wind_quantile, noise=True,
            closed=lambda theta: np.array([theta[0] * np.log(10) ** (1 / theta[1])]), remark="curvature is the density, none at 0 and at 100"),
    Problem("growth-expectile", "statistics",
            [{"intercept": 50.0, "slope": 10.0}, {"intercept": 0.0, "slope": 0.0}, {"intercept": 500.0, "slope": 100.0}], growth_expectile,
            closed=growth_expectile_closed, noise=True),
    Problem("contaminated-location", "statistics", [{"x": 0.0}, {"x": 5.0}, {"x": 50.0}], contaminated_location,
            guess=lambda theta: theta[:1].copy(), noise=True, remark="no curvature within rounding at the poor start"),
    Problem("jaynes-dice", "information theory",
            [{"lambda1": 0.0, "lambda2": 0.0}, {"lambda1": -1.0, "lambda2": 0.1}, {"lambda1": 5.0, "lambda2": -0.5}], jaynes_dice,
            guess=lambda theta: np.zeros(2)),
    Problem("outbreak-growth", "epidemiology", [{"a": 0.0, "r": 0.0}, {"a": 2.0, "r": 0.2}, {"a": 5.0, "r": 0.5}], outbreak_growth,
            guess=lambda theta: np.array([2.0, 0.2])),
    Problem("vaccine-doses", "epidemiology", [{"v": 0.0}, {"v": 1e6}, {"v": 1e7}], vaccine_doses, closed=vaccine_doses_closed,
            remark="curvature about exp(-70) in the last component at the poor start"),
    Problem("dosing", "pharmacology", [{"dose": 100.0}, {"dose": 500.0}, {"dose": 5000.0}], dosing, guess=lambda theta: np.full(4, 300.0)),
]
