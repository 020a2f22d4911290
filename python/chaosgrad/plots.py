"""Pictures of a solution, by matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

if TYPE_CHECKING:
    from .solution import Solution

COLORS = ("#1f5a92", "#c8622d", "#3d8361", "#8a4f9e", "#a08122", "#5b6770")
MOST_SHOWN = 6  # components in one picture


def _chosen(solution: Solution, variables: Sequence[str] | str | None) -> list[int]:
    names = solution.variables
    if variables is None:
        return list(range(min(len(names), MOST_SHOWN)))
    asked = [variables] if isinstance(variables, str) else list(variables)
    for name in asked:
        if name not in names:
            raise ValueError(f"variables: no component is called {name!r}; there are {', '.join(names)}")
    return [names.index(name) for name in asked]


def chosen_parameter(solution: Solution, parameter: str | None = None) -> int:
    """The one asked for, or the one that matters most."""
    names = list(solution.parameters)
    if parameter is None and len(names) == 1:
        return 0
    if parameter is None:
        return int(np.argmax(np.nansum(solution.sobol.total * solution.sd[:, None] ** 2, axis=0)))
    if parameter not in names:
        raise ValueError(f"parameter: there is no {parameter!r}; there are {', '.join(names)}")
    return names.index(parameter)


def _axis(solution: Solution, k: int, points: int) -> Any:
    """Along parameter k: all of a bounded support, else its central 99.8 %."""
    law = list(solution.parameters.values())[k]
    lower, upper = law.support
    least, most = law.quantile(0.001), law.quantile(0.999)
    return np.linspace(lower if np.isfinite(lower) else least, upper if np.isfinite(upper) else most, points)


def _finish(axes: Any, xlabel: str, ylabel: str) -> None:
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(axes: Any, count: int) -> None:
    if count > 1:
        axes.legend(frameon=False, fontsize="small")


def curve(solution: Solution, axes: Any, *, parameter: str | None = None, variables: Sequence[str] | str | None = None,
          points: int = 201) -> None:
    """x*(theta) along one parameter, the others at their medians, with the band of its error."""
    k = chosen_parameter(solution, parameter)
    laws = list(solution.parameters.values())
    thetas = np.tile([float(law.quantile(0.5)) for law in laws], (points, 1))
    thetas[:, k] = _axis(solution, k, points)
    x = solution(thetas)
    errors = solution.error.components
    shown = _chosen(solution, variables)
    for color, i in zip(COLORS * len(shown), shown):
        axes.plot(thetas[:, k], x[:, i], color=color, label=solution.variables[i])
        if len(errors):
            axes.fill_between(thetas[:, k], x[:, i] - errors[i], x[:, i] + errors[i], color=color, alpha=0.25, linewidth=0)
    _legend(axes, len(shown))
    _finish(axes, list(solution.parameters)[k], solution.variables[shown[0]] if len(shown) == 1 else "optimum")


def fan(solution: Solution, axes: Any, *, parameter: str | None = None, variables: Sequence[str] | str | None = None,
        points: int = 41, draws: int = 400) -> None:
    """Quantiles of x* over the other parameters, along one of them: 5 to 95 %, 25 to 75 %, and the median."""
    k = chosen_parameter(solution, parameter)
    rest = solution.sample(draws, seed=1).theta
    grid = _axis(solution, k, points)
    thetas = np.repeat(rest[None, :, :], points, axis=0)
    thetas[:, :, k] = grid[:, None]
    x = solution(thetas)
    shown = _chosen(solution, variables)[:3]
    for color, i in zip(COLORS, shown):
        low, quarter, middle, most, high = np.quantile(x[:, :, i], [0.05, 0.25, 0.5, 0.75, 0.95], axis=1)
        axes.fill_between(grid, low, high, color=color, alpha=0.15, linewidth=0)
        axes.fill_between(grid, quarter, most, color=color, alpha=0.3, linewidth=0)
        axes.plot(grid, middle, color=color, label=solution.variables[i])
    _legend(axes, len(shown))
    _finish(axes, list(solution.parameters)[k], solution.variables[shown[0]] if len(shown) == 1 else "optimum")


def density(solution: Solution, axes: Any, *, variables: Sequence[str] | str | None = None) -> None:
    """The density of every component over theta, with its error bars; of several each relative to its largest value."""
    outputs = solution._statistics["variables"]
    shown = _chosen(solution, variables)
    for color, i in zip(COLORS * len(shown), shown):
        found = outputs[solution.variables[i]]["density"]
        if not found["edges"]:
            axes.axvline(solution.mean[i], color=color, label=solution.variables[i])
            continue
        edges, heights = np.array(found["edges"], dtype=float), np.array(found["value"], dtype=float)
        scale = heights.max() if len(shown) > 1 else 1.0
        heights = heights / scale
        axes.stairs(heights, edges, color=color, label=solution.variables[i])
        errors = np.array([0.0 if one is None else one for one in found["error"]]) / scale
        axes.fill_between(np.repeat(edges, 2)[1:-1], np.repeat(np.maximum(heights - errors, 0), 2), np.repeat(heights + errors, 2),
                          color=color, alpha=0.2, linewidth=0)
    axes.set_ylim(0, 1.08 if len(shown) > 1 else None)
    _legend(axes, len(shown))
    _finish(axes, solution.variables[shown[0]] if len(shown) == 1 else "optimum", "density" if len(shown) == 1 else "density / its largest value")


def sobol(solution: Solution, axes: Any, *, variables: Sequence[str] | str | None = None) -> None:
    """Bars per parameter: the share of the variance by itself (dark), and with all it takes part in (light)."""
    shown = _chosen(solution, variables)
    main, total = (np.nan_to_num(part[shown]) for part in solution.sobol)
    names = list(solution.parameters)
    order = np.argsort(total.mean(axis=0))[::-1][:12]
    height = 0.8 / len(shown)
    for row, (color, i) in enumerate(zip(COLORS * len(shown), shown)):
        places = np.arange(len(order)) + (row - (len(shown) - 1) / 2) * height
        axes.barh(places, total[row, order], height * 0.9, color=color, alpha=0.35)
        axes.barh(places, main[row, order], height * 0.9, color=color, label=solution.variables[i])
    axes.set_yticks(np.arange(len(order)), [names[k] for k in order])
    axes.invert_yaxis()
    axes.set_xlim(0, max(1.0, float(total.max()) * 1.02))
    _legend(axes, len(shown))
    _finish(axes, "share of the variance", "")


KINDS: dict[str, Callable[..., None]] = {"curve": curve, "fan": fan, "density": density, "sobol": sobol}


def plot(solution: Solution, kind: str | None = None, *, ax: Any = None, **how: Any) -> Any:
    """The figure. `ax`: axes to draw on, for one kind."""
    import matplotlib.pyplot as plt
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind: expected one of {', '.join(KINDS)}, found {kind!r}")
    if ax is not None and kind is None:
        raise ValueError("ax: needs a kind")
    if kind is not None:
        figure = ax.figure if ax is not None else plt.figure(figsize=(5.2, 3.6), constrained_layout=True)
        KINDS[kind](solution, ax if ax is not None else figure.add_subplot(), **how)
        return figure
    d = len(solution.parameters)
    kinds = ["curve", "density"] if d == 1 else ["fan", "density", "sobol"]
    figure, panels = plt.subplots(1, len(kinds), figsize=(4.4 * len(kinds), 3.6), constrained_layout=True)
    for one, axes in zip(kinds, panels):
        KINDS[one](solution, axes, **{key: value for key, value in how.items() if key == "variables" or one in ("curve", "fan")})
    if solution.title:
        figure.suptitle(solution.title)
    return figure
