"""Distributions of parameters: as TOML, and for fresh samples that also reach far into the tails."""
import dataclasses

import numpy as np
import scipy.stats

# Tails are sampled down to these probabilities: a polynomial of high degree has its norm far outside of where samples of pi fall.
NEAR, ZERO, FAR = 1e-13, 1e-60, 1e-290
POSITIVE = (1e-300, np.inf)


def number(value):
    """A number in a formula or in TOML, to all digits; in parentheses where it is negative."""
    text = f"{float(value):.17g}"
    return f"({text})" if value < 0 else text


def toml(value):
    return f"{float(value):.17g}" if isinstance(value, (int, float)) else "[" + ", ".join(toml(float(v)) for v in value) + "]"


class Transformed:
    """A law of scipy.stats, transformed by an increasing function; accurate far in both tails."""
    def __init__(self, base, forward, backward):
        self.ppf, self.isf = (lambda t, f=f: forward(f(t)) for f in (base.ppf, base.isf))
        self.cdf, self.sf = (lambda theta, f=f: f(backward(theta)) for f in (base.cdf, base.sf))


@dataclasses.dataclass
class Continuous:
    text: str  # inside of { … } in the problem file
    frozen: object  # of scipy.stats
    lower: float = -np.inf
    upper: float = np.inf

    def quantile(self, u):
        """The quantile at u, finite also at u = 0 and 1 where the support is."""
        return np.clip(np.where(u < 0.5, self.frozen.ppf(u), self.frozen.isf(1 - np.asarray(u))), self.lower, self.upper)

    def probability(self, low, high):
        f = self.frozen
        return float(f.sf(low) - f.sf(high) if f.cdf(low) > 0.5 else f.cdf(high) - f.cdf(low))

    def between(self, low, high, u):
        """Of this law, given that it is between low and high; u uniform on (0, 1)."""
        f = self.frozen
        if f.cdf(low) > 0.5:
            theta = f.isf(f.sf(low) + u * (f.sf(high) - f.sf(low)))
        else:
            theta = f.ppf(f.cdf(low) + u * (f.cdf(high) - f.cdf(low)))
        return np.clip(theta, max(low, self.lower), min(high, self.upper))

    def _depths(self, upper):
        """To which probabilities the tail on this side is sampled, by halves."""
        end = self.upper if upper else self.lower
        return NEAR, (FAR if np.isinf(end) else ZERO if abs(end) <= 1e-300 else NEAR)

    def tail(self, u, rng):
        """Samples on both sides whose logarithm of the probability to be exceeded is uniform."""
        upper, far = rng.random(len(u)) < 0.5, rng.random(len(u)) < 0.5
        depth = np.where(upper, np.where(far, *self._depths(True)), np.where(far, *self._depths(False)))
        t = 0.5 * (2 * depth) ** u
        return np.clip(np.where(upper, self.frozen.isf(t), self.frozen.ppf(t)), self.lower, self.upper)

    def tail_ratio(self, theta):
        """The density of tail() over that of the law."""
        below, above = (np.maximum(t, 1e-300) for t in (self.frozen.cdf(theta), self.frozen.sf(theta)))
        parts = [np.where(above < below, upper, not upper) * (t >= depth) * 0.25 / (t * -np.log(2 * depth))
                 for upper, t in ((False, below), (True, above)) for depth in self._depths(upper)]
        return sum(parts)


