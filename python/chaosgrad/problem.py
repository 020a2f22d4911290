"""A problem whose gradient is a Python function."""
from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .constraints import Array, Bound, Convex, Linear, Variables, make_constraints
from .distributions import Distribution, LogNormal, named, quantiles

Function = Callable[..., ArrayLike]
MayFail = bool | type[Exception] | tuple[type[Exception], ...]


def checked_may_fail(given: Any) -> MayFail:
    """True, False, an exception class or a tuple of them."""
    kinds = given if isinstance(given, (tuple, list)) else (given,)
    if isinstance(given, bool) or (kinds and all(isinstance(one, type) and issubclass(one, Exception) for one in kinds)):
        return given if isinstance(given, bool) else tuple(kinds)
    raise TypeError(f"may_fail: expected True, False, or classes of exceptions, found {given!r}")


def takes_noise(function: Function, has_noise: bool = True) -> bool:
    """Whether a function wants v: it does unless it takes two positional arguments only. Where there is no noise, further ones
    that have defaults are the function's own."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return True
    if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return True
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = sum(one.default is one.empty for one in positional)
    return len(positional) != 2 and (has_noise or needed != 2)


def uniform_call(function: Function | None, per_sample: bool, may_fail: MayFail, width: int, has_noise: bool) -> Function | None:
    """The function as the core calls it: batched, with three arguments; `width` numbers for each sample."""
    if function is None:
        return None
    called: Function = function
    wants_noise = takes_noise(called, has_noise)
    failures: tuple[type[Exception], ...] = may_fail if isinstance(may_fail, tuple) else ()

    def one_by_one(x: Array, theta: Array, v: Array, one: Function) -> Array:
        columns = (x, theta, v) if wants_noise else (x, theta)
        found = np.empty((len(x), width))
        for row, arguments in zip(found, zip(*columns)):
            try:
                row[:] = np.reshape(np.asarray(one(*arguments), dtype=np.float64), width)
            except failures:
                row[:] = np.nan
        return found

    if per_sample:
        if not failures:
            def rows(x: Array, theta: Array, v: Array) -> Array:
                columns = (x, theta, v) if wants_noise else (x, theta)
                return np.array([called(*row) for row in zip(*columns)], dtype=np.float64)
            return rows
        return lambda x, theta, v: one_by_one(x, theta, v, called)
    if failures:
        def all_or_each(x: Array, theta: Array, v: Array) -> ArrayLike:
            try:
                return called(x, theta, v) if wants_noise else called(x, theta)
            except failures:  # which of the samples it was, they tell one at a time
                return one_by_one(x, theta, v, lambda *arguments: called(*(part[None] for part in arguments)))
        return all_or_each
    if wants_noise:
        return called
    return lambda x, theta, v: called(x, theta)


@dataclasses.dataclass
class FunctionProblem:
    """All that a problem of Python functions is; what the core needs is made of it when it is called."""

    gradient: Function | None
    value: Function | None
    hessian: Function | None
    variables: Variables
    parameters: dict[str, Distribution]
    correlation: Array | None
    noise: dict[str, Distribution] | Array
    lower: Bound
    upper: Bound
    constraints: Sequence[Linear | Convex]
    start: Array
    per_sample: bool
    facts: dict[str, float | None]
    reference: Callable[[Array], ArrayLike] | None
    may_fail: MayFail
    title: str

    @property
    def median(self) -> Array:
        """Of theta."""
        return quantiles(list(self.parameters.values()), 0.5)

    def _basis(self, k: int, law: Distribution) -> str:
        """Its moments do not determine a lognormal distribution: polynomials in log theta are dense, those in theta are not."""
        correlated = self.correlation is not None and np.count_nonzero(self.correlation[k]) > 1
        return law.basis or ("log" if isinstance(law, LogNormal) and not correlated else "polynomial")

    def core_constraints(self) -> _core.Constraints | None:
        return make_constraints(self.variables, self.lower, self.upper, self.constraints, self.start, self.median)

    def core(self) -> _core.Problem:
        noise: Any = self.noise
        if isinstance(noise, dict):
            noise = [one.to_json() for one in noise.values()]
        q, has_noise = self.variables.size, len(noise) > 0
        return _core.Problem({
            "arguments": 3,
            "gradient": uniform_call(self.gradient, self.per_sample, self.may_fail, q, has_noise),
            "value": uniform_call(self.value, self.per_sample, self.may_fail, 1, has_noise),
            "hessian": uniform_call(self.hessian, self.per_sample, self.may_fail, q * q, has_noise),
            "parameters": [one.to_json() for one in self.parameters.values()],
            "correlation": self.correlation,
            "bases": [self._basis(k, one) for k, one in enumerate(self.parameters.values())],
            "breakpoints": [list(map(float, one.breakpoints)) for one in self.parameters.values()],
            "noise": noise,
            "start": self.start,
            "constraints": self.core_constraints(),
            "parameter_names": list(self.parameters),
            "variable_names": self.variables.names,
            "reference": self.reference,
            "may_fail": bool(self.may_fail),
            **self.facts,
        })

    def solve(self, options: str, resume: _core.Run | None, progress: Any) -> _core.Run:
        return _core.solve(self.core(), list(self.parameters), self.variables.names, self.title, options, resume, progress)


def noise_of(given: Mapping[str, Any] | ArrayLike | None) -> dict[str, Distribution] | Array:
    """By name, or rows of data of which each is as likely."""
    if given is None or isinstance(given, Mapping):
        return named(given, "noise")
    rows = np.asarray(given, dtype=float)
    if rows.ndim != 2 or rows.size == 0:
        raise _core.InputError(f"noise: expected a dict of distributions, or rows of data (n, r), found an array of shape {rows.shape}")
    return np.asfortranarray(rows)


def correlation_of(given: ArrayLike | None, count: int) -> NDArray[np.float64] | None:
    if given is None:
        return None
    matrix = np.asarray(given, dtype=float)
    if matrix.shape != (count, count):
        raise _core.InputError(f"correlation: expected {count} rows and columns, found an array of shape {matrix.shape}")
    return matrix
