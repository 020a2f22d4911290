"""What low degrees and few points do not show: parities, products, oscillations, kinks, few active pairs of many parameters, one bad component."""
import itertools

from attack import laws as law
from attack.laws import number, standard
from attack.measure import Box
from attack.problem import fit
from attack.rare import height_and_tolerance, product_feature

UNIFORM, NORMAL = law.uniform(), law.normal()


def several(one, d):
    return {f"t{k}": one for k in range(d)}


def product(pattern, names):
    return "*".join(pattern.format(name) for name in names)


def parities():
    """Products of signs or of steep or linear functions without main effects; missing them costs 4 to 20 times the tolerance."""
    found, ratios = [], itertools.cycle((4, 20, 10))
    patterns = {"sign": "sign({0})", "tanh": "tanh(5*{0})", "linear": "{0}"}
    sizes = {("linear", "uniform"): 3 ** -0.5, ("tanh", "uniform"): 0.894, ("tanh", "normal"): 0.917}
    for (kind, pattern), n, (law_name, one) in itertools.product(patterns.items(), (2, 3, 4, 5), (("uniform", UNIFORM), ("normal", NORMAL))):
        ratio = next(ratios)
        target, size = product(pattern, several(one, n)), sizes.get((kind, law_name), 1.0) ** n
        shape = "softened" if n % 2 else "quadratic"
        found.append(fit("parity", f"{kind}-{n}-{law_name}-x{ratio}", several(one, n), target, size / ratio, shape=shape))
    for kind, n, noise in itertools.product(("sign", "tanh", "linear"), (2, 3, 4), ("coin", "crowd")):
        size = sizes.get((kind, "uniform"), 1.0) ** n
        target = f"0.5*t0 + {product(patterns[kind], several(UNIFORM, n))}"
        found.append(fit("parity", f"{kind}-{n}-noise-{noise}", several(UNIFORM, n), target, size / 4, noise=noise, sd=0.5))
    for names in (("t1", "t4", "t8"), ("t0", "t3", "t6", "t9")):
        for kind in ("sign", "linear"):
            target = f"0.3*t2 + {product(patterns[kind], names)}"
            size = sizes.get((kind, "uniform"), 1.0) ** len(names)
            found.append(fit("parity", f"{kind}-{len(names)}-of-10", several(UNIFORM, 10), target, size / 8))
    walsh = "sign(sin(2*pi*t0))*sign(sin(4*pi*t1))"
    found.append(fit("parity", "walsh-2", several(law.uniform(0, 1), 2), walsh, 0.1))
    found.append(fit("parity", "walsh-3-main", several(law.uniform(0, 1), 3), f"t0 + 0.3*{walsh}*sign(sin(2*pi*t2))", 0.03))
    return found


OSCILLATIONS = {  # x*, parameters, size of what is hard in it
    "sine40": ("sin(40*t0)", 1, 0.7), "sine40-small": ("t0 + 0.05*sin(40*t0)", 1, 0.035), "cosine64": ("0.3*cos(64*pi*t0) + t0^2", 1, 0.21),
    "sine100": ("sin(100*t0)", 1, 0.7), "sine200-small": ("exp(t0) + 0.02*sin(200*t0)", 1, 0.014), "chirp": ("sin(30*t0^2)", 1, 0.7),
    "abs": ("abs(t0)", 1, 0.3), "abs-aside": ("abs(t0 - 0.3)", 1, 0.3), "root": ("sqrt(abs(t0))", 1, 0.3), "hinge": ("max(t0, 0.9*t0)", 1, 0.03),
    "stairs": ("floor(5*t0)/5", 1, 0.06), "sawtooth": ("5*t0 - floor(5*t0)", 1, 0.29), "jump-middle": ("sin(t0) + 0.1*sign(t0)", 1, 0.1),
    "spike": ("1/(1 + 1000*t0^2)", 1, 0.2), "sine-of-sum": ("sin(15*(t0 + t1))", 2, 0.7), "abs-difference": ("abs(t0 - t1)", 2, 0.3),
    "abs-product": ("abs(t0*t1)", 2, 0.2), "max-2": ("max(t0, t1)", 2, 0.2), "circle": ("sign(t0^2 + t1^2 - 0.6)", 2, 0.9),
    "max-5": ("max(t0, t1, t2, t3, t4)", 5, 0.2), "abs-sum-5": ("abs(t0 + t1 + t2 + t3 + t4)", 5, 0.4),
    "sine-of-sum-5": ("sin(4*(t0 + t1 + t2 + t3 + t4))", 5, 0.7),
}


