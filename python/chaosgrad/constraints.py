"""Constraints of problems that are Python functions."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

Array = NDArray[np.float64]
# A number for all components, one for each, by variable, or a function of theta (N, d) -> (N, q).
Bound = Union[None, ArrayLike, Mapping[str, ArrayLike], Callable[[Array], ArrayLike]]


class Linear:
    """lower <= A x <= upper, the same for every theta; equal limits are an equality.

    >>> import chaosgrad as cg
    >>> cg.Linear([[1, 1, 1]], 1, 1, name="budget")
    Linear(1 row on 3 components, name='budget')
    """

    def __init__(self, A: ArrayLike, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf, name: str = "linear") -> None:
        self.A = np.atleast_2d(np.asarray(A, dtype=float))
        if self.A.ndim != 2:
            raise _core.InputError(f"{name}.A: expected a matrix, found an array of shape {self.A.shape}")
        self.lower, self.upper = (self._limit(given, side, name) for given, side in ((lower, "lower"), (upper, "upper")))
        self.name = name

    def _limit(self, given: ArrayLike, side: str, name: str) -> Array:
        try:
            return np.broadcast_to(np.asarray(given, dtype=float), (self.A.shape[0],)).copy()
        except ValueError:
            raise _core.InputError(f"{name}.{side}: expected {self.A.shape[0]} numbers, one per row of A, found an array of "
                                   f"shape {np.shape(given)}") from None

    def __repr__(self) -> str:
        rows = self.A.shape[0]
        return f"Linear({rows} row{'' if rows == 1 else 's'} on {self.A.shape[1]} components, name={self.name!r})"


@dataclasses.dataclass(frozen=True)
class Convex:
    """c(x, theta) <= 0 with c convex in x; several rows at once are allowed.

    function: (N, q), (N, d) -> (N,) or (N, k).  jacobian: the same -> (N, q) or (N, k, q).
    hessian: (x, theta, multipliers (N, k)) -> (N, q, q), that of the sum of multipliers times c; without it the
    Jacobian is differenced.  affine=True says that c is affine in x, and allows equality=True: c(x, theta) = 0.
    """

    function: Callable[..., ArrayLike]
    jacobian: Callable[..., ArrayLike]
    hessian: Callable[..., ArrayLike] | None = None
    affine: bool = False
    equality: bool = False
    name: str = "convex"

    def __post_init__(self) -> None:
        if self.equality and not self.affine:
            raise _core.InputError(f"{self.name}: only an affine constraint can be an equality (affine=True)")

    def described(self, x: Array, theta: Array) -> dict[str, Any]:
        """With the number of rows, found by a call at one point."""
        found = np.asarray(self.function(x[None, :], theta[None, :]), dtype=float)
        if found.shape[:1] != (1,) or found.ndim > 2:
            raise _core.InputError(f"{self.name}: at one sample it returned an array of shape {found.shape}, expected (1,) "
                                   "or (1, k)")
        return {"name": self.name, "rows": found.size, "is_list": found.ndim == 2, "affine": self.affine,
                "equality": self.equality, "function": self.function, "jacobian": self.jacobian, "hessian": self.hessian}


@dataclasses.dataclass(frozen=True)
class Variables:
    """Names of x: a list of scalars, a dict of sizes, or how many."""

    groups: tuple[tuple[str, int, bool], ...]  # name, components, whether it is a vector

    @staticmethod
    def of(given: int | str | Sequence[str] | Mapping[str, int] | Variables) -> Variables:
        if isinstance(given, Variables):
            return given
        if isinstance(given, (int, np.integer)):
            if given < 1:
                raise _core.InputError(f"variables: at least one is needed, found {given}")
            return Variables((("x", int(given), given > 1),))
        if isinstance(given, str):
            return Variables(((given, 1, False),))
        if isinstance(given, Mapping):
            groups = tuple((str(name), int(size), True) for name, size in given.items())
        else:
            groups = tuple((str(name), 1, False) for name in given)
        if not groups or any(size < 1 for _, size, _ in groups):
            raise _core.InputError("variables: at least one component is needed in each")
        if len({name for name, _, _ in groups}) < len(groups):
            raise _core.InputError("variables: a name appears twice")
        return Variables(groups)

    @staticmethod
    def from_names(names: Sequence[str]) -> Variables:
        """The inverse of `names`."""
        groups: list[tuple[str, int, bool]] = []
        for name in names:
            stem, bracket, _ = name.partition("[")
            if bracket and groups and groups[-1][0] == stem:
                groups[-1] = (stem, groups[-1][1] + 1, True)
            else:
                groups.append((stem, 1, bool(bracket)))
        return Variables(tuple(groups))

    @property
    def size(self) -> int:
        return sum(size for _, size, _ in self.groups)

    @property
    def names(self) -> list[str]:
        """One per component: "x", or "w[0]", "w[1]", … for a vector."""
        return [f"{name}[{i}]" if is_list else name for name, size, is_list in self.groups for i in range(size)]

    def spread(self, given: Any, what: str, missing: float) -> Array:
        """A number for every component, from one, a list, or a dict by variable."""
        if isinstance(given, Mapping):
            unknown = sorted(set(given) - {name for name, _, _ in self.groups})
            if unknown:
                raise _core.InputError(f"{what}: no variable is called {unknown[0]!r}")
            parts = [np.broadcast_to(np.asarray(given.get(name, missing), dtype=float), (size,)) for name, size, _ in self.groups]
            return np.concatenate(parts)
        values = np.asarray(missing if given is None else given, dtype=float)
        if values.shape not in ((), (self.size,)):
            raise _core.InputError(f"{what}: expected a number or {self.size} numbers, found an array of shape {values.shape}")
        return np.broadcast_to(values, (self.size,)).copy()


def _bound_function(bound: Callable[[Array], ArrayLike], size: int) -> Callable[[Array], Array]:
    """Of theta alone, for every component; (N,) holds for all of them."""
    def every(theta: Array) -> Array:
        found = np.asarray(bound(theta), dtype=float)
        if found.ndim == 1 and found.shape[0] == theta.shape[0]:
            found = found[:, None]
        return np.broadcast_to(found, (theta.shape[0], size))
    return every


def make_constraints(variables: Variables, lower: Bound, upper: Bound, constraints: Sequence[Linear | Convex],
                     start: Array, theta: Array) -> _core.Constraints | None:
    """None where there are none. `start` and `theta` are a point at which functions may be called."""
    functions = [bound if callable(bound) else None for bound in (lower, upper)]
    numbers = [variables.spread(None if callable(bound) else bound, side, missing)
               for bound, side, missing in ((lower, "lower", -np.inf), (upper, "upper", np.inf))]
    linear = [(one.name, one.A, one.lower, one.upper) for one in constraints if isinstance(one, Linear)]
    convex = [one.described(start, theta) for one in constraints if isinstance(one, Convex)]
    for one in constraints:
        if not isinstance(one, (Linear, Convex)):
            raise TypeError(f"constraints: expected cg.Linear or cg.Convex, found {type(one).__name__}")
    names = [one.name for one in constraints]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise _core.InputError(f"constraints: two are called {twice[0]!r}; give them a name= each")
    if not (linear or convex or any(functions) or np.isfinite(numbers).any()):
        return None
    lower_function, upper_function = (_bound_function(one, variables.size) if one else None for one in functions)
    return _core.Constraints(list(variables.groups), numbers[0], numbers[1], linear, lower_function, upper_function, convex)
