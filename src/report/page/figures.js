// The paper's experiments: what was found beside what the paper says, and the curves.

const shownFact = (value) => (value === null ? '–' : typeof value === 'number' ? number(value, 4) : String(value));

function figuresPage({ figures, version }) {
  for (const { name, charts: panels, facts: found } of figures) {
    const headline = Object.entries(found.headline ?? {});
    section(name, name, panels.length === 1 ? panels[0].title : `${name}: ${panels.map(({ title }) => title).join('; ')}`,
      headline.length > 0 ? table(`Headline of ${name}`, ['', 'here', 'the paper'], headline.map(
        ([fact, { ours, paper }]) => [fact, shownFact(ours), shownFact(paper)])) : null,
      panels.map((panel, i) => figureChart(`${name}-${i}`, panel, panels.length > 1)),
      element('p', { class: 'quiet' },
        `${count(found.trials)} trials, seed ${found.seed}. The numbers: ${name}.csv, ${name}.json.`));
  }
  section('reproduce', 'Reproduce', 'To compute it again',
    element('pre', { tabindex: 0, 'aria-label': 'Command' },
      `chaosgrad reproduce ${figures.map(({ name }) => name).join(' ')} --trials ${
        figures[0].facts.trials} --seed ${figures[0].facts.seed}`),
    facts([['Version', version]]));
}

function figureChart(id, panel, titled) {
  const shown = panel.series.map(() => true);
  const visible = () => panel.series.filter((_, i) => shown[i]);
  const limited = (values) => values.map((value) =>
    (known(value) && (!panel.log_y || value > 0) ? Math.min(value, panel.largest_y ?? Infinity) : null));
  const chart = new Chart({
    id, label: panel.title, height: 400,
    build: () => ({
      traces: panel.series.map((series, i) => ({ series, i })).filter(({ i }) => shown[i]).map(
        ({ series, i }) => curve(series.label, i, series.x, limited(series.y),
          { dash: series.dashed, markers: series.markers, hover: '%{x:.4~g}: %{y:.3~g}' })),
      layout: {
        xaxis: panel.log_x ? logAxis(plain(panel.x_label), visible().map(({ x }) => x))
          : axis(plain(panel.x_label)),
        yaxis: panel.log_y ? logAxis(plain(panel.y_label), visible().map(({ y }) => limited(y)))
          : axis(plain(panel.y_label)),
      },
    }),
    numbers: () => workNumbers(panel.x_label,
      visible().map(({ label, x, y }) => ({ name: label, x, y }))),
  });
  return [
    titled ? element('h3', {}, panel.title) : null,
    toggles('Curves', panel.series.map(({ label, dashed }, i) =>
      ({ name: label, colour: i, dash: dashed, shown: true })),
    (i, on) => { shown[i] = on; chart.refresh(); }),
    chart.figure,
  ];
}
