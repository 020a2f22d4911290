// Columns of a history against the work done.

const workAxes = [
  { key: 'gradients', name: 'gradients', title: 'gradient evaluations' },
  { key: 'seconds', name: 'time', title: 'seconds' },
  { key: 'k', name: 'iterations', title: 'iteration or stage' },
];

// The axes that a history can be drawn against.
const knownAxes = (histories) => workAxes.filter(({ key }) => histories.every(
  (history) => history[key]?.some((value) => value > 0)));

// What a logarithmic axis cannot show interrupts a curve.
const positive = (values) => values.map((value) => (known(value) && value > 0 ? value : null));
const roots = (values) => values.map((value) => (known(value) ? Math.sqrt(value) : null));

// The quantities of a history that are errors, or tell of them, where known.
function errorCurves(history) {
  const list = [
    ['estimate', 'error estimate'],
    ['basis', 'basis part'],
    ['sampling', 'sampling part'],
    ['optimisation', 'optimisation part'],
    ['true_error', 'true error ‖x − x*‖'],
  ].filter(([key]) => history[key]).map(([key, name]) => ({ key, name, y: positive(history[key]) }));
  if (history.error_squared) {
    list.push({
      key: 'error_squared', name: 'error within the basis ‖u − P u*‖',
      y: positive(roots(history.error_squared)),
    });
  }
  if (history.bound) {
    list.push({
      key: 'bound', name: 'the theorem’s bound of ‖u − P u*‖', dash: true,
      y: positive(roots(history.bound)),
    });
  }
  if (history.gradient_norm && !history.estimate) {
    list.push({ key: 'gradient_norm', name: 'gradient ‖D′‖', y: positive(history.gradient_norm) });
  }
  return list.filter(({ y }) => y.some(known)).map((entry) => ({ ...entry, markers: entry.y.length <= 60 }));
}