def oscillations():
    """High frequencies and kinks in the middle; missing them costs 5 to 50 times the tolerance."""
    found, ratios, shapes = [], itertools.cycle((10, 50, 5)), itertools.cycle(("quadratic", "weighted", "softened"))
    for name, (target, d, size) in OSCILLATIONS.items():
        found.append(fit("oscillation", name, several(UNIFORM, d), target, size / next(ratios), shape=next(shapes)))
    for name in ("sine40", "abs", "stairs", "sine-of-sum"):
        target, d, size = OSCILLATIONS[name]
        found.append(fit("oscillation", f"{name}-normal", several(NORMAL, d), target, size / 10))
        found.append(fit("oscillation", f"{name}-noise", several(UNIFORM, d), target, size / 5, noise="crowd", sd=0.3))
    for name, target in (("not-periodic", "t0"), ("narrow", "exp(-200*(t0 - 0.6)^2)")):
        found.append(fit("oscillation", f"fourier-{name}", [law.with_basis(UNIFORM, "fourier")], target, 0.01))
    return found


def sparse():
    """Many parameters, of which few pairs or triples matter, and only together."""
    found = []
    for d, pairs, (law_name, one) in itertools.product((20, 50), (2, 5), (("uniform", UNIFORM), ("normal", NORMAL))):
        chosen = [(2 * k, d - 1 - 2 * k) for k in range(pairs)]
        target = " + ".join(f"t{i}*t{j}" for i, j in chosen)
        found.append(fit("sparse", f"d{d}-pairs-{pairs}-{law_name}", several(one, d), target, 0.05))
    for d in (20, 50):
        found.append(fit("sparse", f"d{d}-triple", several(UNIFORM, d), "0.2*t1 + 2*t3*t7*t12", 0.04))
        found.append(fit("sparse", f"d{d}-sign-pair", several(UNIFORM, d), "0.5*t1 + sign(t5)*sign(t11)", 0.1))
        found.append(fit("sparse", f"d{d}-pair-noise", several(UNIFORM, d), "t2 + t5*t11", 0.08, noise="coin"))
        for p in (0.03, 0.003):
            laws = several(UNIFORM, d)
            feature, size, box = product_feature("ramp", {name: laws[name] for name in ("t4", "t9")}, p, "tail")
            height, tolerance = height_and_tolerance(size, 3, 8)
            found.append(fit("sparse", f"d{d}-corner-p{p}", laws, f"t0 + 0.5*t1*t2 + {number(height)}*{feature}", tolerance, rare=p, regions=(box,)))
    return found


def components():
    """Several variables, one of them bad: small beside the others, or large."""
    found = []
    laws = several(UNIFORM, 2)
    ramp, size, box = product_feature("ramp", laws, 0.01, "tail")
    bads = {"kink": ("abs(t0)", 0.3, None), "parity": ("sign(t0)*sign(t1)", 1.0, None), "sine": ("sin(30*t0)", 0.7, None), "ramp": (ramp, size, 0.01)}
    for q, (kind, (bad, bad_size, rare)), scale in itertools.product((3, 10), bads.items(), (0.01, 10.0)):
        smooth = [f"sin({0.3 + 0.1 * i:.1f}*t0 + {i}) + 0.2*t1" for i in range(q - 1)]
        place = q // 2
        targets = smooth[:place] + [f"{number(scale)}*{bad}"] + smooth[place:]
        found.append(fit("components", f"q{q}-{kind}-{'small' if scale < 1 else 'large'}", laws, targets, scale * bad_size / 10, rare=rare,
                         regions=(box,) if rare else ()))
    return found


