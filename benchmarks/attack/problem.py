"""A problem: its file, its truth, and what an honest answer is."""
import dataclasses
import functools
import re

import numpy as np
import scipy.special

from attack.laws import number, toml

FUNCTIONS = {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sign", "floor", "tanh", "sinh", "cosh", "where")}
FUNCTIONS |= {"atan": np.arctan, "erf": scipy.special.erf, "normcdf": scipy.special.ndtr, "logistic": scipy.special.expit, "pi": np.pi,
              "softplus": lambda a: np.logaddexp(0, a), "max": lambda *a: functools.reduce(np.maximum, a),
              "min": lambda *a: functools.reduce(np.minimum, a)}
SHAPES = {"quadratic": "({r})^2/2", "softened": "(sqrt(1 + ({r})^2) + ({r})^2/5)", "quartic": "(({r})^2/2 + ({r})^4/4)",
          "weighted": "(1.5 + tanh(t0))*({r})^2/2"}
# Noise whose mean over v is 0 at every x: what the program may integrate out (linear) and what it has to sample (crowd).
NOISES = {
    "linear": ('v = {{ distribution = "normal", mean = 0, sd = {sd} }}', "v*({r})"),
    "saturated": ('v = {{ distribution = "normal", mean = 0, sd = {sd} }}', "v*tanh({r})"),
    "sine": ('v = {{ distribution = "normal", mean = 0, sd = 1 }}', "1.4*{sd}*sin(3*v)*({r})"),
    "coin": ('v = {{ distribution = "normal", mean = 0, sd = 1 }}', "{sd}*sign(v)*({r})"),
    "crowd": ("\n".join(f'v{k} = {{{{ distribution = "uniform", lower = 0, upper = 1 }}}}' for k in range(4)),
              "{sd}*sign(v0 + v1 + v2 + v3 - 2)*({r})"),
}


@dataclasses.dataclass
class Problem:
    family: str
    name: str
    text: str
    laws: dict  # name of the parameter → its law
    truth: object  # theta (n×d) → x* (n×q); None where there is no unique minimum for some theta
    tolerance: float
    relative: bool = False
    rare: float | None = None  # probability of the region that is hard to see
    regions: tuple = ()  # where fresh samples are drawn in addition
    easy: bool = False  # an honest program converges
    files: dict = dataclasses.field(default_factory=dict)
    size: int = 1  # of x

    @property
    def title(self):
        return f"{self.family}/{self.name}"

    @property
    def honest(self):
        """What an honest answer is, in words."""
        if self.easy:
            return "converged and right"
        if self.truth is None:
            return "never converged: there is no unique minimum for some theta (not_strongly_convex, several_minima, diverged, stalled, …)"
        return "converged and right, or not converged"


@functools.cache
def compiled(formula):
    return compile(re.sub(r"\bif\(", "where(", formula.replace("^", "**")), formula, "eval")


def evaluate(formula, names):
    """A formula of the problem file, with arrays for its names."""
    return eval(compiled(formula), {"__builtins__": {}, **FUNCTIONS, **names})  # of texts in this folder only


def columns(laws, theta):
    return {name: theta[:, k] for k, name in enumerate(laws)}


def truth_of(laws, targets):
    """theta (n×d) → the values of the formulas (n×q)."""
    def truth(theta):
        names = columns(laws, theta)
        with np.errstate(all="ignore"):
            return np.stack([np.broadcast_to(evaluate(target, names), len(theta)).astype(float) for target in targets], axis=1)
    return truth


def problem_text(laws, minimize, *, definitions=None, noise="", size=0, start=None, strong_convexity=None, method=None):
    lines = ["[parameters]", *(f"{name} = {{ {law.text} }}" for name, law in laws.items())]
    lines += ["[noise]", noise] if noise else []
    lines += ["[definitions]", *(f'{name} = "{formula}"' for name, formula in definitions.items())] if definitions else []
    options = ([f"size = {size}"] if size else []) + ([f"start = {toml(start)}"] if start is not None else [])
    lines += ["[variables]", f"x = {{ {', '.join(options)} }}", "[objective]", f'minimize = "{minimize}"']
    lines += [f"strong_convexity = {toml(strong_convexity)}"] if strong_convexity else []
    lines += ["[solve]", f'method = "{method}"'] if method else []
    return "\n".join(lines) + "\n"


def residuals(q, scale):
    """Texts that are all 0 at x = s: those of several variables are coupled."""
    if q == 1:
        return [f"(x - s0)/{number(scale)}" if scale != 1 else "x - s0"]
    return ["x[0] - s0"] + [f"x[{i}] - s{i} - 0.4*(x[{i - 1}] - s{i - 1})" for i in range(1, q)]


def fit(family, name, laws, targets, tolerance, *, shape="quadratic", noise=None, sd=0.5, factor=1, scale=1, start=None, method=None,
        strong_convexity=None, **more):
    """The problem whose optimum is given by formulas: a convex function of x − s(theta) of the shape, with its minimum at 0."""
    laws = laws if isinstance(laws, dict) else {f"t{k}": law for k, law in enumerate(laws)}
    targets = [targets] if isinstance(targets, str) else targets
    gaps = residuals(len(targets), scale)
    minimize = " + ".join(SHAPES[shape].format(r=gap) for gap in gaps)
    minimize = f"{number(factor)}*({minimize})" if factor != 1 else minimize
    declaration = ""
    if noise:
        declaration, term = (part.format(r=gaps[-1], sd=number(sd)) for part in NOISES[noise])
        minimize += f" + {term}"
    text = problem_text(laws, minimize, definitions={f"s{i}": target for i, target in enumerate(targets)}, noise=declaration,
                        size=len(targets) if len(targets) > 1 else 0, start=start, strong_convexity=strong_convexity, method=method)
    return Problem(family, name, text, laws, truth_of(laws, targets), tolerance, size=len(targets), **more)
