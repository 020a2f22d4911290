"""How often the bound that comes with a given strong convexity is below the true error."""
import itertools

import scipy.stats

from attack import laws as law
from attack.problem import fit
from attack.rare import product_feature

UNIFORM, NORMAL = law.uniform(), law.normal()
TOLERANCES = (1e-1, 3e-2, 1e-2)
CONFIDENCES = (0.5, 0.8, 0.95, 0.99, 0.999)


def bounded(name, laws, target, shape="quadratic", **more):
    least = {"quadratic": 1.0, "softened": 0.4, "weighted": 0.5}[shape]
    return fit("bound", name, laws, target, 1.0, relative=True, shape=shape, strong_convexity=least, **more)


def ramp(d, p, kind="ramp", **more):
    """A feature whose norm is a half of that of the smooth function below it."""
    laws = {f"t{k}": UNIFORM for k in range(d)}
    feature, size, box = product_feature(kind, laws, p, "tail" if kind == "ramp" else "aside")
    return bounded(f"{kind}-d{d}-p{p:g}{'-noise' if more else ''}", laws, f"sin(t0) + {0.25 / size:.6g}*{feature}", rare=p, regions=(box,), **more)


def problems():
    return [
        bounded("exp-normal-0.5", [NORMAL], "exp(0.5*t0)"), bounded("exp-normal-1", [NORMAL], "exp(t0)"),
        bounded("exp-normal-2", [NORMAL], "exp(2*t0)"),
        bounded("exp-exponential-0.3", [law.exponential()], "exp(0.3*t0)"), bounded("exp-exponential-0.45", [law.exponential()], "exp(0.45*t0)"),
        bounded("lognormal-line", [law.lognormal(0, 1)], "1 + t0"), bounded("lognormal-decay", [law.lognormal(0, 1)], "exp(-t0)"),
        bounded("lognormal-square", [law.lognormal(0, 0.7)], "t0^2"),
        bounded("exp-normals-2", [NORMAL] * 2, "exp(0.7*(t0 + t1))"), bounded("exp-normals-5", [NORMAL] * 5, "exp(0.4*(t0 + t1 + t2 + t3 + t4))"),
        bounded("abs-uniform", [UNIFORM], "abs(t0)"), bounded("abs-normal", [NORMAL], "abs(t0)", "softened"),
        ramp(1, 0.1), ramp(1, 0.01), ramp(1, 0.001), ramp(2, 0.03), ramp(5, 0.03), ramp(1, 0.01, "bump"), ramp(2, 0.01, "box"),
        bounded("kink-2", [UNIFORM] * 2, "abs(t0 - t1)", "weighted"), bounded("kink-5", [UNIFORM] * 5, "max(t0 + t1, t2) + 0.3*t3*t4"),
        bounded("abs-noise", [UNIFORM], "abs(t0)", noise="crowd", sd=0.3), bounded("exp-noise", [NORMAL], "exp(0.5*t0)", noise="coin", sd=0.5),
        ramp(1, 0.03, noise="coin", sd=0.3), bounded("kink-2-noise", [UNIFORM] * 2, "abs(t0 - t1)", noise="linear", sd=0.3),
    ]


def settings():
    return list(itertools.product(TOLERANCES, CONFIDENCES))


def limit(runs, confidence):
    """As many violations are believable for a bound that holds with this confidence: more come with probability 1/1000."""
    return int(scipy.stats.binom.ppf(0.999, runs, 1 - confidence)) if runs else 0


def rows(results):
    """The table: per problem and in all, for each confidence violations/bounds, and how many runs gave no bound. Results are
    (name, confidence, bound or None, violated)."""
    names = list(dict.fromkeys(name for name, *_ in results))
    table = [["problem", *(f"{c:g}" for c in CONFIDENCES), "without bound"]]
    for name in [*names, "all"]:
        mine = [result for result in results if name in ("all", result[0])]
        cells = []
        for confidence in CONFIDENCES:
            given = [violated for _, c, bound, violated in mine if c == confidence and bound is not None]
            most = limit(len(given), confidence)
            cells.append(f"{sum(given)}/{len(given)} (≤ {most})" + (" !" if sum(given) > most else ""))
        table.append([name, *cells, f"{sum(bound is None for _, _, bound, _ in mine)}/{len(mine)}"])
    return table
