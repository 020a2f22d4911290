// How each component of the optimum, and each other quantity, is distributed; how components move
// together.

function distributionSection({ summary, distribution }) {
  const { outputs, levels } = distribution;
  const names = outputs.map(({ name }) => name);
  let selected = 0;
  const chart = new Chart({
    id: 'density', label: 'Density of one component of the optimum, with its quantiles',
    build: () => densityChart(outputs[selected], levels, chart),
    numbers: () => densityNumbers(outputs[selected]),
  });
  section('distribution', 'Distribution', 'How the optimum is distributed',
    names.length > 1 ? choice('density-component', 'Component', names, 0,
      (i) => { selected = i; chart.refresh(); }) : null,
    chart.figure,
    table('Mean, standard deviation and quantiles of each component',
      ['', 'mean', 'standard deviation', ...levels.map((level) => `${100 * level} %`)],
      outputs.map(({ name, mean, sd, quantiles }) =>
        [name, ...[mean, sd, ...quantiles].map((pair) => valueAndError(...pair))])),
    element('p', { class: 'quiet' },
      `Each ± holds with confidence ${percent(distribution.confidence)}, error of the expansion included.`,
      unsampled(summary, distribution)));
}

const centres = (edges) => Array.from({ length: edges.length - 1 }, (_, j) => (edges[j] + edges[j + 1]) / 2);

function densityChart({ name, histogram, quantiles }, levels, chart) {
  if (histogram === null) {
    chart.caption.textContent = `${name} does not depend on θ.`;
    return { traces: [], layout: { xaxis: { visible: false }, yaxis: { visible: false } } };
  }
  const edges = doubles(histogram.edges);
  const density = [...doubles(histogram.density)];
  chart.caption.textContent = 'The density between the 0.1 % and the 99.9 % quantile. Lines: quantiles.';
  const lines = levels.map((level, j) => ({ level, value: quantiles[j][0] }))
    .filter(({ level }) => [0.05, 0.5, 0.95].includes(level));
  return {
    traces: [{
      type: 'bar', x: centres(edges), y: density, width: edges[1] - edges[0],
      marker: { color: faded(curveColour(0), 0.55), line: { width: 0 } },
      hovertemplate: '%{x:.4~g}: density %{y:.3~g}<extra></extra>', name: plain(name),
    }],
    layout: {
      bargap: 0, margin: { l: 56, r: 16, t: 26, b: 44 },
      xaxis: axis(plain(name)), yaxis: axis('density', { rangemode: 'tozero' }),
      shapes: lines.map(({ value }) => ({
        type: 'line', x0: value, x1: value, yref: 'paper', y0: 0, y1: 1,
        line: { color: colour('ink'), width: 1, dash: 'dot' },
      })),
      annotations: lines.map(({ value, level }) => ({
        x: value, y: 1, yref: 'paper', yanchor: 'bottom', showarrow: false,
        text: level === 0.5 ? 'median' : `${100 * level} %`, font: { size: 11, color: colour('quiet') },
      })),
    },
  };
}

function densityNumbers({ histogram }) {
  if (histogram === null) return { columns: ['value', 'density'], rows: [] };
  const density = doubles(histogram.density);
  return {
    columns: ['value', 'density'],
    rows: centres(doubles(histogram.edges)).map((x, j) => [number(x, 5), number(density[j], 4)]),
  };
}

// Cells of a heat map carry their numbers while there is room.
const cellText = (values, digits, columns) => (columns <= 12 ? {
  text: values.map((row) => row.map((value) => (value === null ? '' : value.toFixed(digits)))),
  texttemplate: '%{text}',
} : {});

function correlationSection({ summary, distribution }, expansion) {
  const names = summary.variables;
  if (names.length < 2) return;
  let found = null;  // when the chart is drawn: with many components it takes its time
  const correlations = () => { found ??= distribution.correlations ?? expansion.correlations(); return found; };
  const chart = new Chart({
    id: 'correlation', label: 'Correlations of the components of the optimum over θ',
    height: Math.min(720, 120 + 44 * names.length), width: 260 + 110 * names.length,
    caption: 'How the components move together as θ varies: 1 together, −1 oppositely.',
    build: () => ({
      traces: [{
        type: 'heatmap', x: names.map(plain), y: names.map(plain), z: correlations(), zmin: -1, zmax: 1,
        colorscale: [[0, colour('low')], [0.5, colour('middle')], [1, colour('high')]],
        xgap: names.length <= 40 ? 1 : 0, ygap: names.length <= 40 ? 1 : 0,
        colorbar: { thickness: 12, outlinewidth: 0, tickvals: [-1, -0.5, 0, 0.5, 1] },
        hovertemplate: '%{y}, %{x}: %{z:.3f}<extra></extra>',
        ...cellText(correlations(), 2, names.length),
      }],
      layout: {
        xaxis: axis('', { type: 'category', showline: false, showgrid: false }),
        yaxis: axis('', { type: 'category', autorange: 'reversed', showline: false, showgrid: false }),
      },
    }),
    numbers: () => ({
      columns: ['', ...names],
      rows: names.map((name, i) => [name, ...correlations()[i].map((value) => number(value, 3))]),
    }),
  });
  section('correlations', 'Correlations', 'Correlations', chart.figure);
}
