"""Symbols with operators: an objective written once in Python, which becomes a problem file and is differentiated there.

>>> import chaosgrad as cg
>>> x, t = cg.variable("x"), cg.parameter("t", cg.Normal(0, 1))
>>> cg.solve(0.5 * (x - cg.sin(t))**2, tolerance=1e-4).status
'converged'

numpy's functions work on symbols as well, and arrays of numpy beside them:

>>> import numpy as np
>>> w = cg.variable("w", 3)
>>> 0.5 * w @ np.diag([1, 2, 4]) @ w - t * np.sum(w) + np.exp(t)
<expression of shape ()>
"""
from __future__ import annotations

from typing import Any, Iterator, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .distributions import Distribution, as_distribution

Shape = tuple[int, ...]


class Expression:
    """A formula: numbers, vectors or matrices of variables, parameters, noise and constants."""

    __array_priority__ = 100.0

    def __init__(self, form: str, parts: Sequence[Expression] = (), shape: Shape = ()) -> None:
        self.form = form  # the formula, with {0}, {1}, … for its parts
        self.parts = tuple(parts)
        self.shape = shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __repr__(self) -> str:
        return f"<expression of shape {self.shape}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an expression that is a number has no len()")
        return self.shape[0]

    def __iter__(self) -> Iterator[Expression]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, place: Any) -> Expression:
        if isinstance(place, slice) and self.ndim == 1:
            return vector([self[i] for i in range(*place.indices(len(self)))])
        places = place if isinstance(place, tuple) else (place,)
        if not self.shape or len(places) != self.ndim or not all(isinstance(one, (int, np.integer)) for one in places):
            raise IndexError(f"expected {self.ndim} whole numbers, or a slice of a vector, found {place!r}")
        found = []
        for one, size in zip(places, self.shape):
            if not -size <= one < size:
                raise IndexError(f"{one} is outside of a shape of {self.shape}")
            found.append(str(int(one) % size))
        return Expression("{0}[" + ", ".join(found) + "]", [self])

    def __bool__(self) -> bool:
        raise TypeError("an expression is neither true nor false before it is solved")

    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Expression:
        return _elementwise("({0} + {1})", self, other)

    def __radd__(self, other: Any) -> Expression:
        return _elementwise("({0} + {1})", other, self)

    def __sub__(self, other: Any) -> Expression:
        return _elementwise("({0} - {1})", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _elementwise("({0} - {1})", other, self)

    def __mul__(self, other: Any) -> Expression:
        return _product(self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _product(other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _by_component("/", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _by_component("/", other, self)

    def __pow__(self, other: Any) -> Expression:
        return _by_component("^", self, other)

    def __rpow__(self, other: Any) -> Expression:
        return _by_component("^", other, self)

    def __neg__(self) -> Expression:
        return _elementwise("(-{0})", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _elementwise("abs({0})", self)

    def __matmul__(self, other: Any) -> Expression:
        return _matrix_product(self, other)

    def __rmatmul__(self, other: Any) -> Expression:
        return _matrix_product(other, self)

    def __eq__(self, other: Any) -> Relation:  # type: ignore[override]
        return Relation(self, "==", other)

    def __le__(self, other: Any) -> Relation:
        return Relation(self, "<=", other)

    def __ge__(self, other: Any) -> Relation:
        return Relation(self, ">=", other)

    def __lt__(self, other: Any) -> Relation:
        return Relation(self, "<", other)

    def __gt__(self, other: Any) -> Relation:
        return Relation(self, ">", other)

    def __ne__(self, other: Any) -> Relation:  # type: ignore[override]
        return Relation(self, "!=", other)

    @property
    def T(self) -> Expression:
        return self if self.ndim < 2 else Expression("transpose({0})", [self], self.shape[::-1])

    def sum(self, axis: None = None, dtype: None = None, out: None = None, **unused: Any) -> Expression:
        if axis is not None or dtype is not None or out is not None or unused:
            raise TypeError("the sum of an expression is that of all its components")
        return Expression("sum({0})", [self])

    def mean(self, axis: None = None, dtype: None = None, out: None = None) -> Expression:
        return self.sum(axis, dtype, out) / self.size

    def dot(self, other: Any) -> Expression:
        return _matrix_product(self, other)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **given: Any) -> Any:
        if method != "__call__" or any(value is not None for value in given.values()):
            raise TypeError(f"numpy.{ufunc.__name__}.{method} with options does not work on expressions")
        from .symbol_functions import UFUNCS
        if ufunc.__name__ not in UFUNCS:
            raise TypeError(f"numpy.{ufunc.__name__} does not work on expressions; there are {', '.join(sorted(UFUNCS))}")
        return UFUNCS[ufunc.__name__](*inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, given: Any) -> Any:
        from .symbol_functions import ARRAY_FUNCTIONS
        if function.__name__ not in ARRAY_FUNCTIONS:
            raise TypeError(f"numpy.{function.__name__} does not work on expressions; there are "
                            f"{', '.join(sorted(ARRAY_FUNCTIONS))}")
        return ARRAY_FUNCTIONS[function.__name__](*inputs, **given)


class Named(Expression):
    """A symbol of the user's: a variable, a parameter or noise."""

    def __init__(self, name: str, shape: Shape = ()) -> None:
        if not name.isidentifier():
            raise _core.InputError(f"{name!r} is not a name: letters, digits and underscores, not a digit first")
        super().__init__(name, shape=shape)
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Variable(Named):
    """A component or a vector of x."""

    def __init__(self, name: str, size: int | None, start: ArrayLike) -> None:
        super().__init__(name, () if size is None else (int(size),))
        if size is not None and size < 1:
            raise _core.InputError(f"{name}: a vector has at least one component, found {size}")
        self.start = np.broadcast_to(np.asarray(start, dtype=float), self.shape)


class Parameter(Named):
    def __init__(self, name: str, distribution: Distribution) -> None:
        super().__init__(name)
        self.distribution = distribution


class NoiseSymbol(Named):
    def __init__(self, name: str, distribution: Distribution) -> None:
        super().__init__(name)
        self.distribution = distribution


class Constant(Expression):
    def __init__(self, value: ArrayLike) -> None:
        self.value = np.array(value, dtype=float)
        if self.value.ndim > 2 or not np.isfinite(self.value).all():
            raise _core.InputError("a constant is a finite number, vector or matrix; found "
                                   + (f"an array of shape {self.value.shape}" if self.value.ndim > 2 else "nan or inf in it"))
        super().__init__("", shape=self.value.shape)


class Relation:
    """Two expressions compared: a constraint, or the condition of `where`. `.named("budget")` names it."""

    __array_priority__ = 100.0

    def __init__(self, left: Any, sign: str, right: Any, name: str | None = None) -> None:
        self.left, self.sign, self.right, self.name = as_expression(left), sign, as_expression(right), name
        _common_shape(self.left, self.right)

    def named(self, name: str) -> Relation:
        return Relation(self.left, self.sign, self.right, name)

    def as_condition(self) -> Expression:
        return Expression("({0} " + self.sign + " {1})", [self.left, self.right], _common_shape(self.left, self.right))

    def __bool__(self) -> bool:
        raise TypeError("a constraint is neither true nor false; a chain such as 0 <= w <= 1 is two: [w >= 0, w <= 1]")

    def __repr__(self) -> str:
        return f"<constraint {self.name or ''}: {self.left!r} {self.sign} {self.right!r}>"


Operand = Union[Expression, ArrayLike]


def as_expression(given: Any) -> Expression:
    if isinstance(given, Expression):
        return given
    if isinstance(given, Relation):
        return given.as_condition()
    array = np.asarray(given)
    if array.dtype == object:
        return vector(list(given))
    if array.dtype.kind not in "fiub":
        raise TypeError(f"expected numbers or expressions, found {type(given).__name__}")
    return Constant(array)


def vector(parts: Sequence[Any]) -> Expression:
    """Numbers and expressions as one vector."""
    found = [as_expression(one) for one in parts]
    if not found or any(one.shape for one in found):
        raise _core.InputError("a vector is made of numbers, one at least")
    return Expression("[" + ", ".join(f"{{{i}}}" for i in range(len(found))) + "]", found, (len(found),))


def _common_shape(*parts: Expression) -> Shape:
    """Numbers go with everything; the others have one shape."""
    shapes = {part.shape for part in parts if part.shape}
    if len(shapes) > 1:
        raise _core.InputError(f"the shapes {' and '.join(map(str, sorted(shapes)))} do not go together")
    return shapes.pop() if shapes else ()


def _elementwise(form: str, *operands: Any) -> Expression:
    parts = [as_expression(one) for one in operands]
    return Expression(form, parts, _common_shape(*parts))


def _by_component(sign: str, left: Any, right: Any) -> Expression:
    """A quotient or a power; formulas take numbers only as divisor and exponent, so for vectors it is written out."""
    a, b = as_expression(left), as_expression(right)
    if b.ndim == 0:
        return _elementwise(f"({{0}} {sign} {{1}})", a, b)
    if b.ndim == 2:
        raise _core.InputError(f"a matrix cannot stand behind {sign}")
    shape = _common_shape(a, b)
    parts = ", ".join(f"{{0}}{f'[{i}]' if a.shape else ''} {sign} {{1}}[{i}]" for i in range(shape[0]))
    return Expression(f"[{parts}]", [a, b], shape)


def _product(left: Any, right: Any) -> Expression:
    a, b = as_expression(left), as_expression(right)
    if a.ndim == 2 or b.ndim == 2:
        if a.shape and b.shape:
            raise _core.InputError("a product by components of matrices is not known to formulas; @ is the matrix product")
    if a.ndim == 1 and b.ndim == 1:
        return ComponentProduct(a, b)
    return _elementwise("({0} * {1})", a, b)


class ComponentProduct(Expression):
    """a_i b_i of two vectors, for which formulas have no sign: written out, unless it is summed."""

    def __init__(self, a: Expression, b: Expression) -> None:
        shape = _common_shape(a, b)
        if a is b:
            super().__init__("({0} ^ 2)", [a], shape)
        else:
            pairs = ", ".join(f"{{0}}[{i}] * {{1}}[{i}]" for i in range(shape[0]))
            super().__init__(f"[{pairs}]", [a, b], shape)
        self.factors = (a, b)

    def sum(self, axis: None = None, dtype: None = None, out: None = None, **unused: Any) -> Expression:
        super().sum(axis, dtype, out, **unused)
        return Expression("dot({0}, {1})", self.factors)


def _matrix_product(left: Any, right: Any) -> Expression:
    a, b = as_expression(left), as_expression(right)
    if not a.shape or not b.shape or a.shape[-1] != b.shape[0]:
        raise _core.InputError(f"the shapes {a.shape} and {b.shape} do not go together in @")
    if a.ndim == 1 and b.ndim == 1:
        return Expression("dot({0}, {1})", [a, b])
    if a.ndim == 1:
        return Expression("(transpose({0}) * {1})", [b, a], (b.shape[1],))
    return Expression("({0} * {1})", [a, b], a.shape[:1] + b.shape[1:])


def variable(name: str, size: int | None = None, start: ArrayLike = 0.0) -> Variable:
    """A variable x to minimise over: a number, or a vector of this size."""
    return Variable(name, size, start)


def parameter(name: str, distribution: Any) -> Parameter:
    """An uncertain parameter: x* is a function of it."""
    return Parameter(name, as_distribution(distribution, name))


def noise(name: str, distribution: Any) -> NoiseSymbol:
    """Noise: the objective is its mean over it."""
    return NoiseSymbol(name, as_distribution(distribution, name))

