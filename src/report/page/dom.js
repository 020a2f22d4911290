// Elements. Their content is always text or other elements: nothing is ever parsed as markup.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'style') Object.assign(node.style, value);
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return node;
}

const byId = (id) => document.getElementById(id);

// A part of the page with its heading, entered in the contents under a short name.
function section(id, short, heading, ...children) {
  byId('contents').append(element('a', { href: `#${id}` }, short));
  const part = element('section', { id, 'aria-labelledby': `${id}-heading` },
    element('h2', { id: `${id}-heading` }, heading), ...children);
  byId('main').append(part);
  return part;
}

// rows: arrays of cells, text or elements; the first cell of each is its heading.
function table(caption, columns, rows) {
  return element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    element('table', {},
      element('caption', { class: 'hidden' }, caption),
      element('thead', {}, element('tr', {},
        columns.map((column) => element('th', { scope: 'col' }, column)))),
      element('tbody', {}, rows.map((row) => element('tr', {}, row.map((cell, i) =>
        element(i === 0 ? 'th' : 'td', i === 0 ? { scope: 'row' } : {},
          cell instanceof Node ? cell : String(cell))))))));
}

// A list of names and values.
function facts(entries) {
  return element('dl', { class: 'facts' }, entries.filter((entry) => entry !== null).map(
    ([name, ...value]) => element('div', {}, element('dt', {}, name), element('dd', {}, ...value))));
}

// A labelled choice; calls change(index).
function choice(id, label, names, selected, change) {
  const list = element('select', { id, onchange: () => change(list.selectedIndex) },
    names.map((name, i) => element('option', { value: i, selected: i === selected }, name)));
  return element('p', { class: 'control' }, element('label', { for: id }, label), ' ', list);
}

// A labelled group of alternatives; calls change(index).
function alternatives(id, label, names, selected, change) {
  return element('fieldset', { class: 'control' }, element('legend', {}, label),
    names.map((name, i) => element('label', {},
      element('input', {
        type: 'radio', name: id, value: i, checked: i === selected, onchange: () => change(i),
      }), ` ${name}`)));
}

// Named check boxes in the colours of the curves they show; calls change(index, shown).
function toggles(label, entries, change) {
  return element('fieldset', { class: 'toggles' }, element('legend', {}, label),
    entries.map(({ name, colour, dash, shown }, i) => element('label', {},
      element('input', {
        type: 'checkbox', checked: shown, onchange: (event) => change(i, event.target.checked),
      }),
      element('span', {
        class: dash ? 'swatch dashed' : 'swatch', 'aria-hidden': 'true',
        style: { borderTopColor: `var(--curve-${colour % curveColours})` },
      }), name)));
}
