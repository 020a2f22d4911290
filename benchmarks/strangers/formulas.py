"""Evaluates the objective of a problem file in Python, to compare the file with its truth: slow and simple, one theta at a time.

A formula becomes a Python expression of `Value`s: `^` is `**`, `if(` is `where(`, a vector is a list. Names that a file does not define
are errors of Python. Knows only the functions that these files use.
"""
import re

import numpy as np
from scipy import special, stats

from sampling import column, law, quantile


class Value:
    """A number, vector or matrix for each sample: array of shape (S, rows, columns)."""

    def __init__(self, array):
        self.a = array

    def binary(self, other, f):
        return Value(f(self.a, value(other).a))

    def __add__(self, o):
        return self.binary(o, np.add)

    def __sub__(self, o):
        return self.binary(o, np.subtract)

    def __truediv__(self, o):
        return self.binary(o, np.divide)

    def __pow__(self, o):
        return self.binary(o, np.power)

    def __mul__(self, o):
        a, b = self.a, value(o).a
        if (1, 1) in (a.shape[1:], b.shape[1:]):
            return Value(a * b)
        if a.shape[2] == b.shape[2] == 1:   # two vectors: each component
            return Value(a * b)
        return Value(a @ b)

    def __lt__(self, o):
        return self.binary(o, np.less)

    def __gt__(self, o):
        return self.binary(o, np.greater)

    def __le__(self, o):
        return self.binary(o, np.less_equal)

    def __neg__(self):
        return Value(-self.a)

    def __getitem__(self, i):
        return Value(self.a[:, i : i + 1, :])

    __radd__ = __add__

    def __rsub__(self, o):
        return value(o) - self

    def __rmul__(self, o):
        return value(o) * self

    def __rtruediv__(self, o):
        return value(o) / self

    def __rpow__(self, o):
        return value(o) ** self


def value(x):
    if isinstance(x, Value):
        return x
    if isinstance(x, list) and any(isinstance(e, Value) for e in flatten(x)):
        rows = [stack(e) if isinstance(e, list) else value(e) for e in x]
        if isinstance(x[0], list):
            rows = [Value(np.swapaxes(r.a, 1, 2)) for r in rows]
        return stack(rows)
    a = np.asarray(x, dtype=float)
    return Value(a.reshape((1,) + a.shape + (1,) * (2 - a.ndim)))


def flatten(x):
    return [e for y in x for e in (flatten(y) if isinstance(y, list) else [y])]


def stack(entries):
    arrays = [value(e).a for e in entries]
    samples = max(a.shape[0] for a in arrays)
    return Value(np.concatenate([np.broadcast_to(a, (samples,) + a.shape[1:]) for a in arrays], axis=1))


def each(f):
    return lambda *arguments: Value(f(*[value(x).a for x in arguments]))


def total(x):
    return Value(value(x).a.sum((1, 2), keepdims=True))


def huber(x, delta):
    size = np.abs(value(x).a)
    return Value(np.where(size <= delta, size**2 / 2, delta * (size - delta / 2)))


FUNCTIONS = {
    **{name: each(getattr(np, name)) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs")},
    "normcdf": each(special.ndtr), "logistic": each(special.expit), "softplus": each(lambda a: np.logaddexp(0, a)),
    "huber": huber, "norm2": lambda a: Value(np.sqrt((value(a).a ** 2).sum((1, 2), keepdims=True))),
    "sum": total, "dot": lambda a, b: Value((value(a).a * value(b).a).sum((1, 2), keepdims=True)), "where": each(np.where),
    "max": each(np.maximum), "min": each(np.minimum), "solve": lambda a, b: Value(np.linalg.solve(value(a).a, value(b).a)),
}


def python(formula):
    return "(" + re.sub(r"\bif\(", "where(", formula.replace("^", "**")) + ")"


def evaluate(formula, names):
    if not isinstance(formula, str):
        return value(formula)
    return value(eval(python(formula), {"__builtins__": {}, **FUNCTIONS}, names))  # noqa: S307: our own files


def constants(document, folder):
    names = {"pi": value(np.pi)}
    for name, entry in document.get("constants", {}).items():
        if isinstance(entry, dict):
            entry = np.loadtxt(folder / entry["file"], delimiter=",", ndmin=2)
        names[name] = evaluate(entry, names)
    return names


def noise(document, folder, names, count):
    """Samples of the noise: all rows of the data, or Sobol' points through the quantile functions."""
    section, found = document.get("noise", {}), {}
    if "data" in section:
        path = folder / section["data"]
        header = path.read_text().splitlines()[0].replace('"', "").split(",")
        return {name: Value(column(path.parent, path.name, name)[:, None, None]) for name in header}
    points = stats.qmc.Sobol(max(len(section), 1), seed=1).random(count)
    for k, (name, entry) in enumerate(section.items()):
        if entry["distribution"] in ("discrete", "data"):
            drawn = quantile(entry, points[:, k], folder)
        else:
            arguments = {key: evaluate(text, names).a.item() for key, text in entry.items() if key != "distribution"}
            drawn = law(entry["distribution"], arguments).ppf(points[:, k])
        found[name] = Value(drawn[:, None, None])
    return found


def objective(document, folder, theta, count=2**16):
    """x -> the mean over the noise of the objective in the file."""
    names = constants(document, folder)
    names |= {name: value(t) for name, t in zip(document["parameters"], theta)}
    names |= noise(document, folder, names, count)
    sizes = {name: entry.get("size", 1) for name, entry in document["variables"].items()}

    def f(x):
        scope, at = dict(names), 0
        for name, size in sizes.items():
            scope[name] = value(np.asarray(x[at : at + size]))
            at += size
        assert at == len(x)
        for name, formula in document.get("definitions", {}).items():
            assert name not in scope, f"{name} is used twice"
            scope[name] = evaluate(formula, scope)
        return evaluate(document["objective"]["minimize"], scope).a.mean()

    return f
