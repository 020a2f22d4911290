// Error against work.

// Curves with check boxes and a choice of the axis. `curves(axisKey)` → [{ name, colour, dash, x, y }].
function workChart({ id, label, axes, curves, caption, level }) {
  let work = 0;
  const entries = curves(axes[0].key);
  const shown = entries.map(() => true);
  const current = () => curves(axes[work].key).filter((_, i) => shown[i]);
  const chart = new Chart({
    id, label, height: 400, caption,
    build: () => ({
      traces: current().map(({ name, colour: shade, dash, markers, x, y }) =>
        curve(name, shade, x, y, { dash, markers, hover: `%{x:.4~s}: %{y:.3~g}` })),
      layout: {
        xaxis: logAxis(axes[work].title, current().map(({ x }) => x)),
        yaxis: errorAxis(current(), level),
        ...levelLine(level),
      },
    }),
    numbers: () => workNumbers(axes[work].title, current()),
  });
  return [
    element('div', { class: 'controls' },
      toggles('Curves', entries.map(({ name, colour: shade, dash }) =>
        ({ name, colour: shade, dash, shown: true })),
      (i, on) => { shown[i] = on; chart.refresh(); }),
      axes.length > 1 ? alternatives(`${id}-axis`, 'Against', axes.map(({ name }) => name), 0,
        (i) => { work = i; chart.refresh(); }) : null),
    chart.figure,
  ];
}

// Parts of an error that are nothing beside the error itself lie below the axis.
function errorAxis(curves, level) {
  const values = curves.flatMap(({ y }) => y).filter(known);
  const errors = curves.filter(({ key }) => ['estimate', 'true_error'].includes(key))
    .flatMap(({ y }) => y).filter(known);
  const shown = errors.length === 0 ? values : values.filter((value) => value > 1e-3 * Math.min(...errors));
  if (known(level)) shown.push(level);
  return logAxis('error', shown, shown.length === 0 ? {} : { range: logRange(shown) });
}

// What was asked for.
function levelLine(level) {
  if (!known(level) || level <= 0) return {};
  return {
    shapes: [{
      type: 'line', xref: 'paper', x0: 0, x1: 1, y0: level, y1: level,
      line: { color: colour('quiet'), width: 1, dash: 'dot' },
    }],
    annotations: [{
      xref: 'paper', x: 0, xanchor: 'left', y: Math.log10(level), yanchor: 'bottom', showarrow: false,
      text: 'tolerance', font: { size: 11, color: colour('quiet') },
    }],
  };
}

// About twenty rows of curves that share their abscissae, else the last point of each.
function workNumbers(title, curves) {
  const together = curves.length > 0
    && curves.every(({ x }) => x.length === curves[0].x.length && x.every((v, i) => v === curves[0].x[i]));
  if (!together) {
    return {
      columns: ['curve', title, 'at its end'],
      rows: curves.map(({ name, x, y }) => [name, number(x.at(-1), 6), number(y.at(-1), 4)]),
    };
  }
  const length = curves[0].x.length;
  const rows = Array.from({ length: Math.min(20, length) },
    (_, j) => Math.round(j * (length - 1) / Math.max(1, Math.min(20, length) - 1)));
  return {
    columns: [title, ...curves.map(({ name }) => name)],
    rows: rows.map((i) => [number(curves[0].x[i], 6), ...curves.map(({ y }) => number(y[i], 4))]),
  };
}

function convergenceSection({ summary, history, tolerance }) {
  const axes = knownAxes([history]);
  const list = errorCurves(history);
  if (axes.length === 0 || list.length === 0) return;
  const totals = {
    gradients: summary.gradient_evaluations, seconds: summary.seconds, k: summary.iterations,
  };
  const curves = (key) => {
    const measured = list.map((entry, i) => ({ ...entry, colour: i, x: positive(history[key]) }));
    if (history.estimate) return measured;
    // The error was measured once, at the end.
    return [...measured, ...['estimate', ...parts.map((part) => part.key)]
      .filter((part) => known(summary.error[part]) && summary.error[part] > 0)
      .map((part, i) => ({
        name: part === 'estimate' ? 'error estimate, at the end' : `${part} part`, markers: true,
        colour: list.length + i, x: [totals[key]], y: [summary.error[part]],
      }))];
  };
  section('convergence', 'Convergence', 'Convergence', workChart({
    id: 'convergence-chart', label: 'Errors and gradient norm against the work done', axes, curves, level: tolerance,
    caption: history.bound
      ? 'The theorem bounds the mean of ‖u − P u*‖² over all runs; one run may be above its own mean.'
      : history.estimate ? 'Where a part is 0 its curve is interrupted.' : '',
  }));
}
