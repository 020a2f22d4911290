// Which parameter is responsible for which part of the variance.

function sobolSection({ summary, distribution }, expansion) {
  const { variables: names, parameters, sobol } = summary;
  if (parameters.length === 1) {
    section('sobol', 'Sobol’', 'Sobol’ indices: which parameter matters', element('p', {},
      `There is one parameter: all the variance is due to ${parameters[0]}.`));
    return;
  }
  const views = [];
  let selected = 0;
  const bars = new Chart({
    id: 'sobol-bars', label: 'Sobol’ indices of each parameter for one component',
    height: 110 + (parameters.length <= 10 ? 34 : 22) * parameters.length,
    caption: 'Main: the share of the variance due to the parameter alone. Total: with its interactions.',
    build: () => sobolBars(summary, distribution.sobol_errors, selected),
    numbers: () => ({
      columns: ['parameter', 'main', 'total'],
      rows: parameters.map((name, k) => [name, ...['main', 'total'].map((kind) =>
        withError(sobol[kind][selected][k], distribution.sobol_errors[kind][selected][k]))]),
    }),
  });
  if (names.length > 1) {
    views.push(choice('sobol-component', 'Component', names, 0,
      (i) => { selected = i; bars.refresh(); }));
  }
  views.push(bars.figure);
  if (names.length > 1) views.push(...sobolHeatMap(names, parameters, sobol));
  if (expansion.factor !== null) {
    views.push(element('p', { class: 'quiet' }, 'The parameters depend on each other. The indices are '
      + 'those of the independent variables behind them: each stands for what its parameter adds to '
      + 'the ones before it.'));
  }
  section('sobol', 'Sobol’', 'Sobol’ indices: which parameter matters', views);
}

function sobolBars({ variables, parameters, sobol }, errors, selected) {
  const order = parameters.map((_, k) => k)
    .sort((a, b) => sobol.total[selected][b] - sobol.total[selected][a]);
  const bar = (name, shade) => ({
    type: 'bar', orientation: 'h', name, x: order.map((k) => sobol[name][selected][k]),
    error_x: {
      type: 'data', array: order.map((k) => errors[name][selected][k]), color: colour('axis'),
      thickness: 1, width: 3,
    },
    y: order.map((k) => plain(parameters[k])), marker: { color: curveColour(shade) },
    hovertemplate: `%{y}: ${name} %{x:.4f}<extra></extra>`,
  });
  return {
    traces: [bar('main', 0), bar('total', 1)],
    layout: {
      barmode: 'group', bargap: 0.3, showlegend: true,
      legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', traceorder: 'normal' },
      margin: { l: 56, r: 16, t: 34, b: 44 },
      xaxis: axis(`share of the variance of ${plain(variables[selected])}`, { range: [0, 1.02] }),
      yaxis: axis('', { type: 'category', autorange: 'reversed', ticks: '' }),
    },
  };
}

function sobolHeatMap(names, parameters, sobol) {
  let kind = 'total';
  const chart = new Chart({
    id: 'sobol-map', label: 'Sobol’ indices of every component and parameter',
    height: Math.min(900, 140 + 30 * names.length), width: 260 + 110 * parameters.length,
    build: () => ({
      traces: [{
        type: 'heatmap', x: parameters.map(plain), y: names.map(plain), z: sobol[kind], zmin: 0, zmax: 1,
        colorscale: [[0, colour('middle')], [1, colour('high')]],
        xgap: parameters.length <= 40 ? 1 : 0, ygap: names.length <= 40 ? 1 : 0,
        colorbar: { thickness: 12, outlinewidth: 0 },
        hovertemplate: `%{y}: ${kind} index of %{x} = %{z:.4f}<extra></extra>`,
        ...cellText(sobol[kind], 2, parameters.length),
      }],
      layout: {
        xaxis: axis('', { type: 'category', showline: false, showgrid: false }),
        yaxis: axis('', { type: 'category', autorange: 'reversed', showline: false, showgrid: false }),
      },
    }),
    numbers: () => ({
      columns: ['', ...parameters],
      rows: names.map((name, i) => [name, ...sobol[kind][i].map((value) => number(value, 3))]),
    }),
  });
  const kinds = ['total', 'main'];
  return [
    alternatives('sobol-kind', 'All components at once:', kinds, 0,
      (i) => { kind = kinds[i]; chart.refresh(); }),
    chart.figure,
  ];
}
