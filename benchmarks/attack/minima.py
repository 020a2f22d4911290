"""Objectives that are not strongly convex: indefinite for some theta, two wells, flat or nonconvex ones with a unique minimum."""
import itertools

import numpy as np

from attack import laws as law
from attack.laws import number, standard
from attack.measure import Box
from attack.problem import Problem, columns, evaluate, problem_text, truth_of
from attack.rare import product_feature

UNIFORM, NORMAL = law.uniform(), law.normal()

# k(theta) is 1 where the objective is convex and -1 in the rare region; x* has no unique value there.
INDEFINITE = {
    "unbounded": "k*x^2/2 - x*(1 + 0.2*sin({z}))",
    "two-equal": "x^4/4 + k*x^2/2",
    "two-equal-far": "(x - 3)^4/4 + k*(x - 3)^2/2",
    "ripple": "(x - sin({z}))^2/2 + (1 - k)/4*cos(4*(x - sin({z})))",
    "saddle": "(x[0] - sin({z}))^2/2 + k*x[1]^2/2 + 0.1*x[0]*x[1]",
}


def indefinite_problem(kind, p, d, feature_kind, place):
    laws = {f"t{k}": UNIFORM if feature_kind == "box" else NORMAL for k in range(d)}
    feature, _, box = product_feature(feature_kind, laws, p, place)
    k = f"1 - 2*{feature}" if feature_kind == "box" else f"1 - 3*{feature}"
    minimize = INDEFINITE[kind].format(z=standard("t0", laws["t0"]))
    text = problem_text(laws, minimize, definitions={"k": k}, size=2 if kind == "saddle" else 0)
    return Problem("indefinite", f"{kind}-p{p:g}-d{d}-{feature_kind}", text, laws, None, 1e-2, rare=p, regions=(box,))


def pole_problem(p):
    """The curvature goes through zero: unbounded below beyond it."""
    laws = {"t0": UNIFORM}
    c = float(UNIFORM.quantile(p))
    text = problem_text(laws, f"(t0 - {number(c)})*x^2/2 - x")
    return Problem("indefinite", f"pole-p{p:g}", text, laws, None, 1e-2, True, rare=p, regions=(Box({"t0": (-1.0, c)}),))


def indefinite():
    found = [indefinite_problem(kind, p, 1, "box", place)
             for kind, (p, place) in itertools.product(INDEFINITE, ((0.1, "tail"), (0.01, "aside"), (0.001, "tail"), (1e-4, "aside")))]
    found += [indefinite_problem(kind, p, 5, "box", "tail") for kind, p in itertools.product(("unbounded", "two-equal"), (0.1, 0.01, 0.001))]
    found += [indefinite_problem(kind, p, d, "bump", "aside") for kind, p, d in itertools.product(("unbounded", "ripple"), (0.1, 0.01), (1, 2))]
    return found + [pole_problem(p) for p in (0.1, 0.01, 0.001)]


def well_bottom(curvature, tilt):
    """The global minimum of x^4/4 + curvature x²/2 + tilt x: by Newton's method from outside, on the side that the tilt favours."""
    side = -np.where(tilt < 0, -1.0, 1.0)
    x = side * (2 + np.abs(tilt) + np.abs(curvature))
    for _ in range(100):
        x = x - (x ** 3 + curvature * x + tilt) / np.maximum(3 * x ** 2 + curvature, 1e-12)
    return x


def well_problem(name, laws, tilt, *, curvature="-1", tolerance=0.05, start=None, noise="", extra="", **more):
    laws = laws if isinstance(laws, dict) else {f"t{k}": one for k, one in enumerate(laws)}
    text = problem_text(laws, f"x^4/4 + k*x^2/2 + tilt*x{extra}", definitions={"k": curvature, "tilt": tilt}, start=start, noise=noise)

    def truth(theta):
        names = columns(laws, theta)
        k, t = (np.broadcast_to(evaluate(formula, names), len(theta)).astype(float) for formula in (curvature, tilt))
        return well_bottom(k, t)[:, None]
    return Problem("wells", name, text, laws, truth, tolerance, **more)


