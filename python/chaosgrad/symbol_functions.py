"""Functions of symbols, under their own names and as what numpy's functions become on symbols."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from . import _core
from .symbols import Expression, Relation, _by_component, _elementwise, _matrix_product, _product, as_expression, vector


def _of_one(name: str) -> Callable[[Any], Expression]:
    def function(a: Any) -> Expression:
        return _elementwise(name + "({0})", a)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every component of an expression."
    return function


sin, cos, tan, exp, log, sqrt, tanh, sinh, cosh, erf, normcdf, logistic, softplus, sign, floor, ceil = map(_of_one, (
    "sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "cosh", "erf", "normcdf", "logistic", "softplus", "sign", "floor",
    "ceil"))
absolute, arcsin, arccos, arctan = map(_of_one, ("abs", "asin", "acos", "atan"))


def _reduction(name: str) -> Callable[[Any], Expression]:
    def function(a: Any) -> Expression:
        return Expression(name + "({0})", [as_expression(a)])
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of all components of an expression."
    return function


norm1, norm2 = map(_reduction, ("norm1", "norm2"))


def sum(a: Any) -> Expression:
    """The sum of all components."""
    return as_expression(a).sum()


def dot(a: Any, b: Any) -> Expression:
    """The inner product of two vectors, or a matrix times a vector."""
    return _matrix_product(a, b)


def maximum(a: Any, b: Any) -> Expression:
    """The larger one, by component. Kinks in x are understood where they are convex."""
    return _elementwise("max({0}, {1})", a, b)


def minimum(a: Any, b: Any) -> Expression:
    """The smaller one, by component."""
    return _elementwise("min({0}, {1})", a, b)


def where(condition: Relation | Expression, a: Any, b: Any) -> Expression:
    """a where the condition holds, else b."""
    return _elementwise("if({0}, {1}, {2})", as_expression(condition), a, b)


def huber(a: Any, width: Any) -> Expression:
    """a²/2 where |a| <= width, else width (|a| - width/2)."""
    return _elementwise("huber({0}, {1})", a, width)


def outer(a: Any, b: Any) -> Expression:
    left, right = as_expression(a), as_expression(b)
    return Expression("outer({0}, {1})", [left, right], left.shape + right.shape)


def _norm(a: Any, ord: Any = None, axis: None = None) -> Expression:
    if axis is not None or ord not in (None, 1, 2):
        raise _core.InputError("of the norms of numpy those with ord=1 and ord=2 work on expressions")
    if as_expression(a).ndim != 1:
        raise _core.InputError("norm: expected a vector")
    return norm1(a) if ord == 1 else norm2(a)


def _stack(parts: Sequence[Any], axis: int = 0) -> Expression:
    if axis != 0:
        raise _core.InputError("expressions are stacked along axis 0")
    flat = [item for part in parts for item in (part if as_expression(part).shape else [part])]
    return vector(flat)


UFUNCS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: _elementwise("({0} + {1})", a, b),
    "subtract": lambda a, b: _elementwise("({0} - {1})", a, b),
    "multiply": _product,
    "divide": lambda a, b: _by_component("/", a, b),
    "power": lambda a, b: _by_component("^", a, b),
    "float_power": lambda a, b: _by_component("^", a, b),
    "matmul": _matrix_product,
    "negative": lambda a: _elementwise("(-{0})", a),
    "positive": lambda a: a,
    "square": lambda a: _elementwise("({0} ^ 2)", a),
    "reciprocal": lambda a: _by_component("/", 1, a),
    "log1p": lambda a: _elementwise("log(1 + {0})", a),
    "expm1": lambda a: _elementwise("(exp({0}) - 1)", a),
    "logaddexp": lambda a, b: as_expression(a) + softplus(as_expression(b) - a),
    "log2": _of_one("log2"), "log10": _of_one("log10"),
    "absolute": absolute, "fabs": absolute, "arcsin": arcsin, "arccos": arccos, "arctan": arctan,
    "sin": sin, "cos": cos, "tan": tan, "exp": exp, "log": log, "sqrt": sqrt, "tanh": tanh, "sinh": sinh, "cosh": cosh,
    "sign": sign, "floor": floor, "ceil": ceil, "erf": erf, "ndtr": normcdf, "expit": logistic,
    "maximum": maximum, "minimum": minimum, "fmax": maximum, "fmin": minimum,
    "less_equal": lambda a, b: Relation(a, "<=", b), "greater_equal": lambda a, b: Relation(a, ">=", b),
    "less": lambda a, b: Relation(a, "<", b), "greater": lambda a, b: Relation(a, ">", b),
    "equal": lambda a, b: Relation(a, "==", b), "not_equal": lambda a, b: Relation(a, "!=", b),
}

ARRAY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda a, **given: as_expression(a).sum(**given),
    "mean": lambda a, **given: as_expression(a).mean(**given),
    "dot": dot, "inner": dot, "vdot": dot, "outer": outer, "norm": _norm, "where": where,
    "concatenate": _stack, "stack": _stack, "hstack": _stack,
    "transpose": lambda a: as_expression(a).T,
}
