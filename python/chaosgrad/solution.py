"""x*(theta) as a function, what is known about its error, and everything that can be asked of it."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import pickle
import tempfile
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, distributions, html, plots, tables
from .constraints import Array, Convex, Linear, Variables
from .distributions import Distribution
from .problem import Function, FunctionProblem
from .progress import as_callback
from .results import ErrorEstimate, FailedRun, Multipliers, Sample, Sobol, Verification

CHANGEABLE = ("tolerance", "relative_tolerance", "confidence", "iterations", "max_gradients", "max_seconds", "threads",
              "checkpoint_seconds")


class Solution:
    """The solution map of an uncertain optimisation problem. Made by `solve`, `solve_file` and `load`.

    >>> import chaosgrad as cg, numpy as np
    >>> sol = cg.solve(lambda x, theta: x - np.sin(theta), variables=["x"],
    ...                parameters={"theta": cg.Uniform(-1, 1)}, tolerance=1e-6)
    >>> sol.status, sol.ok
    ('converged', True)
    >>> bool(abs(sol(0.5)[0] - np.sin(0.5)) < 1e-5)
    True
    >>> sol(np.zeros((7, 1))).shape
    (7, 1)
    """

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
                for key in (rows[0] if rows else ())}

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

    # Statistics over theta.

    def _core_problem(self) -> _core.Problem | None:
        return None if self._problem is None else self._problem.core()

    def _find_statistics(self, levels: Sequence[float], indices: bool) -> dict[str, Any]:
        self._require_answer()
        found: dict[str, Any] = json.loads(self._run.statistics(self._core_problem(), list(levels), indices))
        return found

    @functools.cached_property
    def _statistics(self) -> dict[str, Any]:
        return self._find_statistics((), False)

    @functools.cached_property
    def _sampled_sobol(self) -> Sobol:
        found = self.summary()["sobol"]
        return Sobol(np.array(found["main"], dtype=float), np.array(found["total"], dtype=float))

    def statistics(self, levels: Sequence[float] = ()) -> dict[str, Any]:
        """Everything that `chaosgrad stats --json` tells, each number with its error bar; levels are those of quantiles."""
        return self._find_statistics(levels, True)

    def _numbers(self, key: str, part: str) -> Array:
        outputs = self._statistics["variables"]
        return np.array([np.nan if outputs[name][key][part] is None else outputs[name][key][part] for name in self.variables])

    @property
    def mean(self) -> Array:
        """Of every component of x*(theta), over theta."""
        self._require_answer()
        return self._numbers("mean", "value") if self._run.constrained else self._run.mean()

    @property
    def mean_error(self) -> Array:
        """The error bar of `mean`."""
        return self._numbers("mean", "error")

    @property
    def sd(self) -> Array:
        """The standard deviation of every component of x*(theta), over theta."""
        self._require_answer()
        return self._numbers("sd", "value") if self._run.constrained else self._run.sd()

    @property
    def sd_error(self) -> Array:
        """The error bar of `sd`."""
        return self._numbers("sd", "error")

    @property
    def covariance(self) -> Array:
        """Of the components of x*(theta), (q, q)."""
        q = len(self.variables)
        return np.array(self._statistics["covariance"]["value"], dtype=float)[:q, :q]

    @property
    def sobol(self) -> Sobol:
        """Sobol' indices, main and total, (q, d) each."""
        self._require_answer()
        return self._sampled_sobol if self._run.constrained else Sobol(*self._run.sobol())

    def quantile(self, level: ArrayLike) -> Array:
        """Of every component: (q,) for one level, (levels, q) for several."""
        levels = np.asarray(level, dtype=float)
        if np.any(~((levels > 0) & (levels < 1))):
            raise ValueError("level: must be between 0 and 1")
        found = self._find_statistics([float(one) for one in np.atleast_1d(levels).ravel()], False)["variables"]
        values = np.array([[one["value"] for one in found[name]["quantiles"]] for name in self.variables]).T
        return values.reshape(*levels.shape, -1)

    # Constraints.

    def _by_constraint(self, pick: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        known = self._statistics.get("constraints", {})
        return {name: self._component(pick(known[name]), is_list) for name, _, is_list in self._run.constraints}

    @staticmethod
    def _component(value: Any, is_list: bool) -> Any:
        numbers = np.array([np.nan if one is None else one for one in (value if isinstance(value, list) else [value])], dtype=float)
        return numbers if is_list else float(numbers[0])

    @property
    def active(self) -> dict[str, Any]:
        """The probability that a constraint is met with equality, by name."""
        return self._by_constraint(lambda one: one["active"])

    @property
    def multipliers(self) -> Multipliers:
        """The mean of the multipliers, by name; `sol.multipliers(theta)` has them at theta."""
        def found(key: str) -> dict[str, Any]:
            if key == "error":
                return {name: self._component(one["multiplier"]["error"], False)
                        for name, one in self._statistics.get("constraints", {}).items() if "multiplier" in one}
            return self._by_constraint(lambda one: one["multiplier"][key])

        return Multipliers([name for name, _, _ in self._run.constraints], found, self._multipliers_at)

    def _multipliers_at(self, theta: ArrayLike) -> dict[str, Any]:
        rows, shape = self._rows(theta, {}, False)
        columns = self._run.evaluate(rows)[1]
        found, first = {}, 0
        for name, count, is_list in self._run.constraints:
            part = columns[:, first:first + count]
            first += count
            found[name] = part.reshape(*shape, count) if is_list else part.reshape(shape)
        return found

    # Going on, and checking.

    def _require_functions(self) -> FunctionProblem:
        if self._problem is None or self._problem.gradient is None:
            raise _core.InputError("the problem of this solution is Python code that is not at hand (it was loaded, or could not "
                                   "be pickled): give it by sol.with_functions(gradient, value=…)")
        return self._problem

    def with_functions(self, gradient: Function, value: Function | None = None, *, hessian: Function | None = None,
                       noise: Any = None, per_sample: bool = False,
                       constraints: Sequence[Linear | Convex] = (), lower: Any = None, upper: Any = None) -> Solution:
        """The same solution with the functions of its problem, after `load`: then it can be resumed and verified."""
        from .solving import function_problem
        problem = function_problem(gradient, value=value, hessian=hessian, variables=Variables.from_names(self.variables),
                                   parameters=self.parameters, correlation=self.correlation, noise=noise, lower=lower, upper=upper,
                                   constraints=constraints, per_sample=per_sample, title=self.title)
        return Solution(self._run, problem)

    def verify(self, n: int = 200, *, draws: int = 4096, seed: int | np.random.Generator | None = None) -> Verification:
        """Solve n fresh theta one by one to high accuracy, and compare."""
        options = self.options
        problem = None if self._run.file else self._require_functions().core()
        found = json.loads(self._run.verify(problem, n, draws, options["confidence"],
                                            options["seed"] if seed is None else as_seed(seed), options["threads"]))
        for key, value in found.items():
            if key in ("components", "worst_theta"):
                found[key] = np.array(value, dtype=float)
            elif value is None and key != "verdict":
                found[key] = float("nan")
        return Verification(**found)

    def resume(self, *, progress: Any = None, **changed: Any) -> Solution:
        """Go on from here with other limits: tolerance, max_gradients, max_seconds, iterations, … This one stays as it is."""
        unknown = sorted(set(changed) - set(CHANGEABLE))
        if unknown:
            raise TypeError(f"{unknown[0]} cannot change midway; what can: {', '.join(CHANGEABLE)}")
        if not self.ok:
            raise FailedRun(f"the run ended as {self.status}, from where there is no going on: {self.message}")
        resumed = self._run if self._run.history else None
        with as_callback(progress) as told:
            if self._run.file is not None:
                file = self._run.file
                overrides = file.overrides + [f"solve.{key}={json.dumps(value)}" for key, value in changed.items()]
                again = _core.ProblemFile(file.name, file.directory, file.text, overrides, file.files, checked=True)
                return Solution(_core.solve_file(again, resumed, told))
            problem = self._require_functions()
            return Solution(problem.solve(json.dumps(self.options | changed), resumed, told), problem)

    # Files.

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write the folder of a run: solution.h5, summary.json, history.csv, report.html."""
        self._run.save(os.fspath(directory), self._core_problem())

    def summary(self) -> dict[str, Any]:
        """What summary.json has."""
        found: dict[str, Any] = json.loads(self._run.summary(self._core_problem()))
        return found

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report, one HTML page that needs nothing but a browser: its text, also written to `path`."""
        page = self._run.page(self._core_problem())
        if path is not None:
            pathlib.Path(path).write_text(page, encoding="utf-8")
        return page

    def source(self, language: str = "python") -> str:
        """x*(theta) as source code without dependencies, "python" or "c"."""
        if language not in ("python", "c"):
            raise ValueError(f"language: expected 'python' or 'c', found {language!r}")
        self._require_answer()
        return self._run.source(language)

    def __getstate__(self) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            self._run.store(folder)
            stored = (pathlib.Path(folder) / "solution.h5").read_bytes()
        return {"stored": stored, "problem": self._picklable_problem()}

    def _picklable_problem(self) -> FunctionProblem | None:
        """The problem, if its functions can be pickled. Constraints that are functions must be: x needs them."""
        if self._problem is None:
            return None
        try:
            pickle.dumps(self._problem)
            return self._problem
        except (pickle.PicklingError, AttributeError, TypeError):
            needed = any(isinstance(one, Convex) for one in self._problem.constraints) or callable(self._problem.lower) or callable(self._problem.upper)
            if needed:
                raise
            return None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._problem = state["problem"]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "solution.h5").write_bytes(state["stored"])
            self._run = _core.load(folder, None if self._problem is None else self._problem.core_constraints())

    # For people.

    def __repr__(self) -> str:
        return self._run.report_text()

    def _repr_html_(self) -> str:
        return html.first_screen(self)

    def plot(self, kind: str | None = None, **how: Any) -> Any:
        """A matplotlib figure. kind: "curve" (x*(theta) with its band), "fan" (its quantiles along one of several parameters),
        "density", "sobol"; without it curve or fan, density and Sobol' bars side by side."""
        self._require_answer()
        return plots.plot(self, kind, **how)

    def to_dataframe(self, n: int = 1000, seed: int | np.random.Generator | None = None) -> Any:
        """Draws as a pandas DataFrame, a column per parameter and variable."""
        return tables.to_dataframe(self, n, seed)

    def to_xarray(self, points: int = 33, seed: int | np.random.Generator | None = None) -> Any:
        """x*(theta) as an xarray Dataset: on a grid of quantiles for up to three parameters, else at draws."""
        return tables.to_xarray(self, points, seed)

    def to_openturns(self) -> Any:
        """x*(theta) as an OpenTURNS function, with its gradient."""
        return tables.to_openturns(self)


def as_seed(seed: int | np.random.Generator) -> int:
    """A seed that a number or a numpy Generator gives."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    number = int(seed)
    if not 0 <= number < 2**63:
        raise _core.InputError(f"seed: must be between 0 and 2^63 - 1, found {number}")
    return number
