// The answer first: how it ended, how far it is from the truth, and what keeps it from being closer.

const statuses = {
  converged: ['good', 'Converged'],
  completed: ['good', 'Completed'],
  out_of_gradients: ['early', 'Stopped early: out of gradients'],
  out_of_time: ['early', 'Stopped early: out of time'],
  interrupted: ['early', 'Interrupted'],
  stalled: ['early', 'Stalled'],
  diverged: ['bad', 'Diverged'],
  bad_gradient: ['bad', 'Failed: a gradient is not finite'],
  not_strongly_convex: ['bad', 'Failed: not strongly convex'],
  inconsistent: ['bad', 'Failed: μ or L contradicts the problem'],
  outside_domain: ['bad', 'Failed: the objective is not a number somewhere'],
  several_minima: ['bad', 'Failed: several local minima'],
  infeasible: ['bad', 'Failed: no x satisfies the constraints somewhere'],
};

const parts = [
  {
    key: 'basis', name: 'basis',
    limit: 'The basis limits it: x*(θ) has detail that these functions cannot follow.',
    remedy: 'More of them (basis_size) would help most.',
  },
  {
    key: 'sampling', name: 'sampling',
    limit: 'Sampling limits it: more gradients would determine the coefficients better.',
    remedy: 'More samples or more iterations would help most.',
  },
  {
    key: 'optimisation', name: 'optimisation',
    limit: 'The optimisation limits it: the coefficients are not yet at their optimum.',
    remedy: 'More iterations would help most.',
  },
];
const noiseWords = {
  summed: 'summed over all its cases',
  gauss: 'integrated by a Gauss rule, exactly',
  sobol: 'averaged over Sobol’ points',
  random: 'averaged over random draws',
};
// The methods that need no tuning go on by themselves.
const adaptiveMethods = ['auto', 'collocation', 'sieve'];
const adaptiveRemedy = 'To come closer, go on with a smaller tolerance (chaosgrad resume).';

function statusLine({ status, stop_reason: reason }) {
  const [kind, name] = statuses[status] ?? ['early', status];
  return element('p', { class: 'status' },
    element('span', { class: `badge ${kind}` }, name), ' ', reason.charAt(0).toUpperCase() + reason.slice(1), '.');
}

// Of many components only the first are sampled, so that what surrounds a solve takes no longer than it.
function unsampled(summary, { components }) {
  const all = summary.variables.length;
  return all > components
    ? ` Only the first ${count(components)} of ${count(all)} components were sampled: chaosgrad stats tells of all.` : '';
}

// What was asked for, in one line each.
function optimumTable({ summary, distribution }) {
  if (!distribution) return null;
  const most = 6;
  const { levels, outputs, confidence } = distribution;
  const at = (output, level) => number(output.quantiles[levels.indexOf(level)][0], 4);
  const shown = outputs.slice(0, Math.min(most, summary.variables.length));
  const more = summary.variables.length - shown.length;
  return element('div', { class: 'optimum' },
    element('h3', {}, 'The optimum over the uncertainty'),
    table('Mean and spread of the optimum', ['', 'mean', 'standard deviation', '90 % of it lies between'],
      shown.map((output) => [output.name, valueAndError(...output.mean), valueAndError(...output.sd),
        `${at(output, 0.05)} and ${at(output, 0.95)}`])),
    element('p', { class: 'quiet' }, `± with confidence ${percent(confidence)}.`,
      more > 0 ? ` ${count(distribution.components - shown.length)} more components are below.` : '',
      unsampled(summary, distribution)));
}

function headlineNumber(name, value, note) {
  return element('div', { class: 'headline' }, element('dt', {}, name),
    element('dd', {}, element('strong', {}, value), element('span', {}, note)));
}

// ‖x‖_π, for relative errors.
const normOf = (summary) => Math.hypot(...summary.mean, ...summary.sd);