@dataclasses.dataclass
class Discrete:
    text: str
    values: np.ndarray
    weights: np.ndarray

    def __post_init__(self):
        order = np.argsort(self.values)
        self.values, self.weights = np.asarray(self.values, float)[order], np.asarray(self.weights, float)[order]
        self.weights = self.weights / self.weights.sum()

    def _pick(self, weights, u):
        return self.values[np.minimum(np.searchsorted(np.cumsum(weights) / weights.sum(), u), len(self.values) - 1)]

    def quantile(self, u):
        return self._pick(self.weights, u)

    def _inside(self, low, high):
        return self.weights * (self.values >= low) * (self.values <= high)

    def probability(self, low, high):
        return float(self._inside(low, high).sum())

    def between(self, low, high, u):
        return self._pick(self._inside(low, high), u)

    def tail(self, u, rng):
        return self._pick(np.ones_like(self.weights), u)

    def tail_ratio(self, theta):
        mass = np.array([self.weights[self.values == v].sum() for v in self.values])
        copies = np.array([(self.values == v).sum() for v in self.values])
        return (copies / len(self.values) / mass)[np.searchsorted(self.values, theta)]


def _law(name, frozen, support=(-np.inf, np.inf), **arguments):
    text = f'distribution = "{name}"' + "".join(f", {key} = {toml(value)}" for key, value in arguments.items())
    return Continuous(text, frozen, *support)


def uniform(lower=-1.0, upper=1.0):
    text = f'distribution = "uniform", lower = {toml(lower)}, upper = {toml(upper)}'
    return Continuous(text, scipy.stats.uniform(lower, upper - lower), lower, upper)


def normal(mean=0.0, sd=1.0):
    return _law("normal", scipy.stats.norm(mean, sd), mean=mean, sd=sd)


def lognormal(mu=0.0, sigma=1.0):
    return _law("lognormal", Transformed(scipy.stats.norm(mu, sigma), np.exp, np.log), POSITIVE, mu=mu, sigma=sigma)


def beta(alpha, beta):
    return _law("beta", scipy.stats.beta(alpha, beta), (0.0, 1.0), alpha=alpha, beta=beta)


def gamma(shape, scale=1.0):
    return _law("gamma", scipy.stats.gamma(shape, scale=scale), POSITIVE, shape=shape, scale=scale)


def exponential(rate=1.0):
    return _law("exponential", scipy.stats.expon(scale=1 / rate), POSITIVE, rate=rate)


def triangular(lower=-1.0, mode=0.3, upper=1.0):
    frozen = scipy.stats.triang((mode - lower) / (upper - lower), lower, upper - lower)
    return Continuous(f'distribution = "triangular", lower = {toml(lower)}, mode = {toml(mode)}, upper = {toml(upper)}', frozen, lower, upper)


def weibull(shape, scale=1.0):
    frozen = Transformed(scipy.stats.expon(), lambda e: scale * e ** (1 / shape), lambda theta: (theta / scale) ** shape)
    return _law("weibull", frozen, POSITIVE, shape=shape, scale=scale)


def loguniform(lower, upper):
    text = f'distribution = "loguniform", lower = {toml(lower)}, upper = {toml(upper)}'
    return Continuous(text, scipy.stats.loguniform(lower, upper), lower, upper)


def truncated_normal(mean=0.0, sd=1.0, lower=-1.0, upper=2.0):
    frozen = scipy.stats.truncnorm((lower - mean) / sd, (upper - mean) / sd, mean, sd)
    text = f'distribution = "truncated_normal", mean = {toml(mean)}, sd = {toml(sd)}, lower = {toml(lower)}, upper = {toml(upper)}'
    return Continuous(text, frozen, lower, upper)


def discrete(values, weights=None):
    text = f'distribution = "discrete", values = {toml(list(values))}' + (f", weights = {toml(list(weights))}" if weights is not None else "")
    return Discrete(text, np.array(values), np.ones(len(values)) if weights is None else np.array(weights))


def data(file, column, values):
    return Discrete(f'distribution = "data", file = "{file}", column = "{column}"', np.array(values), np.ones(len(values)))


def with_basis(law, basis):
    return dataclasses.replace(law, text=f'{law.text}, basis = "{basis}"')


def standard(name, law):
    """The formula of a parameter, shifted and scaled to mostly [-1, 1]."""
    low, middle, high = (float(law.quantile(u)) for u in (0.05, 0.5, 0.95))
    return f"(({name} - {number(middle)})/{number((high - low) / 2)})"
