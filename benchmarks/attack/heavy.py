"""Heavy tails: optima that grow so fast in the tails of theta that few samples carry the norm. Tolerances are relative."""
import itertools

from attack import laws as law
from attack.problem import fit

NORMAL, EXPONENTIAL = law.normal(), law.exponential()
FUNCTIONS = {"inverse": "1/t0", "root": "sqrt(t0)", "log": "log(t0)", "square": "t0^2"}

CASES = {
    **{f"exp-normal-{s:g}": (NORMAL, f"exp({s}*t0)", 1e-2) for s in (0.5, 1.0, 1.5, 2.0, 3.0)},
    **{f"exp-exponential-{a:g}": (EXPONENTIAL, f"exp({a}*t0)", 1e-2) for a in (0.2, 0.3, 0.4, 0.45, 0.48)},
    **{f"cosh-normal-{s:g}": (NORMAL, f"cosh({s}*t0)", 1e-2) for s in (1.0, 2.0)},
    **{f"power-{n}-normal": (NORMAL, f"t0^{n}", 1e-3) for n in (3, 5, 9)},
    **{f"power-{n}-exponential": (EXPONENTIAL, f"t0^{n}", 1e-3) for n in (3, 6)},
    "abs-cube": (NORMAL, "abs(t0)^3", 1e-2), "exp-square": (NORMAL, "exp(0.2*t0^2)", 1e-2),
    # The moments of a lognormal law do not determine it: polynomials do not approximate these.
    **{f"lognormal-{s:g}-{name}": (law.lognormal(0, s), target, 1e-2)
       for s, (name, target) in itertools.product((0.5, 1.0, 1.5), FUNCTIONS.items())},
    "lognormal-1-saturated": (law.lognormal(0, 1), "t0/(1 + t0)", 1e-2), "lognormal-1-sine": (law.lognormal(0, 1), "1 + sin(6*log(t0))/3", 1e-2),
    "lognormal-1-log-basis-square": (law.with_basis(law.lognormal(0, 1), "log"), "t0^2", 1e-2),
    "inverse-uniform-1e-2": (law.uniform(0.01, 1), "1/t0", 1e-2), "inverse-uniform-1e-4": (law.uniform(1e-4, 1), "1/t0", 1e-1),
    "inverse-gamma-3": (law.gamma(3), "1/t0", 1e-2), "inverse-gamma-2.2": (law.gamma(2.2), "1/t0", 3e-2),
    "inverse-beta": (law.beta(2.5, 2), "1/t0", 1e-2),
    **{f"weibull-0.7-{name}": (law.weibull(0.7), target, 1e-2)
       for name, target in (("square", "t0^2"), ("log", "log(t0)"), ("decay", "exp(-t0)"), ("root", "sqrt(t0)"), ("cube", "t0^3"))},
    "weibull-0.4-inverse": (law.weibull(0.4), "1/(1 + t0)", 1e-2),
    **{f"loguniform-{n}-{name}": (law.loguniform(1.0, 10.0 ** n), target, 1e-2)
       for n, (name, target) in itertools.product((4, 6), FUNCTIONS.items())},
    **{f"loguniform-{n}-saturated": (law.loguniform(1.0, 10.0 ** n), "t0/(100 + t0)", 1e-2) for n in (4, 6)},
    "two-exp-normals": ([NORMAL, NORMAL], "exp(t0 + t1)", 1e-2), "three-exp-normals": ([NORMAL] * 3, "exp(0.8*(t0 + t1 + t2))", 1e-2),
    "exp-of-product": ([NORMAL, NORMAL], "exp(0.4*t0*t1)", 1e-2), "five-exp-exponentials": ([EXPONENTIAL] * 5, "exp(0.3*(t0 + t1))", 1e-2),
}
# E x*² is infinite: no expansion is near in the norm that is claimed, so that converged is wrong.
INFINITE = {"infinite-exp-exponential": (EXPONENTIAL, "exp(0.55*t0)"), "infinite-exp-square": (NORMAL, "exp(0.3*t0^2)"),
            "infinite-inverse-uniform": (law.uniform(0, 1), "1/t0^0.6")}


def problems():
    shapes = itertools.cycle(("quadratic", "softened"))
    found = [fit("heavy", name, one if isinstance(one, list) else [one], target, tolerance, relative=True, shape=next(shapes))
             for name, (one, target, tolerance) in CASES.items()]
    for name, (one, target) in INFINITE.items():
        problem = fit("heavy", name, [one], target, 1e-2, relative=True)
        problem.truth = None
        found.append(problem)
    return found
