// Numbers as readers want them. What is not known is a dash.

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function powerOfTen(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[digit]).join('');
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

const minus = (text) => text.replace(/-/g, '−');
const known = (value) => typeof value === 'number' && Number.isFinite(value);

// 0.00123, 1.23×10⁻⁵, 12,345: `digits` significant ones.
function number(value, digits = 3) {
  if (!known(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return minus(`${mantissa}×`) + powerOfTen(Number(exponent));
  }
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return minus(value.toFixed(Math.min(decimals, 20)));
}

const count = (value) => (known(value) ? Math.round(value).toLocaleString('en') : '–');
const percent = (share) => `${number(100 * share, 2)} %`;

function seconds(value) {
  if (!known(value)) return '–';
  if (value < 1e-6) return `${number(1e9 * value)} ns`;
  if (value < 1e-3) return `${number(1e6 * value)} µs`;
  if (value < 1) return `${number(1000 * value)} ms`;
  if (value < 120) return `${number(value)} s`;
  return value < 7200 ? `${number(value / 60)} min` : `${number(value / 3600)} h`;
}

// How many digits of a value its error leaves meaning, two of them uncertain: at most six.
function meaningfulDigits(value, error) {
  if (!known(error) || error === 0 || value === 0) return 6;
  const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(error)) + 2;
  return Math.min(6, Math.max(1, digits));
}

// A value with as many decimals as its error leaves meaning, and the error: ['1.0553', '0.0012'].
function meaningful(value, error) {
  if (!known(error) || !known(value)) return [number(value, 5), null];
  const size = Math.abs(value);
  if (error === 0 || error < 1e-9 * size) return [number(value, 10), null];
  const decimals = 1 - Math.floor(Math.log10(error));
  if (decimals > 9 || decimals < 0 || size >= 1e6) return [number(value, meaningfulDigits(value, error)), number(error, 2)];
  return [minus(value.toFixed(decimals)), error.toFixed(decimals)];
}

// 1.0553 ± 0.0012
function withError(value, error) {
  const [text, bar] = meaningful(value, error);
  return bar === null ? text : `${text} ± ${bar}`;
}

// The same in a narrow cell: at most six digits, the error below them.
function valueAndError(value, error) {
  const [text, bar] = meaningful(value, error);
  return element('span', {}, text.length > 8 ? number(value, meaningfulDigits(value, error)) : text, bar === null ? null
    : element('span', { class: 'error' }, ` ± ${error < 1e-4 ? number(error, 2) : bar}`));
}

// Text for the chart library, which would take <b> and &amp; as markup.
function plain(text) {
  return String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
