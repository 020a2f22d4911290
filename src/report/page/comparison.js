// Several methods on one problem.

function comparisonPage(data) {
  const { runs } = data;
  // The truth where it is known, else each run's own estimate.
  const truth = runs.every(({ summary }) => known(summary.true_error));
  const errorOf = ({ summary }) => (truth ? summary.true_error : summary.error.estimate);
  const ranked = runs.filter((run) => known(errorOf(run))).sort((a, b) => errorOf(a) - errorOf(b));
  section('answer', 'Answer', 'The answer',
    ranked.length > 0 ? element('p', { class: 'lead' }, `Smallest ${truth ? 'true error' : 'estimated error'}: ${
      ranked[0].label}, ${number(errorOf(ranked[0]))} after ${
      count(ranked[0].summary.gradient_evaluations)} gradients.`) : null,
    table('The methods side by side',
      ['method', 'status', 'error estimate', 'true error', 'gradients', 'time', 'basis functions'],
      runs.map(({ label, summary }) => [label, summary.status.replace(/_/g, ' '),
        number(summary.error.estimate), number(summary.true_error), count(summary.gradient_evaluations),
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
        y: positive(history[quantity]),
      })),
      caption: `Shown: ${titles[quantity]}.`,
    }));
  }
  problemSection(data, `compare --methods ${runs.map(({ label }) => quoted(label)).join(',')}`);
}
