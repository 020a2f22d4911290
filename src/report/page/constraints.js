// Which constraints bind, for which θ, and what they cost.

// "a", "a and b", "a, b and c", the first few of many.
function enumerated(names, most = 8) {
  const shown = names.slice(0, most);
  if (names.length > most) return `${shown.join(', ')} and ${names.length - most} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

// What binds where the sliders are, and at which price.
function bindingThere(expansion, position) {
  if (expansion.lift === null) return '';
  const found = expansion.constrained(position);
  if (found === null) return 'No x satisfies the constraints there.';
  const prices = expansion.lift.names.map((name, i) => ({ name, value: found.multipliers[i] }))
    .filter(({ value }) => Math.abs(value) > 1e-9);
  return prices.length === 0 ? 'No constraint binds there.'
    : `Binding there, with its multiplier: ${enumerated(prices.map(({ name, value }) => `${name} ${number(value)}`))}.`;
}

const always = ({ active: [value, error] }) => value === 1 && error === 0;

// One sentence for those that always bind, one for those that do at times, one for the rest.
function bindingInWords(entries) {
  const names = (list) => enumerated(list.map(({ name }) => name));
  const constant = entries.filter(({ active }) => active[0] === 1);
  const never = entries.filter(({ active }) => active[0] === 0);
  const sometimes = entries.filter(({ active }) => active[0] > 0 && active[0] < 1)
    .sort((a, b) => b.active[0] - a.active[0]);
  const verb = (list) => (list.length === 1 ? 'binds' : 'bind');
  return [
    constant.length > 0 ? `${names(constant)} always ${verb(constant)}.` : null,
    sometimes.length > 0 ? `${enumerated(sometimes.map(({ name, active }) =>
      `${name} (${percent(active[0])} of θ)`))} ${verb(sometimes)} at times.` : null,
    never.length > 0 ? `${names(never)} never ${verb(never)}${
      never.some(({ active }) => active[1] > 0) ? ', as far as samples tell' : ''}.` : null,
  ].filter((sentence) => sentence !== null).join(' ');
}

function constraintTable(entries) {
  return table('How often each constraint binds, and its multiplier',
    ['', 'binds with probability', 'mean multiplier', 'standard deviation', 'on the edge'],
    entries.map(({ name, active, mean, sd, weakly }) => [name, valueAndError(...active),
      mean ? valueAndError(...mean) : '–', sd ? valueAndError(...sd) : '–', percent(weakly)]));
}

// P(binds) in each tenth of a parameter.
function bindingChart(entries, parameters) {
  let selected = 0;
  let along = 0;
  const shares = () => entries[selected].by_parameter[along];
  const between = (i) => parameters[along].deciles.slice(i, i + 2).map((end) => number(end, 2)).join(' to ');
  const chart = new Chart({
    id: 'binding-chart', label: 'How often a constraint binds in each tenth of a parameter', height: 300,
    build: () => {
      chart.caption.textContent = `How often ${entries[selected].name} binds, for ${parameters[along].name} in each `
        + 'tenth of its values; the other parameters vary.';
      return {
        traces: [{
          type: 'bar', x: shares().map((_, i) => between(i)), y: shares(),
          marker: { color: faded(curveColour(0), 0.75) }, hovertemplate: '%{x}: %{y:.3f}<extra></extra>',
        }],
        layout: {
          bargap: 0.08, xaxis: axis(plain(parameters[along].name), { type: 'category' }),
          yaxis: axis('share of θ where it binds', { range: [0, 1.02] }),
        },
      };
    },
    numbers: () => ({
      columns: [parameters[along].name, 'binds'],
      rows: shares().map((share, i) => [between(i), number(share)]),
    }),
  });
  return [
    entries.length > 1 ? choice('binding-constraint', 'Constraint', entries.map(({ name }) => name), selected,
      (i) => { selected = i; chart.refresh(); }) : null,
    parameters.length > 1 ? choice('binding-along', 'Along', parameters.map(({ name }) => name), along,
      (k) => { along = k; chart.refresh(); }) : null,
    chart.figure,
  ];
}

function constraintSection({ constraints, summary }) {
  if (!constraints) return;
  const { entries, left_out: leftOut, deciles } = constraints;
  const changing = entries.filter((entry) => !always(entry) && entry.active[0] > 0)
    .sort((a, b) => b.active[0] - a.active[0]);
  const parameters = summary.parameters.map((name, k) => ({ name, deciles: deciles[k] }));
  section('constraints', 'Constraints', 'Which constraints bind, and what they cost',
    element('p', {}, bindingInWords(entries)),
    constraintTable(entries),
    element('p', { class: 'quiet' }, 'The multiplier of a constraint is its price: by so much per unit the objective would fall '
      + 'if the constraint gave way a little. That of an equality has a sign: by its negative the objective changes per unit of '
      + 'what stands on the right side. On the edge: the share of θ where, within the errors, it may bind or not.',
    leftOut > 0 ? ` ${count(leftOut)} more that bind less often are not shown: chaosgrad stats has all.` : ''),
    summary.infeasible > 0 ? element('p', {}, `At ${percent(summary.infeasible)} of θ no x satisfies the constraints.`) : null,
    changing.length > 0 ? element('h3', {}, 'Where they bind') : null,
    changing.length > 0 ? bindingChart(changing, parameters) : null);
}
