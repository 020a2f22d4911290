"""Rare features: bumps, boxes, steep steps, kinks and ramps of x*(theta) on regions of small probability, on top of a smooth function."""
import itertools

import numpy as np
import scipy.stats

from attack import laws as law
from attack.laws import number, standard
from attack.measure import Box, HalfSpace
from attack.problem import evaluate, fit

KINDS = ("bump", "box", "steep", "ramp", "soft")
PLACES = ("tail", "middle", "aside", "left")
LAWS = {"uniform": law.uniform(), "normal": law.normal(), "beta": law.beta(2, 3), "triangular": law.triangular(),
        "exponential": law.exponential(), "truncated": law.truncated_normal()}
BASES = {1: "sin({0})", 2: "sin({0}) + 0.4*{0}*{1}", 5: "0.5*{0} + 0.3*{1}*{2} + sin(0.7*{3}) + 0.2*{4}"}


def levels(place, p):
    """The quantile levels between which the feature is."""
    low = {"tail": 1 - p, "middle": 0.5 - p / 2, "aside": 0.3 * (1 - p), "left": 0.0}[place]
    return low, min(low + p, 1.0)


def finite_ends(one, low, high):
    """The interval of the feature without what lies beyond all samples in an infinite tail."""
    margin = 0.02 * (high - low)
    a = one.quantile(low) if low > 0 or np.isfinite(one.lower) else one.quantile(margin)
    b = one.quantile(high) if high < 1 or np.isfinite(one.upper) else one.quantile(1 - margin)
    return float(a), float(b)


def factor(kind, name, one, low, high):
    """A formula of one parameter that is about 1 between the quantile levels and about 0 elsewhere."""
    a, b = finite_ends(one, low, high)
    center, width, open_left, open_right = (a + b) / 2, b - a, low <= 0, high >= 1
    if kind == "bump":
        return f"exp(-(({name} - {number(center)})/{number(width / 3.46)})^2)"
    if kind == "box":
        sides = ([] if open_left else [f"if({name} > {number(a)}, 1, 0)"]) + ([] if open_right else [f"if({name} < {number(b)}, 1, 0)"])
        return "*".join(sides) or "1"
    if kind == "steep":
        d = number(width / 30)
        sides = ([] if open_left else [f"logistic(({name} - {number(a)})/{d})"]) + ([] if open_right else [f"logistic(({number(b)} - {name})/{d})"])
        return "*".join(sides) or "1"
    if not open_left and not open_right:
        return f"max(1 - abs({name} - {number(center)})/{number(width / 2)}, 0)"
    rise = f"({name} - {number(a)})/{number(width / 2)}" if open_right else f"({number(b)} - {name})/{number(width / 2)}"
    return f"max({rise}, 0)" if kind == "ramp" else f"softplus(30*{rise})/30"


def root_mean_square(formula, name, one, low, high):
    """Of a formula of one parameter, by the midpoint rule on the quantile levels outside and inside of the interval."""
    total = 0.0
    for left, right in itertools.pairwise((0.0, low, high, 1.0)):
        if right - left < 1e-12:
            continue
        u = left + (right - left) * (np.arange(20_000) + 0.5) / 20_000
        total += (right - left) * np.mean(np.broadcast_to(evaluate(formula, {name: one.quantile(u)}), u.shape) ** 2)
    return np.sqrt(total)


def product_feature(kind, laws, p, place):
    """A product of factors: its formula, its root mean square, and its region."""
    each = p ** (1 / len(laws))
    low, high = levels(place, each)
    parts = {name: factor(kind, name, one, low, high) for name, one in laws.items()}
    size = np.prod([root_mean_square(parts[name], name, one, low, high) for name, one in laws.items()])
    ends = {name: (float(one.quantile(low)) if low > 0 else -np.inf, float(one.quantile(high)) if high < 1 else np.inf) for name, one in laws.items()}
    return "*".join(parts.values()), float(size), Box(ends)


def base(laws, d):
    return BASES[d].format(*(standard(name, one) for name, one in laws.items()))


def height_and_tolerance(size, height, ratio):
    """Missing the feature costs `ratio` times the tolerance, which is at most 0.05."""
    height = min(height, 0.05 * ratio / size)
    return height, height * size / ratio


def rare_problem(kind, d, p, law_name, place, height, ratio, shape):
    laws = {f"t{k}": LAWS[law_name] for k in range(d)}
    feature, size, box = product_feature(kind, laws, p, place)
    height, tolerance = height_and_tolerance(size, height, ratio)
    name = f"d{d}-{kind}-p{p:g}-{law_name}-{place}-x{ratio:g}"
    return fit("rare", name, laws, f"{base(laws, d)} + {number(height)}*{feature}", tolerance, shape=shape, rare=p, regions=(box,))


def diagonal_problem(kind, d, p, height, ratio, shape):
    """A feature of the sum of all parameters."""
    laws = {f"t{k}": law.normal() for k in range(d)}
    z, c = f"(({' + '.join(laws)})/{number(np.sqrt(d))})", scipy.stats.norm.isf(p)
    one = law.normal()
    feature = factor(kind, "z", one, 1 - p, 1.0)
    height, tolerance = height_and_tolerance(root_mean_square(feature, "z", one, 1 - p, 1.0), height, ratio)
    target = f"{base(laws, d)} + {number(height)}*{feature.replace('z', z)}"
    return fit("rare", f"d{d}-diagonal-{kind}-p{p:g}-x{ratio:g}", laws, target, tolerance, shape=shape, rare=p, regions=(HalfSpace(c),))


def problems():
    heights, ratios = itertools.cycle((1, 0.3, 4)), itertools.cycle((2, 5, 15, 50, 3, 8, 25))
    shapes, places, names = itertools.cycle(("quadratic", "softened", "weighted", "quartic")), itertools.cycle(PLACES), itertools.cycle(LAWS)
    found = []
    for d in (1, 2, 5):
        for kind, p in itertools.product(KINDS, (0.1, 0.03, 0.01, 0.003, 0.001)):
            next(places) if p == 0.1 else None  # so that kinds and places do not keep step
            found.append(rare_problem(kind, d, p, next(names), next(places), next(heights), next(ratios), next(shapes)))
        for kind, p in (("bump", 3e-4), ("ramp", 3e-4), ("box", 1e-4), ("ramp", 1e-4)):
            found.append(rare_problem(kind, d, p, next(names), "tail" if kind == "ramp" else "aside", 4, next(ratios), next(shapes)))
    for d, p in itertools.product((2, 5), (0.1, 0.03, 0.01, 0.003, 0.001)):
        found.append(diagonal_problem("ramp", d, p, next(heights), next(ratios), next(shapes)))
        found.append(diagonal_problem("steep" if p > 0.005 else "box", d, p, next(heights), next(ratios), next(shapes)))
    return found
