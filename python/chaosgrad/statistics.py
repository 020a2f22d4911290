"""A solution over the distribution of theta: moments, quantiles, Sobol' indices, constraints."""
from __future__ import annotations

import functools
import json
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .constraints import Array
from .evaluation import Evaluation
from .results import Multipliers, Sobol


class Statistics(Evaluation):
    """What `Solution` has over the distribution of theta."""

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

    def summary(self) -> dict[str, Any]:
        """What summary.json has."""
        found: dict[str, Any] = json.loads(self._run.summary(self._core_problem()))
        return found

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
