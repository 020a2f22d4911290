// How fast the coefficients fall with the degree: a straight or steep fall says that the basis suits x*.

function decaySection({ summary }, expansion) {
  if (expansion.functions < 3) return;
  const names = ['all together', ...summary.variables];
  let selected = 0;
  const sizes = () => {
    const columns = selected === 0 ? summary.variables.map((_, c) => c) : [selected - 1];
    return Array.from({ length: expansion.functions }, (_, i) => Math.hypot(
      ...columns.map((c) => expansion.coefficients[i * expansion.components + c])));
  };
  const degrees = Array.from({ length: expansion.functions }, (_, i) => expansion.degree(i));
  const byDegree = (values) => {
    const squares = new Array(Math.max(...degrees) + 1).fill(0);
    values.forEach((value, i) => { squares[degrees[i]] += value * value; });
    return squares.map(Math.sqrt);
  };
  const chart = new Chart({
    id: 'decay', label: 'Size of the coefficients by degree',
    caption: 'Dots: each coefficient. Line: all of one degree together, the root of the sum of squares.'
      + (expansion.lift === null ? '' : ' They are those of y(θ), a function without the kinks that '
        + 'constraints make: the optimum is the point nearest to it that satisfies them.'),
    build: () => {
      const values = sizes();
      const norms = byDegree(values);
      const shown = positive([...values, ...norms]).filter((value) => value > 1e-14 * Math.max(...norms));
      return {
        traces: [{
          type: 'scatter', mode: 'markers', name: 'each', x: degrees, y: positive(values),
          marker: { color: faded(curveColour(0), 0.45), size: 6 },
          text: values.map((_, i) => indexText(expansion, i)),
          hovertemplate: '%{text}: %{y:.3~g}<extra></extra>',
        }, curve('of one degree together', 1, norms.map((_, n) => n), positive(norms), { markers: true })],
        layout: { xaxis: axis('degree', { dtick: Math.ceil((norms.length - 1) / 12) }), yaxis: logAxis('|u|', shown, { range: logRange(shown) }) },
      };
    },
    numbers: () => ({
      columns: ['degree', 'coefficients together'],
      rows: byDegree(sizes()).map((value, n) => [n, number(value, 4)]),
    }),
  });
  section('coefficients', 'Coefficients', 'Coefficients by degree',
    summary.variables.length > 1 ? choice('decay-component', 'Component', names, 0,
      (i) => { selected = i; chart.refresh(); }) : null,
    chart.figure);
}

// "θ₁² θ₃" as "a:2 c:1".
const indexText = (expansion, i) => (expansion.active[i].length === 0 ? 'constant'
  : expansion.active[i].map(([k, n]) => `${plain(expansion.parameters[k].name)}:${n}`).join(' '));
