"""Draws the parameters of a problem file, and its noise, with scipy's distributions."""
import csv

import numpy as np
from scipy import stats


def column(folder, file, name):
    with open(folder / file, newline="") as source:
        return np.array([float(row[name]) for row in csv.DictReader(source)])


def discrete_quantile(values, weights, u):
    order = np.argsort(values)
    steps = np.cumsum(np.asarray(weights, dtype=float)[order])
    return np.asarray(values, dtype=float)[order][np.searchsorted(steps / steps[-1], u)]


def law(kind, a):
    """scipy's distribution for the arguments `a` of docs/file.md; they may be arrays."""
    if kind == "uniform":
        return stats.uniform(a["lower"], a["upper"] - a["lower"])
    if kind == "normal":
        return stats.norm(a["mean"], a["sd"])
    if kind == "lognormal":
        return stats.lognorm(a["sigma"], scale=np.exp(a["mu"]))
    if kind == "beta":
        lower, upper = a.get("lower", 0), a.get("upper", 1)
        return stats.beta(a["alpha"], a["beta"], loc=lower, scale=upper - lower)
    if kind == "gamma":
        return stats.gamma(a["shape"], scale=a["scale"])
    if kind == "exponential":
        return stats.expon(scale=1 / a["rate"])
    if kind == "triangular":
        width = a["upper"] - a["lower"]
        return stats.triang((a["mode"] - a["lower"]) / width, loc=a["lower"], scale=width)
    if kind == "weibull":
        return stats.weibull_min(a["shape"], scale=a["scale"])
    if kind == "loguniform":
        return stats.loguniform(a["lower"], a["upper"])
    if kind == "truncated_normal":
        return stats.truncnorm((a["lower"] - a["mean"]) / a["sd"], (a["upper"] - a["mean"]) / a["sd"], loc=a["mean"], scale=a["sd"])
    raise ValueError(f"no distribution is called {kind}")


def number(argument):
    """An argument, or a formula of numbers such as "log(40)"."""
    return eval(argument, {"__builtins__": {}}, {"log": np.log, "pi": np.pi}) if isinstance(argument, str) else argument


def quantile(entry, u, folder):
    """Of an entry of [parameters] or [noise] at the levels u."""
    kind = entry["distribution"]
    if kind == "data":
        values = column(folder, entry["file"], entry["column"])
        return discrete_quantile(values, np.ones(len(values)), u)
    if kind == "discrete":
        return discrete_quantile(entry["values"], entry.get("weights", np.ones(len(entry["values"]))), u)
    return law(kind, {key: number(value) for key, value in entry.items() if key not in ("distribution", "basis")}).ppf(u)


def levels(document, count, seed):
    """Uniform numbers, one column per parameter, coupled by the Gaussian copula if there is one."""
    rng = np.random.default_rng(seed)
    d = len(document["parameters"])
    if "dependence" not in document:
        return rng.random((count, d))
    root = np.linalg.cholesky(np.array(document["dependence"]["correlation"], dtype=float))
    return stats.norm.cdf(rng.standard_normal((count, d)) @ root.T)


def parameters(document, folder, count, seed):
    """Draws of theta, count x d."""
    u = levels(document, count, seed)
    return np.column_stack([quantile(entry, u[:, k], folder) for k, entry in enumerate(document["parameters"].values())])
