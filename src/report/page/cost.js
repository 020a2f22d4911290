// What it took.

function costSection({ summary, history, expansion }) {
  const perGradient = summary.seconds / summary.gradient_evaluations;
  const adaptive = Boolean(history.estimate);
  section('cost', 'Cost', 'Sampling and cost', facts([
    [adaptive ? 'Stages' : 'Iterations', count(summary.iterations)],
    [adaptive ? 'Samples of the last stage' : 'Samples of the last iteration', count(summary.samples)],
    ['Gradient evaluations', count(summary.gradient_evaluations)],
    summary.diagnostic_gradients ? ['and to measure the error', count(summary.diagnostic_gradients)] : null,
    ['Time', seconds(summary.seconds)],
    known(perGradient) ? ['Time per gradient', seconds(perGradient)] : null,
    expansion ? ['Coefficients', `${count(expansion.functions)} × ${count(expansion.components)}`] : null,
  ]), sizesChart(history, adaptive));
}

// Basis size and samples against gradients, where they change. A row tells of the gradients that led
// to it, so its value holds from the row before.
function sizesChart(history, adaptive) {
  const varies = (values) => values?.some((value) => value !== values[0]);
  const list = [['basis_size', 'basis functions'],
    ['samples', adaptive ? 'samples of a stage' : 'samples of an iteration'], ['step', 'step']]
    .filter(([key]) => varies(history[key]) && !(key === 'step' && adaptive));
  if (list.length === 0 || !history.gradients) return null;
  const chart = new Chart({
    id: 'sizes', label: 'Basis size, samples and step of each iteration', height: 80 + 170 * list.length,
    build: () => {
      const share = 1 / list.length;
      const vertical = {};
      list.forEach(([key, name], i) => {
        vertical[`yaxis${i === 0 ? '' : i + 1}`] = axis(name, {
          domain: [1 - (i + 1) * share + (i + 1 < list.length ? 0.06 : 0), 1 - i * share],
          ...(key === 'step' ? {} : { rangemode: 'tozero', tickformat: '~s' }),
        });
      });
      return {
        traces: list.map(([key, name], i) => ({
          ...curve(name, i, [0, ...history.gradients], [history[key][0], ...history[key]],
            { hover: '%{x:.4~s}: %{y:.4~g}' }),
          yaxis: `y${i === 0 ? '' : i + 1}`,
          line: { color: curveColour(i), width: 2, shape: 'vh' },
        })),
        layout: {
          ...vertical,
          xaxis: workAxis('gradient evaluations', { anchor: `y${list.length === 1 ? '' : list.length}` }),
        },
      };
    },
    numbers: () => workNumbers('gradient evaluations', list.map(([key, name]) =>
      ({ name, x: history.gradients, y: history[key] }))),
  });
  return chart.figure;
}