def ripple_truth(slope, height, frequency):
    """The global minimum of (x − slope t)²/2 + height cos(frequency x), by a fine grid and Newton's method."""
    def truth(theta):
        t = slope * theta[:, 0]
        grid = np.linspace(-slope - 4, slope + 4, 2001)
        best = np.empty(len(t))
        for part in np.array_split(np.arange(len(t)), max(len(t) // 2000, 1)):
            values = (grid - t[part, None]) ** 2 / 2 + height * np.cos(frequency * grid)
            best[part] = grid[np.argmin(values, axis=1)]
        for _ in range(20):
            best = best - (best - t - height * frequency * np.sin(frequency * best)) / (1 - height * frequency ** 2 * np.cos(frequency * best))
        return best[:, None]
    return truth


def wells():
    """Two wells: x* is the deeper one. A local method may end in the other."""
    found = [well_problem(f"jump-{name}", [one], f"0.25*{standard('t0', one)}", start=1.0) for name, one in
             (("uniform", UNIFORM), ("normal", NORMAL), ("beta", law.beta(2, 5)))]
    for p in (0.1, 0.03, 0.01, 0.003, 0.001):
        c = float(UNIFORM.quantile(p))
        height = 2 * p ** 0.5
        found.append(well_problem(f"rare-other-well-p{p:g}", [UNIFORM], f"0.2*(t0 - {number(c)})", tolerance=min(height / 4, 0.05), rare=p,
                                  start=-1.0, regions=(Box({"t0": (-1.0, c)}),)))
    for p in (0.1, 0.01, 0.001):
        feature, _, box = product_feature("box", {"t0": UNIFORM}, p, "aside")
        found.append(well_problem(f"wells-only-p{p:g}", [UNIFORM], "0.15 + 0.1*t0", curvature=f"1 - 2*{feature}", tolerance=min(p ** 0.5 / 4, 0.05),
                                  rare=p, regions=(box,)))
    for start in (-1.0, 0.0, 1.0):
        found.append(well_problem(f"always-left-start-{start:g}", [law.uniform(0.05, 0.3)], "t0", tolerance=0.02, start=start))
        two = [law.uniform(0.05, 0.3), UNIFORM]
        found.append(well_problem(f"always-left-2d-start-{start:g}", two, "t0*(1 + 0.3*t1)", tolerance=0.02, start=start))
    found.append(well_problem("product-tilt", [UNIFORM, UNIFORM], "0.3*t0*t1", start=1.0))
    found.append(well_problem("sum-tilt-5", [UNIFORM] * 5, "0.1*(t0 + t1 + t2 + t3 + t4)", start=-1.0))
    found.append(well_problem("jump-start-0", [UNIFORM], "0.25*t0"))
    coin = 'v = { distribution = "normal", mean = 0, sd = 1 }'
    found.append(well_problem("jump-noise", [UNIFORM], "0.25*t0", start=-1.0, noise=coin, extra=" + 0.3*sign(v)*x", tolerance=0.1))
    found.append(well_problem("left-noise-start-1", [law.uniform(0.05, 0.3)], "t0", noise=coin, extra=" + 0.3*sign(v)*x", start=1.0, tolerance=0.1))
    for name, slope, height, frequency in (("ripples", 3.0, 0.5, 3.0), ("fine-ripples", 1.0, 0.02, 20.0)):  # started in a well
        text = problem_text({"t0": UNIFORM}, f"(x - {slope}*t0)^2/2 + {height}*cos({frequency}*x)", start=3.14 / frequency)
        found.append(Problem("wells", name, text, {"t0": UNIFORM}, ripple_truth(slope, height, frequency), 0.02))
    for start in (0.0, 0.9):
        text = problem_text({"t0": UNIFORM}, "(x^2 - 1)^2/4*(2 + t0)", start=start)
        found.append(Problem("wells", f"symmetric-start-{start:g}", text, {"t0": UNIFORM}, None, 1e-2))
    return found


def unique():
    """Nonconvex or flat objectives with a unique minimum: to converge is right, to refuse is honest."""
    found = []
    shapes = {"cauchy": "log(1 + (x - s)^2)", "welsch": "(x - s)^2/(1 + (x - s)^2)", "flat": "(x - s)^4/4",
              "wavy": "(x - s)^2/2 - 0.2*cos(3*(x - s))"}
    for (kind, minimize), (name, target) in itertools.product(shapes.items(), (("mild", "sin(t0)"), ("wide", "4*t0 + abs(t0)"))):
        laws = {"t0": UNIFORM}
        text = problem_text(laws, minimize, definitions={"s": target})
        found.append(Problem("unique", f"{kind}-{name}", text, laws, truth_of(laws, [target]), 1e-2))
    return found


def problems():
    return indefinite() + wells() + unique()
