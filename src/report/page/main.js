// What the page holds, by the kind of its data.

const subtitles = {
  run: ({ problem }) => `${problem ? `${problem.name} · ` : ''}the optimum as a function of what is uncertain`,
  comparison: ({ problem, runs }) => `${problem.name} · ${runs.length} methods compared`,
  figures: ({ figures }) => `${figures.length} experiments, beside the paper's numbers`,
};

const pages = {
  run(data) {
    answerSection(data);
    if (data.expansion) {
      const expansion = new Expansion(data.expansion);
      curveSection(data, expansion);
      constraintSection(data);
      distributionSection(data);
      correlationSection(data, expansion);
      sobolSection(data, expansion);
      convergenceSection(data);
      decaySection(data, expansion);
    } else {
      convergenceSection(data);
    }
    costSection(data);
    problemSection(data, 'solve');
  },
  comparison: comparisonPage,
  figures: figuresPage,
};

applyTheme();
const pageData = JSON.parse(byId('data').textContent);
byId('top').append(
  element('div', {},
    element('h1', {}, pageData.title),
    element('p', { class: 'quiet' }, subtitles[pageData.kind](pageData))),
  themeButton());
pages[pageData.kind](pageData);
byId('end').append(element('p', {}, `Written by chaosgrad ${pageData.version}. Everything on this page `
  + 'is inside this one file; it loads nothing.'));
document.documentElement.dataset.ready = 'true';
