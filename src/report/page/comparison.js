// Several methods on one problem.

function comparisonPage(data) {
  const { runs } = data;
  const ranked = runs.filter(({ error }) => known(error)).sort((a, b) => a.error - b.error);
  section('answer', 'Answer', 'The answer',
    ranked.length > 0 ? element('p', { class: 'lead' }, `Smallest error: ${ranked[0].label}, ${
      number(ranked[0].error)} after ${count(ranked[0].summary.gradient_evaluations)} gradients.`) : null,
    table('The methods side by side',
      ['method', 'status', 'error', 'known from', 'its own estimate', 'gradients', 'time', 'basis functions'],
      runs.map(({ label, summary, error, error_from: from }) => [label, summary.status.replace(/_/g, ' '),
        number(error), from, number(summary.error.estimate), count(summary.gradient_evaluations),
        seconds(summary.seconds), count(summary.basis_size)])));
  const axes = knownAxes(runs.map(({ history }) => history)).filter(({ key }) => key !== 'k');
  const quantity = ['true_error', 'estimate', 'gradient_norm']
    .find((key) => runs.every(({ history }) => history[key]));
  if (axes.length > 0 && quantity) {
    const titles = {
      true_error: 'true error ‖x − x*‖', estimate: 'error estimate', gradient_norm: 'gradient ‖D′‖',
    };
    section('convergence', 'Error', 'Error against work', workChart({
      id: 'comparison-chart', label: `${titles[quantity]} of each method against the work done`, axes,
      curves: (key) => runs.map(({ label, history }, i) => ({
        name: label, colour: i, dash: i >= curveColours, x: positive(history[key]),
        y: positive(history[quantity]), markers: history[key].length <= 60,
      })),
      caption: `Shown: ${titles[quantity]}.`,
    }));
  }
  problemSection(data, `compare --methods ${runs.map(({ label }) => quoted(label)).join(',')}`);
}
