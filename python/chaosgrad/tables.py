"""A solution in the types of other packages, which are imported when asked for."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .distributions import Beta, Distribution, Exponential, Gamma, LogNormal, Normal, Uniform

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


def _openturns_law(ot: Any, law: Distribution) -> tuple[Any, Any] | None:
    """A distribution of OpenTURNS and the orthonormal polynomials that are ours, or None where it has no such family."""
    if law.basis == "fourier" or (law.basis == "log") != isinstance(law, LogNormal):
        return None
    if isinstance(law, Uniform):
        return ot.Uniform(law.lower, law.upper), ot.LegendreFactory()
    if isinstance(law, Normal):
        return ot.Normal(law.mean, law.sd), ot.HermiteFactory()
    if isinstance(law, LogNormal):
        return ot.LogNormal(law.mu, law.sigma), ot.HermiteFactory()
    if isinstance(law, Exponential):
        return ot.Exponential(law.rate), ot.LaguerreFactory(0.0)
    if isinstance(law, Gamma):
        return ot.Gamma(law.shape, 1 / law.scale), ot.LaguerreFactory(law.shape - 1)
    if isinstance(law, Beta):
        return ot.Beta(law.alpha, law.beta, law.lower, law.upper), ot.JacobiFactory(law.beta - 1, law.alpha - 1)
    return None


def _openturns_function(ot: Any, solution: Solution) -> Any:
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

    return ot.Function(OptimalSolution())


def to_openturns(solution: Solution) -> Any:
    import openturns as ot
    solution._require_answer()
    model = _openturns_function(ot, solution)
    families = [_openturns_law(ot, law) for law in solution.parameters.values()]
    if any(family is None for family in families) or solution.correlation is not None or solution._run.constrained:
        return model
    laws, factories = zip(*(family for family in families if family is not None))
    enumeration = ot.LinearEnumerateFunction(len(laws))
    basis = ot.OrthogonalProductPolynomialFactory(list(factories), enumeration)
    distribution = ot.ComposedDistribution(list(laws))
    distribution.setDescription(list(solution.parameters))
    there = ot.DistributionTransformation(distribution, basis.getMeasure())
    back = there.inverse()
    ranks = [enumeration.inverse([int(degree) for degree in index]) for index in solution.indices]
    errors = np.asarray(solution.error.components, dtype=float)
    errors = errors if len(errors) else np.zeros(len(solution.variables))
    variances = np.maximum(solution.sd**2, np.finfo(float).tiny)
    return ot.FunctionalChaosResult(model, distribution, there, back, ot.ComposedFunction(model, back), basis, ranks,
                                    ot.Sample(solution.coefficients), [basis.build(rank) for rank in ranks], errors.tolist(),
                                    np.minimum(errors**2 / variances, 1).tolist())
