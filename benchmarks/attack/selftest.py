"""Do the truths minimise the objectives? Each is compared with its neighbourhood, with differences at its optimum, without the program."""
import tomllib

import numpy as np
import scipy.stats

from attack.measure import fresh_samples
from attack.problem import evaluate

DRAWS = 40_000


def noise_draws(tables, names, rng):
    """v for one theta, in DRAWS samples."""
    drawn = {}
    for name, table in tables.items():
        arguments = {key: evaluate(value, names) if isinstance(value, str) and key != "distribution" else value for key, value in table.items()}
        kind = arguments["distribution"]
        if kind == "discrete":
            weights = np.array(arguments["weights"]) / sum(arguments["weights"])
            drawn[name] = rng.choice(arguments["values"], DRAWS, p=weights)
        else:
            law = {"normal": lambda a: scipy.stats.norm(a["mean"], a["sd"]),
                   "uniform": lambda a: scipy.stats.uniform(a["lower"], a["upper"] - a["lower"]),
                   "lognormal": lambda a: scipy.stats.lognorm(a["sigma"], scale=np.exp(a["mu"]))}[kind](arguments)
            drawn[name] = law.ppf((rng.permutation(DRAWS) + 0.5) / DRAWS)
    return drawn


def objective(table, point, rng):
    """x → F(x, theta, v) for all draws of v."""
    names = dict(point)
    for name, formula in table.get("definitions", {}).items():
        names[name] = evaluate(formula, names)
    names |= noise_draws(table.get("noise", {}), names, rng)
    vector = "size" in table["variables"]["x"]
    formula, draws = table["objective"]["minimize"], DRAWS if "noise" in table else 1

    def values(x):
        with np.errstate(all="ignore"):  # x may be outside of the domain
            return np.broadcast_to(evaluate(formula, {**names, "x": x if vector else x[0]}), draws)
    return values


def complaint(problem, points=12):
    """What is wrong with the truth, or nothing."""
    table, rng = tomllib.loads(problem.text), np.random.default_rng(1)
    samples = fresh_samples(problem, 4000)
    if not np.isclose(samples.weight.mean(), 1, rtol=0.1):
        return f"the weights of the samples have mean {samples.weight.mean():.3g}"
    if problem.truth is None:
        return None
    likely = samples.theta[samples.weight > 0.02]  # not the far tails, where differences lose all digits
    for theta in likely[rng.choice(len(likely), points)]:
        x = problem.truth(theta[None, :])[0]
        f, scale = objective(table, dict(zip(problem.laws, theta)), rng), max(np.linalg.norm(x), 1e-9)
        for size in (1e-3, 0.1, 1.0, 3.0):
            step = rng.standard_normal(len(x))
            step *= size * scale / np.linalg.norm(step)
            difference = f(x + step) - f(x)
            noise = 4 * difference.std() / np.sqrt(len(difference))
            least = -1e-9 * (1e-30 + np.abs(f(x)).max())
            if difference.mean() < least - noise:
                return f"theta = {theta}: F is lower by {-difference.mean():.3g} at x* + {step} than at x* = {x}"
            slope = (f(x + step) - f(x - step)) if size == 1e-3 else np.zeros(1)
            bend = np.mean(f(x + step) + f(x - step) - 2 * f(x))
            if size == 1e-3 and abs(slope.mean()) > 4 * slope.std() / np.sqrt(len(slope)) + 0.3 * abs(bend) - least:
                return f"theta = {theta}: the slope at x* = {x} is not 0: {slope.mean():.3g} against {bend:.3g}"
    return None
