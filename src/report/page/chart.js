// Charts: drawn when they come near the window, again when their data or the colours change. Each
// has its numbers as a table too.

const charts = [];
const fontSize = 13;

// Axis titles and styles in the colours of the page.
function axis(title, more = {}) {
  return {
    title: { text: title, standoff: 8 }, gridcolor: colour('line'), linecolor: colour('axis'),
    zeroline: false, showline: true, ticks: 'outside', ticklen: 4, tickcolor: colour('axis'),
    automargin: true, exponentformat: 'power', ...more,
  };
}

// A logarithmic axis for the given values: lines at powers of ten, and in between where there are few.
function logAxis(title, values, more = {}) {
  const logarithms = values.flat().filter((value) => value > 0).map(Math.log10);
  const decades = logarithms.reduce((a, b) => Math.max(a, b), -Infinity)
    - logarithms.reduce((a, b) => Math.min(a, b), Infinity);
  // The library draws powers of ten a quarter larger than other numbers.
  const ticks = decades >= 1.5 ? { dtick: Math.ceil(decades / 8), tickfont: { size: fontSize / 1.25 } } : {};
  return axis(title, { type: 'log', ...ticks, ...more });
}

// The range of a logarithmic axis around positive values.
function logRange(values) {
  const logarithms = values.map(Math.log10);
  const low = Math.min(...logarithms);
  const high = Math.max(...logarithms);
  const room = 0.05 * (high - low) + 0.1;
  return [low - room, high + room];
}

// Gradients, seconds, iterations: 20k rather than 2×10⁴.
const workAxis = (title, more = {}) => axis(title, { tickformat: '~s', ...more });

function layout(more) {
  return {
    font: { family: colour('sans'), size: fontSize, color: colour('ink') },
    paper_bgcolor: 'rgba(0, 0, 0, 0)', plot_bgcolor: 'rgba(0, 0, 0, 0)',
    margin: { l: 56, r: 16, t: 12, b: 44 }, hovermode: 'closest', showlegend: false,
    hoverlabel: {
      bgcolor: colour('raised'), bordercolor: colour('axis'),
      font: { color: colour('ink'), family: colour('sans') },
    },
    modebar: { bgcolor: 'rgba(0, 0, 0, 0)', color: colour('axis'), activecolor: colour('ink') },
    ...more,
  };
}

const chartSettings = {
  displaylogo: false, responsive: true,
  modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d'],
};

// build() → { traces, layout }; numbers() → { columns, rows }; label: what it shows, in words.
class Chart {
  constructor({ id, label, caption, height = 340, width, build, numbers }) {
    this.build = build;
    this.drawn = false;
    this.canvas = element('div', {
      class: 'chart', id, role: 'img', 'aria-label': label, style: { height: `${height}px`, maxWidth: width ? `${width}px` : '' },
    });
    this.caption = element('figcaption', {}, caption ?? '');
    this.values = element('details', { class: 'values' },
      element('summary', {}, 'The numbers as a table'));
    this.values.addEventListener('toggle', () => this.fillTable());
    this.numbers = numbers;
    this.label = label;
    this.figure = element('figure', {}, this.canvas, this.caption, numbers ? this.values : null);
    charts.push(this);
    chartObserver.observe(this.canvas);
  }

  // As wide as its place, or as asked.
  draw(width) {
    this.drawn = true;
    const { traces, layout: extra } = this.build();
    Plotly.react(this.canvas, traces, layout(width ? { ...extra, width } : extra), chartSettings);
  }

  // The data have changed.
  refresh() {
    if (this.drawn) this.draw();
    this.fillTable();
  }

  fillTable() {
    if (!this.values.open) return;
    const { columns, rows } = this.numbers();
    this.values.querySelector('.scroll')?.remove();
    this.values.append(table(this.label, columns, rows));
  }
}

const chartObserver = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    chartObserver.unobserve(entry.target);
    charts.find((chart) => chart.canvas === entry.target).draw();
  }
}, { rootMargin: '300px' });

themeListeners.push(() => {
  for (const chart of charts) if (chart.drawn) chart.draw();
});

// On paper every chart is there, as wide as an A4 or letter sheet lets it.
const paperWidth = 640;
function drawForPaper() {
  for (const chart of charts) chart.draw(Math.min(paperWidth, parseInt(chart.canvas.style.maxWidth, 10) || paperWidth));
}
window.addEventListener('beforeprint', () => {
  applyTheme('light');
  drawForPaper();
});
window.addEventListener('afterprint', () => applyTheme());
onPaper.addEventListener('change', () => {
  if (onPaper.matches) drawForPaper();
});

// One curve. Points that are null interrupt it; a single point is shown as a marker.
function curve(name, colourIndex, x, y, more = {}) {
  const { dash, markers, hover = '%{y:.4~g}' } = more;
  return {
    type: 'scatter', mode: markers || x.length === 1 ? 'lines+markers' : 'lines', name: plain(name), x, y,
    line: { color: curveColour(colourIndex), width: 2, dash: dash ? 'dash' : 'solid', simplify: false },
    marker: { color: curveColour(colourIndex), size: 6 },
    hovertemplate: `${hover}<extra>${plain(name)}</extra>`,
  };
}
