"""A solution in the types of other packages, which are imported when asked for."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .solution import Solution

MOST_GRID_DIMENSIONS = 3


def to_dataframe(solution: Solution, n: int, seed: Any) -> Any:
    import pandas as pd
    theta, x = solution.sample(n, seed)
    return pd.DataFrame(np.hstack([theta, x]), columns=[*solution.parameters, *solution.variables])


def to_xarray(solution: Solution, points: int, seed: Any) -> Any:
    import xarray as xr
    names, laws = list(solution.parameters), list(solution.parameters.values())
    attributes = {"status": solution.status, "error": float(solution.error), "title": solution.title}
    if len(names) <= MOST_GRID_DIMENSIONS:
        levels = (np.arange(points) + 0.5) / points
        axes = [np.unique(law.quantile(levels)) for law in laws]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        x = solution(grid)
        return xr.Dataset({name: (names, x[..., i]) for i, name in enumerate(solution.variables)},
                          coords=dict(zip(names, axes)), attrs=attributes)
    theta, x = solution.sample(points, seed)
    return xr.Dataset({name: ("sample", x[:, i]) for i, name in enumerate(solution.variables)},
                      coords={name: ("sample", theta[:, k]) for k, name in enumerate(names)}, attrs=attributes)


def to_openturns(solution: Solution) -> Any:
    import openturns as ot

    class OptimalSolution(ot.OpenTURNSPythonFunction):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(len(solution.parameters), len(solution.variables))
            self.setInputDescription(list(solution.parameters))
            self.setOutputDescription(solution.variables)

        def _exec(self, theta: Any) -> list[float]:
            return list(map(float, solution(np.array(theta, dtype=float).reshape(1, -1), extrapolate=True)[0]))

        def _exec_sample(self, thetas: Any) -> Any:
            return solution(np.array(thetas, dtype=float), extrapolate=True)

        def _gradient(self, theta: Any) -> Any:
            return solution.sensitivity(np.array(theta, dtype=float).reshape(1, -1), extrapolate=True)[0].T.tolist()

    solution._require_answer()
    return ot.Function(OptimalSolution())
