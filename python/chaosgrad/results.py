"""Parts of a solution that are more than an array."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class FailedRun(RuntimeError):
    """What a failed run left is not an answer, and was asked for one."""


class ErrorEstimate(float):
    """The estimate of the error of x*(theta) in the norm of L2, with its parts; NaN where it is not known.

    basis: outside the span of the basis.  sampling: what the noise of the gradient leaves.  optimisation: what more
    iterations would remove.  bound: a rigorous one, where strong_convexity was given.  components: of each component.
    """

    basis: float | None
    sampling: float | None
    optimisation: float | None
    bound: float | None
    components: Array
    confidence: float

    def __new__(cls, parts: Mapping[str, Any]) -> ErrorEstimate:
        estimate = parts["estimate"]
        made = super().__new__(cls, math.nan if estimate is None else estimate)
        for key, value in parts.items():
            if key != "estimate":
                setattr(made, key, value)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return ErrorEstimate, ({"estimate": None if math.isnan(self) else float(self), **self.__dict__},)


class Sobol(NamedTuple):
    """Shares of the variance: main[i, k] of x_i by parameter k alone, total[i, k] with all that it takes part in."""

    main: Array
    total: Array


class Skipped(NamedTuple):
    """theta at which the gradient failed and which were left out (`may_fail`): how many, their share of all that were tried,
    and whether they lie together instead of being scattered; then x*(theta) is an untested extrapolation there."""

    points: int
    share: float
    together: bool


class Sample(NamedTuple):
    """Draws: theta (N, d) and the optimum x (N, q) there."""

    theta: Array
    x: Array


@dataclasses.dataclass(frozen=True)
class Verification:
    """x* computed anew at fresh theta, one optimisation each, and compared.

    skipped: fresh theta that were left out because the gradient fails there (`may_fail`).
    verdict: whether the error estimate "agrees", is "too small" or "too large", or "both are rounding"; None where there is
        no estimate.
    """

    error: float
    lower: float
    upper: float
    confidence: float
    verdict: str | None
    components: Array
    worst: float
    worst_theta: Array
    points: int
    unsolved: int
    skipped: int
    unseen: float
    other_minima: int
    outside_domain: int
    leaves_domain: bool
    gradients: int
    failure: str

    @property
    def ok(self) -> bool:
        """Nothing speaks against the solution."""
        return not self.failure and self.verdict != "too small" and self.other_minima == 0 and not self.leaves_domain

    def __bool__(self) -> bool:
        return self.ok


class Multipliers(Mapping[str, Any]):
    """The mean of the multipliers of every constraint, by name; called with theta, the multipliers there.

    Numbers, or arrays where a constraint has several components. `sd` is a dict of the same shape, `error` has one error
    bar of the means per constraint.
    """

    def __init__(self, names: Sequence[str], found: Callable[[str], dict[str, Any]], at: Callable[[ArrayLike], dict[str, Any]]) -> None:
        self._names, self._found, self._at = list(names), found, at

    @property
    def sd(self) -> dict[str, Any]:
        return self._found("sd")

    @property
    def error(self) -> dict[str, Any]:
        return self._found("error")

    def __getitem__(self, name: str) -> Any:
        return self._found("mean")[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __call__(self, theta: ArrayLike) -> dict[str, Any]:
        return self._at(theta)

    def __repr__(self) -> str:
        return f"Multipliers({dict(self)})"
