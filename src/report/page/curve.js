// x*(θ) along one parameter, the others where their sliders are; the slider of the parameter itself
// moves a line that reads the curves off.

const mostCurves = 6;

// The parameter with the largest share of the variance.
function mostInfluential({ sobol, sd }) {
  const weight = (k) => sobol.total.reduce((sum, row, i) => sum + row[k] * sd[i] ** 2, 0);
  const weights = sobol.total[0].map((_, k) => weight(k));
  return weights.indexOf(Math.max(...weights));
}

class CurveView {
  constructor(data, expansion) {
    this.expansion = expansion;
    this.names = data.summary.variables;
    this.errors = componentErrors(data.summary);
    this.separate = Boolean(data.summary.component_errors);
    this.along = mostInfluential(data.summary);
    this.position = expansion.parameters.map(({ median }) => median);
    this.shown = this.names.map((_, i) => i).slice(0, this.names.length <= mostCurves ? mostCurves : 3);
    this.hiddenComponents = new Set();
    this.sliders = expansion.parameters.map((parameter, k) => this.#slider(parameter, k));
    this.reading = element('p', { class: 'reading', id: 'reading', 'aria-live': 'polite' });
    this.binding = element('p', { class: 'quiet', id: 'binding', 'aria-live': 'polite' });
    this.legend = element('div');
    this.chart = new Chart({
      id: 'curve', label: 'The optimum as a function of one parameter, with its error band',
      height: 400, build: () => this.#build(), numbers: () => this.#numbers(),
    });
  }

  elements() {
    const { parameters } = this.expansion;
    this.#fillLegend();
    this.update();
    const sliders = element('div', { class: 'sliders' }, this.sliders.map(({ row }) => row));
    const reset = element('button', {
      type: 'button', id: 'reset', onclick: () => {
        this.sliders.forEach(({ input }, k) => { input.value = parameters[k].median; });
        this.update();
      },
    }, 'All to their medians');
    return [
      parameters.length > 1 ? choice('along', 'Along', parameters.map(({ name }) => name), this.along,
        (k) => { this.along = k; this.update(); }) : null,
      this.legend, this.chart.figure, this.reading, this.expansion.lift === null ? null : this.binding,
      parameters.length > 8
        ? element('details', { class: 'panel' },
          element('summary', {}, `Set the ${parameters.length} parameters`), reset, sliders)
        : element('div', { class: 'panel' }, sliders, parameters.length > 1 ? reset : null),
    ];
  }

  #slider({ name, distribution, grid, median }, k) {
    const input = element('input', {
      type: 'range', id: `slider-${k}`, min: 0, max: grid.length - 1, step: 1, value: median,
      oninput: () => this.update(),
    });
    const value = element('output', { for: `slider-${k}` });
    const row = element('div', { class: 'slider' },
      element('label', { for: `slider-${k}` }, name), value, input,
      element('span', { class: 'quiet' }, distribution));
    return { input, value, row };
  }