function headlines(summary) {
  const { estimate, bound, confidence } = summary.error;
  const relative = (value) => {
    const norm = normOf(summary);
    if (norm === 0) return '';
    const share = value / norm;
    return share < 1e-4 ? `${number(share, 2)} of ‖x‖` : `${percent(share)} of ‖x‖`;
  };
  const entries = [];
  if (known(estimate)) entries.push(headlineNumber('Error estimate', number(estimate), relative(estimate)));
  if (known(bound)) {
    entries.push(headlineNumber(`Bound, with confidence ${percent(confidence)}`, number(bound),
      relative(bound)));
  }
  if (known(summary.true_error)) {
    entries.push(headlineNumber('True error, from the reference', number(summary.true_error),
      relative(summary.true_error)));
  }
  if (known(summary.unseen)) {
    entries.push(headlineNumber('May be unseen', number(100 * summary.unseen, 2) + ' %',
      'a feature of a smaller probability'));
  }
  return element('dl', { class: 'headlines' }, entries);
}

// The squares of the parts, which add up.
function errorSplit({ error, method }) {
  const shares = parts.filter(({ key }) => known(error[key]))
    .map((part, i) => ({ ...part, value: error[part.key], colour: i }));
  const total = shares.reduce((sum, { value }) => sum + value * value, 0);
  if (shares.length === 0 || total === 0) return null;
  const share = ({ value }) => value * value / total;
  const largest = shares.reduce((a, b) => (b.value > a.value ? b : a));
  return element('div', { class: 'split' },
    element('h3', {}, 'What limits the accuracy'),
    element('div', { class: 'bar', 'aria-hidden': 'true' }, shares.filter(({ value }) => value > 0).map((part) => element('span', {
      style: { flexGrow: share(part), background: `var(--curve-${part.colour})` },
    }))),
    element('ul', { class: 'shares' }, shares.map((part) => element('li', {},
      element('span', {
        class: 'dot', 'aria-hidden': 'true', style: { background: `var(--curve-${part.colour})` },
      }),
      `${part.name} ${number(part.value)}${part.value === 0 ? ''
        : share(part) < 1e-4 ? ', under 0.01 %' : `, ${percent(share(part))}`}`))),
    element('p', { class: 'quiet' }, 'Shares of the squared error estimate.'),
    element('p', {}, `${largest.limit} ${adaptiveMethods.includes(method) ? adaptiveRemedy : largest.remedy}`));
}

function answerSection(data) {
  const { summary } = data;
  const { condition } = summary;
  section('answer', 'Answer', 'The answer', statusLine(summary), headlines(summary), optimumTable(data), errorSplit(summary),
    known(summary.error.estimate) && !known(summary.error.bound)
      ? element('p', { class: 'quiet' },
        'There is no bound, because the strong convexity μ is not given in the problem.') : null,
    facts([
      ['Method', summary.method],
      ['Basis functions', count(summary.basis_size)],
      ['Gradient evaluations', count(summary.gradient_evaluations) + (summary.diagnostic_gradients > 0
        ? `, and ${count(summary.diagnostic_gradients)} for tests` : '')],
      summary.hessian_evaluations > 0 ? ['Hessians', count(summary.hessian_evaluations)] : null,
      ['Time', seconds(summary.seconds) + (known(summary.seconds_total)
        ? `; ${seconds(summary.seconds_total)} with reading and statistics` : '')],
      ['none', null, undefined].includes(summary.noise) ? null : ['Noise', noiseWords[summary.noise] ?? summary.noise],
      known(summary.violation) ? ['Largest violation of a constraint', summary.violation === 0 ? 'none'
        : number(summary.violation, 2)] : null,
      known(condition.kappa) ? ['Condition κ = L/μ',
        `${number(condition.kappa)} (μ = ${number(condition.mu)}, ${condition.mu_source})`] : null,
    ]),
    (summary.notes ?? []).length > 0 ? element('div', { class: 'notes' },
      element('h3', {}, 'Notes'),
      element('ul', {}, summary.notes.map((note) => element('li', {}, note)))) : null);
}
