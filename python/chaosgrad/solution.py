"""x*(theta) with everything that can be asked of it: going on, checking, files, pictures, tables."""
from __future__ import annotations

import json
import os
import pathlib
import pickle
import tempfile
from typing import Any, Sequence

import numpy as np

from . import _core, html, plots, tables
from .constraints import Convex, Linear, Variables
from .evaluation import as_seed
from .problem import Function, FunctionProblem, MayFail
from .progress import as_callback
from .results import FailedRun, Verification
from .statistics import Statistics

CHANGEABLE = ("tolerance", "relative_tolerance", "confidence", "iterations", "max_gradients", "max_seconds", "threads",
              "checkpoint_seconds")


class Solution(Statistics):
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

    # Going on, and checking.

    def _require_functions(self) -> FunctionProblem:
        if self._problem is None or self._problem.gradient is None:
            raise _core.InputError("the problem of this solution is Python code that is not at hand (it was loaded, or could not "
                                   "be pickled): give it by sol.with_functions(gradient, value=…)")
        return self._problem

    def with_functions(self, gradient: Function, value: Function | None = None, *, hessian: Function | None = None,
                       noise: Any = None, per_sample: bool = False, may_fail: MayFail = False,
                       constraints: Sequence[Linear | Convex] = (), lower: Any = None, upper: Any = None) -> Solution:
        """The same solution with the functions of its problem, after `load`: then it can be resumed and verified."""
        from .solving import function_problem
        problem = function_problem(gradient, value=value, hessian=hessian, variables=Variables.from_names(self.variables),
                                   parameters=self.parameters, correlation=self.correlation, noise=noise, lower=lower, upper=upper,
                                   constraints=constraints, per_sample=per_sample, may_fail=may_fail, title=self.title)
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
                return Solution(_core.solve_file(again, resumed, told, ""))
            problem = self._require_functions()
            return Solution(problem.solve(json.dumps(self.options | changed), resumed, told), problem)

    # Files.

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write the folder of a run: solution.h5, summary.json, history.csv, report.html."""
        self._run.save(os.fspath(directory), self._core_problem())

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
        """x*(theta) for OpenTURNS: a FunctionalChaosResult where its bases and transformations can say what ours do (independent
        parameters, polynomials of Uniform, Normal, Beta, Gamma and Exponential ones, no constraints), else a Function with
        gradient. Both are evaluated alike: the metamodel of the first is `result.getMetaModel()`.
        """
        return tables.to_openturns(self)
