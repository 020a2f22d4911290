"""A solution as a function of theta: how it ended, its names, its values."""
from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, distributions
from .constraints import Array
from .distributions import Distribution
from .problem import FunctionProblem
from .results import ErrorEstimate, FailedRun, Sample, Skipped


def as_seed(seed: int | np.random.Generator) -> int:
    """A seed that a number or a numpy Generator gives."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    number = int(seed)
    if not 0 <= number < 2**63:
        raise _core.InputError(f"seed: must be between 0 and 2^63 - 1, found {number}")
    return number


HISTORY = ("k", "basis_size", "samples", "step", "gradients", "seconds", "gradient_norm", "estimate", "error_squared", "true_error")


class Evaluation:
    """What `Solution` has of x*(theta) itself."""

    def __init__(self, run: _core.Run, problem: FunctionProblem | None = None) -> None:
        self._run = run
        self._problem = problem

    # How it ended, and what it took.

    @property
    def status(self) -> str:
        """"converged", "completed", "out_of_gradients", "out_of_time", "interrupted", "stalled", or a failure."""
        return self._run.status

    @property
    def message(self) -> str:
        """Why it ended."""
        return self._run.message

    @property
    def ok(self) -> bool:
        """Whether there is an answer: the status is no failure."""
        return self._run.ok

    @property
    def error(self) -> ErrorEstimate:
        """The estimate of the error, a float with further attributes."""
        return ErrorEstimate(self._run.error)

    @property
    def true_error(self) -> float | None:
        """The distance to the reference, where the problem has one."""
        return self._run.true_error

    @property
    def skipped(self) -> Skipped:
        """theta at which the gradient failed (`may_fail`): points, share, together."""
        return Skipped(*self._run.skipped)

    @property
    def gradients(self) -> int:
        """How many gradients the solution took, of single samples."""
        return self._run.gradients

    @property
    def seconds(self) -> float:
        return self._run.seconds

    @property
    def notes(self) -> list[str]:
        """What the user should know: limits reached, options not used."""
        return self._run.notes

    @property
    def options(self) -> dict[str, Any]:
        """The options that it was solved with."""
        found: dict[str, Any] = json.loads(self._run.options)
        return found

    @property
    def history(self) -> dict[str, Array]:
        """Every iteration or stage: columns by name. What is not known is NaN."""
        rows = self._run.history
        return {key: np.array([np.nan if row[key] is None else row[key] for row in rows], dtype=float)
                for key in HISTORY}

    # Names and shapes.

    @property
    def title(self) -> str:
        return self._run.title

    @property
    def variables(self) -> list[str]:
        """One name per component of x."""
        return self._run.variable_names

    @functools.cached_property
    def parameters(self) -> dict[str, Distribution]:
        """theta by name, each with its distribution."""
        return {name: distributions.from_json(text, basis=basis) for name, text, basis in
                zip(self._run.parameter_names, self._run.parameters, self._run.bases)}

    @property
    def correlation(self) -> Array | None:
        """Of the Gaussian copula, where there is one."""
        return self._run.correlation

    @property
    def coefficients(self) -> Array:
        """Of the expansion (m, q); where x is constrained, of the function whose projection is x*."""
        return self._run.coefficients

    @property
    def indices(self) -> NDArray[np.int32]:
        """The degrees of the m functions in each parameter (m, d)."""
        return self._run.indices

    # x*(theta).

    def _require_answer(self, anyway: bool = False) -> None:
        if not self.ok and not anyway:
            raise FailedRun(f"the run failed ({self.status}): {self.message}")

    def _rows(self, theta: Any, by_name: dict[str, ArrayLike], extrapolate: bool) -> tuple[Array, tuple[int, ...]]:
        """theta as rows (N, d), and the shape of what belongs to one row of them."""
        names = self._run.parameter_names
        d = len(names)
        if by_name:
            if theta is not None or set(by_name) != set(names):
                raise TypeError(f"expected theta, or each of {', '.join(names)} by name; found {', '.join(by_name)}")
            columns = np.broadcast_arrays(*(np.asarray(by_name[name], dtype=float) for name in names))
            given = np.stack(columns, axis=-1)
        elif theta is None:
            raise TypeError(f"theta is missing: {', '.join(names)}")
        else:
            given = np.asarray(theta, dtype=float)
            if d == 1 and given.ndim <= 1 and given.shape != (1,):
                given = given[..., None]
        if given.ndim == 0 or given.shape[-1] != d:
            raise ValueError(f"theta: expected an array of shape ({d},) or (N, {d}), found {np.shape(theta)}")
        rows = given.reshape(-1, d)
        if not extrapolate:
            self._require_inside(rows)
        return rows, given.shape[:-1]

    def _require_inside(self, rows: Array) -> None:
        for k, (name, one) in enumerate(self.parameters.items()):
            lower, upper = one.support
            outside = ~((rows[:, k] >= lower) & (rows[:, k] <= upper))
            if outside.any():
                raise ValueError(f"theta: {name} = {rows[outside, k][0]:.17g} is outside the support [{lower:g}, {upper:g}], where "
                                 "the expansion means nothing; extrapolate=True evaluates it all the same")

    def __call__(self, theta: ArrayLike | None = None, *, extrapolate: bool = False, anyway: bool = False,
                 **by_name: ArrayLike) -> Array:
        """x*(theta): (d,) -> (q,), (N, d) -> (N, q); parameters by name are broadcast.

        With one parameter theta may also be a number, or a list of numbers. `anyway` evaluates a failed run.
        """
        self._require_answer(anyway)
        rows, shape = self._rows(theta, by_name, extrapolate)
        return self._run.evaluate(rows)[0].reshape(*shape, len(self.variables))

    def sensitivity(self, theta: ArrayLike | None = None, *, extrapolate: bool = False, **by_name: ArrayLike) -> Array:
        """dx_i/dtheta_k: (d,) -> (q, d), (N, d) -> (N, q, d). Where a constraint begins to be active: as theta grows."""
        self._require_answer()
        rows, shape = self._rows(theta, by_name, extrapolate)
        slopes = self._run.sensitivity(rows)
        return slopes.reshape(shape + slopes.shape[1:])

    def sample(self, n: int = 1000, seed: int | np.random.Generator | None = None) -> Sample:
        """Draws of (theta, x*(theta)).

        >>> import chaosgrad as cg
        >>> sol = cg.solve(lambda x, theta: x - theta, variables=["x"], parameters={"theta": cg.Normal(0, 1)})
        >>> theta, x = sol.sample(500)
        >>> theta.shape, x.shape
        ((500, 1), (500, 1))
        """
        self._require_answer()
        if n < 1:
            raise ValueError(f"n: must be at least 1, found {n}")
        return Sample(*self._run.sample(n, self.options["seed"] if seed is None else as_seed(seed)))
