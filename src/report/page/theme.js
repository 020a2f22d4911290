// Light or dark: as the system has it, until the reader presses the button; paper is always light.

const curveColours = 8;  // --curve-0 … in style.css
const themeListeners = [];
const darkSystem = window.matchMedia('(prefers-color-scheme: dark)');
const onPaper = window.matchMedia('print');
let chosenTheme = null;

const currentTheme = () =>
  (onPaper.matches ? 'light' : chosenTheme ?? (darkSystem.matches ? 'dark' : 'light'));

function applyTheme(theme = currentTheme()) {
  document.documentElement.dataset.theme = theme;
  for (const listener of themeListeners) listener();
}

const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const curveColour = (i) => colour(`curve-${i % curveColours}`);

// "#rrggbb" at an opacity.
function faded(hex, opacity) {
  const part = (from) => parseInt(hex.slice(from, from + 2), 16);
  return `rgba(${part(1)}, ${part(3)}, ${part(5)}, ${opacity})`;
}

function themeButton() {
  const button = element('button', {
    type: 'button', id: 'theme', onclick: () => {
      chosenTheme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
      applyTheme();
    },
  });
  const label = () => {
    button.textContent = document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `Switch to ${button.textContent.toLowerCase()} colours`);
  };
  themeListeners.push(label);
  label();
  return button;
}

darkSystem.addEventListener('change', () => applyTheme());
onPaper.addEventListener('change', () => applyTheme());
