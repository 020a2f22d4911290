"""Noise: large with small probability, of infinite variance, depending on theta, and rare features under noise."""
import itertools

import numpy as np

from attack import laws as law
from attack.laws import number
from attack.measure import Box
from attack.problem import Problem, fit, problem_text, truth_of
from attack.rare import product_feature

UNIFORM, NORMAL = law.uniform(), law.normal()
EXPECTILE = 0.5491558211  # the 0.8-expectile of the standard normal distribution
EVENT = 'r = { distribution = "uniform", lower = 0, upper = 1 }'
SMOOTH = "sin(t0) + 0.3*t0*t1"


def pull_problem(name, noise, force, target, tolerance, laws=None, *, smooth=SMOOTH, **more):
    """(x − s)²/2 − force x, where the mean of the force is target − s."""
    laws = laws or {"t0": UNIFORM, "t1": UNIFORM}
    text = problem_text(laws, f"(x - s)^2/2 - ({force})*x", definitions={"s": smooth}, noise=noise, method=more.pop("method", None))
    return Problem("noise", name, text, laws, truth_of(laws, [target]), tolerance, **more)


def rare_events():
    """The gradient is h/p with probability p: without the event the answer is off by h times its profile, 3 or 8 times the tolerance."""
    found, ratios = [], itertools.cycle((3, 8, 3))
    profiles = {"constant": ("1", 1.0), "linear": ("t0", 0.58), "product": ("t0*t1", 0.33), "half": ("if(t0 > 0, 1, 0)", 0.71)}
    for (kind, (profile, size)), p in itertools.product(profiles.items(), (1e-2, 3e-3, 1e-3)):
        h, ratio = 0.5, next(ratios)
        found.append(pull_problem(f"event-{kind}-p{p:g}-x{ratio}", EVENT, f"if(r < {number(p)}, {number(h / p)}, 0)*{profile}",
                                  f"{SMOOTH} + {number(h)}*{profile}", h * size / ratio))
    for p in (1e-2, 1e-3):
        discrete = f'r = {{ distribution = "discrete", values = [0, {1 / p:g}], weights = [{1 - p:g}, {p:g}] }}'
        found.append(pull_problem(f"event-discrete-p{p:g}", discrete, "0.5*r*t0", f"{SMOOTH} + 0.5*t0", 0.05))
        found.append(pull_problem(f"event-likelier-p{p:g}", EVENT, f"if(r < {number(p)}*exp(t0), {number(0.3 / p)}, 0)",
                                  f"{SMOOTH} + 0.3*exp(t0)", 0.05))
        found.append(pull_problem(f"event-sieve-p{p:g}", EVENT, f"if(r < {number(p)}, {number(0.5 / p)}, 0)", f"{SMOOTH} + 0.5", 0.1, method="sieve"))
    return found


def heavy_noise():
    found = []
    for sigma in (1.0, 2.0, 3.0):
        heavy = f'r = {{ distribution = "lognormal", mu = 0, sigma = {sigma} }}'
        mean = np.exp(sigma ** 2 / 2)
        found.append(pull_problem(f"lognormal-{sigma:g}", heavy, f"abs(r)*(2 + t0)/{number(mean)}", f"{SMOOTH} + 2 + t0", 0.1))
    for power in (0.3, 0.45, 0.6, 0.8):  # of infinite variance from 0.5 on
        found.append(pull_problem(f"power-{power}", EVENT, f"r^({-power})*(2 + t0)", f"{SMOOTH} + (2 + t0)/{1 - power:.6g}", 0.1))
    return found


def heteroscedastic():
    """abs(v) sign(v) is v, in a form that is no polynomial of it."""
    found = []
    for name, sd, one in (("exp", "exp(1.5*t0)", NORMAL), ("tail", "if(t0 > 0.98, 30, 0.3)", UNIFORM), ("edge", "1/(1.02 + t0)", UNIFORM),
                          ("product", "3*abs(t0*t1)", NORMAL)):
        laws = {"t0": one, "t1": one}
        noise = f'v = {{ distribution = "normal", mean = 0, sd = "0.01 + {sd}" }}'
        found.append(pull_problem(f"spread-{name}", noise, "abs(v)*sign(v)", SMOOTH, 0.05, laws, smooth=SMOOTH))
        found.append(pull_problem(f"spread-{name}-linear", noise, "v", SMOOTH, 0.05, laws, smooth=SMOOTH))
    noise = 'v = { distribution = "normal", mean = 0, sd = 1 }'
    laws = {f"t{k}": NORMAL for k in range(4)}
    smooth = "0.5*t0*t1*t2"
    found.append(pull_problem("times-product", noise, "abs(v)*sign(v)*t0*t1*t2*t3", smooth, 0.08, laws, smooth=smooth))
    laws = {"t0": UNIFORM}
    sd, rare = f"0.2 + max(t0 - 0.9, 0)*{number(60)}", 0.05
    text = problem_text(laws, "if(v < x, 0.2, 0.8)*(v - x)^2", noise=f'v = {{ distribution = "normal", mean = "sin(t0)", sd = "{sd}" }}')
    found.append(Problem("noise", "expectile-ramp", text, laws, truth_of(laws, [f"sin(t0) + {EXPECTILE}*({sd})"]), 0.05, rare=rare,
                         regions=(Box({"t0": (0.9, 1.0)}),)))
    return found


def features_under_noise():
    found = []
    for kind, p, noise in itertools.product(("bump", "ramp", "box"), (0.1, 0.03, 0.01), ("coin", "crowd")):
        laws = {"t0": UNIFORM, "t1": UNIFORM}
        feature, size, box = product_feature(kind, {"t0": UNIFORM}, p, "tail" if kind == "ramp" else "aside")
        height = 0.3 / size  # its norm is 0.3, six times the tolerance
        found.append(fit("noise", f"{kind}-p{p:g}-{noise}", laws, f"{SMOOTH} + {number(height)}*{feature}", 0.05, noise=noise, sd=0.4, rare=p,
                         regions=(box,)))
    return found


def problems():
    return rare_events() + heavy_noise() + heteroscedastic() + features_under_noise()
