// The problem, and what it takes to compute the same again.

const quoted = (text) => (/^[\w./=,:+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

// A problem that came from a program has no text to show.
function problemSection({ problem, summary, version }, command) {
  if (problem) problemText(problem);
  section('reproduce', 'Reproduce', 'To compute it again',
    problem ? element('pre', { tabindex: 0, 'aria-label': 'Command' },
      `chaosgrad ${command} ${quoted(problem.name)}${problem.overrides
        .map((override) => ` --set ${quoted(override)}`).join('')}`)
      : element('p', {}, 'The problem came from a program: run that program again.'),
    facts([
      ['Version', version],
      summary ? ['Seed', String(summary.seed)] : null,
    ]),
    element('p', { class: 'quiet' }, 'The same seed gives the same coefficients for any number of '
      + `threads. solution.h5 beside this page holds ${problem ? 'the problem, its data files, ' : ''}`
      + 'the coefficients and the history.'),
    summary ? element('details', { class: 'values' },
      element('summary', {}, 'The summary as JSON'),
      element('pre', { tabindex: 0, 'aria-label': 'Summary' }, JSON.stringify(summary, null, 2))) : null);
}

function problemText(problem) {
  section('problem', 'Problem', 'The problem',
    element('pre', { id: 'problem-text', tabindex: 0, 'aria-label': 'Problem file' }, problem.text),
    element('p', {}, element('a', {
      download: problem.name,
      href: `data:text/plain;charset=utf-8,${encodeURIComponent(problem.text)}`,
    }, `Save it as ${problem.name}`)),
    problem.files.length === 0 ? null : element('div', {}, element('h3', {}, 'Its data files'),
      element('ul', {}, problem.files.map(({ name, bytes: size }) =>
        element('li', {}, `${name}, ${count(size)} bytes`)))));
}
