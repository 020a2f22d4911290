// Formulas as the program wrote them down: steps, each of the results of earlier ones.

// erf by its series where that is short, else by the continued fraction of 1 − erf.
function errorFunction(x) {
  const size = Math.abs(x);
  if (!(size < 2.5)) return size === Infinity || size > 6 ? Math.sign(x) : Math.sign(x) * (1 - upperError(size));
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); ++n) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
}

// erfc of x ≥ 2.5.
function upperError(x) {
  let fraction = x;
  for (let n = 60; n > 0; --n) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
}

const operations = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  negate: (a) => -a,
  power: (a, b) => a ** b,
  less: (a, b) => Number(a < b),
  less_equal: (a, b) => Number(a <= b),
  equal: (a, b) => Number(a === b),
  not_equal: (a, b) => Number(a !== b),
  and: (a, b) => Number(a !== 0 && b !== 0),
  or: (a, b) => Number(a !== 0 || b !== 0),
  not: (a) => Number(a === 0),
  if: (condition, a, b) => (condition !== 0 ? a : b),
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan,
  sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, exp: Math.exp, log: Math.log, sqrt: Math.sqrt,
  abs: Math.abs, sign: Math.sign, min: Math.min, max: Math.max, floor: Math.floor, ceil: Math.ceil,
  erf: errorFunction,
  normcdf: (a) => (a < -3.5 ? upperError(-a / Math.SQRT2) / 2 : (1 + errorFunction(a / Math.SQRT2)) / 2),
  normal_pdf: (a) => Math.exp(-a * a / 2) / Math.sqrt(2 * Math.PI),
  logistic: (a) => 1 / (1 + Math.exp(-a)),
  softplus: (a) => Math.max(a, 0) + Math.log1p(Math.exp(-Math.abs(a))),
  sum: (...terms) => terms.reduce((a, b) => a + b, 0),
  dot: (...terms) => {
    let sum = 0;
    for (let i = 0; i < terms.length; i += 2) sum += terms[i] * terms[i + 1];
    return sum;
  },
};

// A function from inputs by name to outputs by name, all lists of numbers.
function compiled({ inputs, steps, outputs }) {
  const constants = {};
  const computed = [];
  for (const [name, content] of Object.entries(outputs)) {
    if (Array.isArray(content)) computed.push([name, content]);
    else constants[name] = content.numbers.map(Number);
  }
  const results = new Float64Array(steps.length);
  const run = steps.map(([operation, ...where], k) => {
    if (operation === 'number') return () => { results[k] = Number(where[0]); };
    if (inputs.includes(operation)) return (given) => { results[k] = given[operation][where[0]]; };
    const apply = operations[operation];
    if (where.length === 1) return () => { results[k] = apply(results[where[0]]); };
    if (where.length === 2) return () => { results[k] = apply(results[where[0]], results[where[1]]); };
    return () => { results[k] = apply(...where.map((i) => results[i])); };
  });
  return (given) => {
    for (const step of run) step(given);
    const found = {};
    for (const [name, values] of Object.entries(constants)) found[name] = [...values];
    for (const [name, places] of computed) found[name] = places.map((i) => results[i]);
    return found;
  };
}
