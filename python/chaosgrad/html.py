"""A solution as a notebook shows it: the first screen of the report, without scripts."""
from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

import numpy as np

from .plots import chosen_parameter

if TYPE_CHECKING:
    from .solution import Solution

MOST_ROWS = 8
STYLE = "font-family:system-ui,sans-serif;max-width:54rem;line-height:1.4"
CELL = "text-align:right;padding:0.15rem 0.7rem;font-variant-numeric:tabular-nums"
WIDTH, HEIGHT, MARGIN, LEFT = 340, 150, 24, 48
COLORS = ("#1f5a92", "#c8622d", "#3d8361")


def _number(value: float | None, digits: int = 4) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}g}"


def _table(solution: Solution) -> str:
    mean, sd, total = solution.mean, solution.sd, solution.sobol.total
    names = list(solution.parameters)
    head = "".join(f"<th style='{CELL}'>{one}</th>" for one in ("", "mean", "sd", "depends most on"))
    rows = []
    for i, variable in enumerate(solution.variables[:MOST_ROWS]):
        share = np.nan_to_num(total[i])
        most = int(np.argmax(share))
        depends = f"{html.escape(names[most])} ({100 * share[most]:.0f} %)" if sd[i] > 0 else "nothing"
        cells = [f"<b>{html.escape(variable)}</b>", _number(mean[i]), _number(sd[i], 3), depends]
        rows.append("<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells) + "</tr>")
    more = len(solution.variables) - MOST_ROWS
    note = f"<div>… and {more} more</div>" if more > 0 else ""
    return f"<table style='border-collapse:collapse'><tr>{head}</tr>{''.join(rows)}</table>{note}"


def _picture(solution: Solution) -> str:
    """x*(theta) along the first parameter that matters, the others at their medians."""
    laws = list(solution.parameters.values())
    k = chosen_parameter(solution)
    thetas = np.tile([float(law.quantile(0.5)) for law in laws], (81, 1))
    thetas[:, k] = np.linspace(float(laws[k].quantile(0.001)), float(laws[k].quantile(0.999)), 81)
    x = solution(thetas)[:, :len(COLORS)]
    low, high = float(x.min()), float(x.max())
    across = LEFT + (WIDTH - LEFT - MARGIN) * np.linspace(0, 1, 81)
    lines = []
    for i in range(x.shape[1]):
        up = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * ((x[:, i] - low) / (high - low) if high > low else np.full(81, 0.5))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up))
        lines.append(f"<polyline points='{points}' fill='none' stroke='{COLORS[i]}' stroke-width='2'/>")
    name = html.escape(list(solution.parameters)[k])
    small = "font-size='10' fill='currentColor'"
    legend = "".join(f"<text x='{WIDTH - 2}' y='{12 + 12 * i}' text-anchor='end' font-size='10' fill='{COLORS[i]}'>{html.escape(one)}</text>"
                     for i, one in enumerate(solution.variables[:len(COLORS)]))
    return (f"<svg width='{WIDTH}' height='{HEIGHT}' role='img' aria-label='the optimum along {name}'>{''.join(lines)}{legend}"
            f"<text x='{LEFT}' y='{HEIGHT - 8}' {small}>{thetas[0, k]:.3g}</text>"
            f"<text x='{WIDTH - MARGIN}' y='{HEIGHT - 8}' text-anchor='end' {small}>{thetas[-1, k]:.3g}</text>"
            f"<text x='{WIDTH / 2}' y='{HEIGHT - 8}' text-anchor='middle' {small}>{name}</text>"
            f"<text x='{LEFT - 6}' y='{MARGIN + 4}' text-anchor='end' {small}>{high:.3g}</text>"
            f"<text x='{LEFT - 6}' y='{HEIGHT - MARGIN}' text-anchor='end' {small}>{low:.3g}</text></svg>")


def first_screen(solution: Solution) -> str:
    """Status, error and what limits it; mean and sd of the components; x*(theta)."""
    color = "#2b7a4b" if solution.status in ("converged", "completed") else "#b3541e" if solution.ok else "#b3261e"
    badge = (f"<span style='background:{color};color:white;border-radius:0.3rem;padding:0.1rem 0.5rem'>"
             f"{html.escape(solution.status)}</span>")
    title = f"<b>{html.escape(solution.title)}</b> " if solution.title else ""
    lines = [f"<div>{title}{badge} {html.escape(solution.message)}</div>"]
    if solution.ok:
        error = solution.error
        parts = ", ".join(f"{name} {_number(part, 2)}" for name, part in
                          (("basis", error.basis), ("sampling", error.sampling), ("optimisation", error.optimisation)) if part is not None)
        lines.append(f"<div>parts of the error: {parts or 'not known'}; "
                     f"{len(solution.coefficients)} functions, {solution.gradients:,} gradients, {solution.seconds:.2g} s</div>")
        lines.append(f"<div style='display:flex;flex-wrap:wrap;gap:1rem;align-items:center'>{_table(solution)}{_picture(solution)}</div>")
    return f"<div style='{STYLE}'>{''.join(lines)}</div>"