  // More components than curves: some to begin with, others on request.
  #fillLegend() {
    const { names } = this;
    const boxes = toggles('Components', this.shown.map((component, i) => ({
      name: names[component], colour: i, shown: !this.hiddenComponents.has(component),
    })), (i, shown) => {
      this.hiddenComponents[shown ? 'delete' : 'add'](this.shown[i]);
      this.update();
    });
    const others = names.map((_, i) => i).filter((i) => !this.shown.includes(i));
    const more = others.length === 0 ? null : choice('add-component', 'Show another',
      ['choose …', ...others.map((i) => names[i])], 0, (chosen) => {
        if (chosen === 0) return;
        if (this.shown.length === mostCurves) this.shown.shift();
        this.shown.push(others[chosen - 1]);
        this.hiddenComponents.delete(others[chosen - 1]);
        this.#fillLegend();
        this.update();
        byId('add-component').focus();
      });
    this.legend.replaceChildren(boxes, ...(more ? [more] : []));
  }

  #visible() {
    return this.shown.filter((component) => !this.hiddenComponents.has(component));
  }

  // The curves of the visible components over the grid of the chosen parameter.
  #curves() {
    const components = this.#visible();
    const { grid } = this.expansion.parameters[this.along];
    const position = [...this.position];
    const curves = components.map(() => []);
    // Nearest points of many components take their time.
    const stride = this.expansion.lift !== null && this.names.length > 30 && grid.length > 50 ? 8 : 1;
    const points = [];
    for (let j = 0; j < grid.length; j += stride) {
      position[this.along] = j;
      points.push(grid[j]);
      this.expansion.evaluate(position, components).forEach((x, c) => { curves[c].push(x); });
    }
    return { components, grid: points, curves };
  }

  update() {
    const { parameters } = this.expansion;
    this.sliders.forEach(({ input, value }, k) => {
      this.position[k] = Number(input.value);
      const text = number(parameters[k].grid[this.position[k]], 4);
      value.textContent = text;
      input.setAttribute('aria-valuetext', `${parameters[k].name} = ${text}`);
      input.closest('.slider').classList.toggle('current', k === this.along);
    });
    const components = this.#visible();
    const x = this.expansion.evaluate(this.position, components);
    const { name, grid } = parameters[this.along];
    this.reading.textContent = components.length === 0 ? ''
      : `At ${name} = ${number(grid[this.position[this.along]], 4)}: `
        + components.map((component, c) =>
          `${this.names[component]} = ${withError(x[c], this.errors[component])}`).join(', ');
    this.binding.textContent = bindingThere(this.expansion, this.position);
    this.chart.refresh();
  }

  #build() {
    const { components, grid, curves } = this.#curves();
    const parameter = this.expansion.parameters[this.along];
    const traces = [];
    components.forEach((component, c) => {
      const error = this.errors[component];
      const shade = this.shown.indexOf(component);
      if (known(error)) traces.push(errorBand(grid, curves[c], error, shade));
      traces.push(curve(this.names[component], shade, grid, curves[c],
        { markers: parameter.discrete && grid.length <= 60 }));
    });
    this.chart.caption.textContent = this.#captionOf(components, curves);
    const at = parameter.grid[this.position[this.along]];
    return {
      traces,
      layout: {
        hovermode: 'x unified',
        xaxis: parameter.logarithmic
          ? logAxis(plain(parameter.name), grid, { hoverformat: '.4~g' })
          : axis(plain(parameter.name), { hoverformat: '.4~g' }),
        yaxis: axis(components.length === 1 ? plain(this.names[components[0]]) : 'optimum'),
        shapes: [{
          type: 'line', x0: at, x1: at, yref: 'paper', y0: 0, y1: 1,
          line: { color: colour('axis'), width: 1, dash: 'dot' },
        }],
      },
    };
  }

  #captionOf(components, curves) {
    const errors = components.map((component) => this.errors[component]).filter(known);
    if (errors.length === 0) return 'Its error is not known.';
    const values = curves.flat();
    const height = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
    const largest = Math.max(...errors);
    const whose = this.separate || this.names.length === 1
      ? 'the component' : 'all components together';
    const band = `The band is ± the estimated error of ${whose} (its root mean square over θ, ${
      errors.length > 1 && Math.min(...errors) < largest ? 'at most ' : ''}${number(largest)})`;
    return largest < 0.004 * height ? `${band}: narrower than the line.` : `${band}.`;
  }

  #numbers() {
    const { components, grid, curves } = this.#curves();
    const step = Math.max(1, Math.floor((grid.length - 1) / 20));
    const rows = [];
    for (let j = 0; j < grid.length; j += step)
      rows.push([number(grid[j], 5), ...curves.map((values) => number(values[j], 6))]);
    return {
      columns: [this.expansion.parameters[this.along].name, ...components.map((c) => this.names[c])],
      rows,
    };
  }
}

function errorBand(x, y, error, shade) {
  return {
    type: 'scatter', mode: 'lines', fill: 'toself', hoverinfo: 'skip', line: { width: 0 },
    fillcolor: faded(curveColour(shade), 0.22),
    x: [...x, ...[...x].reverse()],
    y: [...y.map((value) => value + error), ...[...y].reverse().map((value) => value - error)],
  };
}

// The error of each component where it is known by itself, else that of all together.
const componentErrors = (summary) =>
  summary.variables.map((_, i) => summary.component_errors?.[i] ?? summary.error.estimate);

function curveSection(data, expansion) {
  if (!expansion.evaluable) {
    section('optimum', 'Optimum', 'The optimum as a function of θ', element('p', {},
      'The constraints of this problem are C++ code, which a page cannot run: chaosgrad draws no curves here.'));
    return;
  }
  const view = new CurveView(data, expansion);
  section('optimum', 'Optimum', 'The optimum as a function of θ', view.elements());
}
