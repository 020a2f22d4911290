// How each component of the optimum is distributed, and how they move together.

function distributionSection({ summary, distribution }) {
  const names = summary.variables;
  const errors = componentErrors(summary);
  let selected = 0;
  const chart = new Chart({
    id: 'density', label: 'Density of one component of the optimum, with its quantiles',
    build: () => densityChart(names[selected], distribution, selected, chart),
    numbers: () => densityNumbers(distribution, selected),
  });
  const { levels } = distribution;
  const rows = names.map((name, i) => [name, withError(summary.mean[i], errors[i]),
    withError(summary.sd[i], errors[i]),
    ...distribution.components[i].quantiles.map((value) => number(value, 4))]);
  section('distribution', 'How the optimum is distributed',
    names.length > 1 ? choice('density-component', 'Component', names, 0,
      (i) => { selected = i; chart.refresh(); }) : null,
    chart.figure,
    table('Mean, standard deviation and quantiles of each component',
      ['', 'mean', 'standard deviation', ...levels.map((level) => `${100 * level} %`)], rows),
    quantityTable(summary));
}

const centres = ({ low, high }, bins) =>
  Array.from(bins, (_, j) => low + (j + 0.5) * (high - low) / bins.length);

function densityChart(name, distribution, selected, chart) {
  const { histogram, quantiles } = distribution.components[selected];
  if (histogram === null) {
    chart.caption.textContent = `${name} does not depend on θ.`;
    return { traces: [], layout: { xaxis: { visible: false }, yaxis: { visible: false } } };
  }
  const density = doubles(histogram.density);
  const width = (histogram.high - histogram.low) / density.length;
  const outside = histogram.outside > 0
    ? `; ${percent(histogram.outside)} of the mass lies outside the picture` : '';
  chart.caption.textContent =
    `From ${count(distribution.points)} points of θ${outside}. Lines: quantiles.`;
  const lines = [1, 3, 5].map((j) => ({ value: quantiles[j], level: distribution.levels[j] }));
  return {
    traces: [{
      type: 'bar', x: centres(histogram, density), y: [...density], width,
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

function densityNumbers(distribution, selected) {
  const { histogram } = distribution.components[selected];
  if (histogram === null) return { columns: ['value', 'density'], rows: [] };
  const density = doubles(histogram.density);
  return {
    columns: ['value', 'density'],
    rows: centres(histogram, density).map((x, j) => [number(x, 5), number(density[j], 4)]),
  };
}

function quantityTable({ quantities }) {
  const entries = Object.entries(quantities ?? {});
  if (entries.length === 0) return null;
  return element('div', {}, element('h3', {}, 'Other quantities'),
    table('Mean and standard deviation of each quantity', ['', 'mean', 'standard deviation'],
      entries.map(([name, { mean, sd, error }]) => [name, withError(mean, error), number(sd, 5)])));
}

// Cells of a heat map carry their numbers while there is room.
const cellText = (values, digits, columns) => (columns <= 12 ? {
  text: values.map((row) => row.map((value) => (value === null ? '' : value.toFixed(digits)))),
  texttemplate: '%{text}',
} : {});

function correlationSection({ summary }, expansion) {
  const names = summary.variables;
  if (names.length < 2) return;
  const correlations = expansion.correlations();
  const chart = new Chart({
    id: 'correlation', label: 'Correlations of the components of the optimum over θ',
    height: Math.min(720, 120 + 44 * names.length),
    caption: 'How the components move together as θ varies: 1 together, −1 oppositely.',
    build: () => ({
      traces: [{
        type: 'heatmap', x: names.map(plain), y: names.map(plain), z: correlations, zmin: -1, zmax: 1,
        colorscale: [[0, colour('low')], [0.5, colour('middle')], [1, colour('high')]],
        xgap: names.length <= 40 ? 1 : 0, ygap: names.length <= 40 ? 1 : 0,
        colorbar: { thickness: 12, outlinewidth: 0, tickvals: [-1, -0.5, 0, 0.5, 1] },
        hovertemplate: '%{y}, %{x}: %{z:.3f}<extra></extra>',
        ...cellText(correlations, 2, names.length),
      }],
      layout: {
        xaxis: axis('', { type: 'category', showline: false, showgrid: false }),
        yaxis: axis('', { type: 'category', autorange: 'reversed', showline: false, showgrid: false }),
      },
    }),
    numbers: () => ({
      columns: ['', ...names],
      rows: names.map((name, i) => [name, ...correlations[i].map((value) => number(value, 3))]),
    }),
  });
  section('correlations', 'Correlations', chart.figure);
}