def units():
    """The same problems in units of 1e9 and 1e-9 of x, of F and of theta; the tolerance is relative."""
    found = []
    for (tag, unit), rare in itertools.product((("e9", 1e9), ("e-9", 1e-9)), (None, 0.01)):
        for what in ("x", "x-unscaled", "F", "theta", "theta-normal"):
            one = {"theta": law.uniform(-unit, unit), "theta-normal": law.normal(3 * unit, unit)}.get(what, UNIFORM)
            laws = several(one, 2)
            feature, size, box = product_feature("ramp", {"t1": one}, 0.01, "tail")
            z = [standard(name, one) for name in laws]
            target = f"1 + sin({z[0]}) + 0.3*{z[0]}*{z[1]}" + (f" + {number(0.3 / size)}*{feature}" if rare else "")
            target = f"{number(unit)}*({target})" if what.startswith("x") else target
            found.append(fit("units", f"{what}-{tag}{'-ramp' if rare else ''}", laws, target, 1e-2, relative=True, rare=rare,
                             scale=unit if what == "x" else 1, factor=unit if what == "F" else 1, regions=(box,) if rare else ()))
    for small, large in ((1.0, 1e9), (1e-9, 1.0), (1e-9, 1e9)):
        targets = [f"{number(large)}*exp(t0)", f"{number(small)}*sin(9*t0)"]
        found.append(fit("units", f"mixed-{small:g}-{large:g}", [UNIFORM], targets, 1e-3, relative=True))
    found.append(fit("units", "offset-e9", [law.normal(1e9, 1.0)], "sin(t0 - 1000000000)", 1e-2))
    return found


def discrete():
    """Many values, x* at one of them differs; alternating ones; columns of data with an outlier."""
    found = []
    for n, kind in itertools.product((50, 100, 200, 500), ("single", "end", "alternating")):
        at = {"single": n // 3, "end": n - 1}.get(kind, 0)
        odd = "cos(pi*t0)" if kind == "alternating" else f"if(abs(t0 - {at}) < 0.5, 1, 0)"
        size = 1.0 if kind == "alternating" else n ** -0.5
        height, tolerance = height_and_tolerance(size, 3, 5)
        region = (Box({"t0": (at - 0.5, at + 0.5)}),)
        found.append(fit("discrete", f"{kind}-{n}", [law.discrete(range(n))], f"sin(t0/{n / 3:.6g}) + {number(height)}*{odd}", tolerance,
                         rare=None if kind == "alternating" else 1 / n, regions=region))
    for weight, at in itertools.product((0.03, 0.01, 0.003, 0.001), (7, 49)):
        weights = [(1 - weight) / 49] * 50
        weights[at] = weight
        height, tolerance = height_and_tolerance(weight ** 0.5, 4, 6)
        target, region = f"t0/25 + {number(height)}*if(abs(t0 - {at}) < 0.5, 1, 0)", Box({"t0": (at - 0.5, at + 0.5)})
        found.append(fit("discrete", f"light-value-{weight}-at-{at}", [law.discrete(range(50), weights)], target, tolerance, rare=weight,
                         regions=(region,)))
    for n, kind in itertools.product((60, 300, 1000), ("outlier", "value")):
        found.append(data_problem(n, kind))
    for n in (50, 200):
        at, laws = n // 2, {"t0": law.discrete(range(n)), "t1": UNIFORM}
        height, tolerance = height_and_tolerance((1 / n / 3) ** 0.5, 3, 5)
        found.append(fit("discrete", f"with-uniform-{n}", laws, f"t0/{n} + t1^2 + {number(height)}*t1*if(abs(t0 - {at}) < 0.5, 1, 0)", tolerance,
                         rare=1 / n, regions=(Box({"t0": (at - 0.5, at + 0.5)}),)))
    return found


def data_problem(n, kind):
    """A column of n rows: one of them far out (outlier), or x* differs at one of them (value)."""
    rows = [((k * 0.6180339887498949) % 1) * 2 - 1 for k in range(1, n + 1)]
    if kind == "outlier":
        rows[n // 2] = 12.0
    at = rows[n // 2]
    near = min(abs(row - at) for k, row in enumerate(rows) if k != n // 2) / 2
    odd = "tanh(t0 - 3)/2 + 0.5" if kind == "outlier" else f"if(abs(t0 - {number(at)}) < {number(near)}, 1, 0)"
    height, tolerance = height_and_tolerance(n ** -0.5, 3, 5)
    text = "a\n" + "\n".join(f"{row:.17g}" for row in rows) + "\n"
    return fit("discrete", f"data-{kind}-{n}", [law.data("rows.csv", "a", rows)], f"sin(t0) + {number(height)}*({odd})", tolerance, rare=1 / n,
               regions=(Box({"t0": (at - near, at + near)}),), files={"rows.csv": text})


def problems():
    return parities() + oscillations() + sparse() + components() + units() + discrete()
