// x*(θ) = Σ u_i ψ_i(η(θ)), ψ_ν(η) = Π_k B_{ν_k}(η_k), as `chaosgrad eval` computes it. Parameters are
// set to points of their grids: a position is an index into each. Where x is constrained the sum is y,
// and x is the nearest point that satisfies the constraints, in a metric that is expanded too.

function bytes(text) {
  const binary = atob(text);
  const array = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) array[i] = binary.charCodeAt(i);
  return array.buffer;
}
const doubles = (text) => new Float64Array(bytes(text));
const integers = (text) => new Uint16Array(bytes(text));

// B_0 … B_n at θ, n + 1 = values.length.
const families = {
  fourier(family, theta, values) {
    const angle = 2 * Math.PI * (theta - (family.lower + family.upper) / 2)
      / (family.upper - family.lower);
    values[0] = 1;
    for (let n = 1; n < values.length; ++n) {
      const turn = Math.ceil(n / 2) * angle;
      values[n] = Math.SQRT2 * (n % 2 === 1 ? Math.cos(turn) : Math.sin(turn));
    }
  },
  // b_{n+1} p_{n+1} = (t − a_n) p_n − b_n p_{n−1}, t = (θ − center)/scale.
  polynomial({ a, b, center, scale }, theta, values) {
    const t = (theta - center) / scale;
    values[0] = 1;
    for (let n = 0; n + 1 < values.length; ++n) {
      const before = n === 0 ? 0 : b[n] * values[n - 1];
      values[n + 1] = ((t - a[n]) * values[n] - before) / b[n + 1];
    }
  },
  table(family, theta, values, position) {
    for (let n = 0; n < values.length; ++n)
      values[n] = family.values[position * family.degrees + n];
  },
};

// L with L Lᵀ = M, where M⁻¹ = R Rᵀ; rows of R and of L, as far as the diagonal. null for a singular R.
function metricFactor(rows) {
  const q = rows.length, inverse = [], triangle = [];
  for (let i = 0; i < q; ++i) {
    inverse.push(Array.from({ length: i + 1 }, (_, j) => {
      let sum = i === j ? 1 : 0;
      for (let k = j; k < i; ++k) sum -= rows[i][k] * inverse[k][j];
      return sum / rows[i][i];
    }));
  }
  for (let i = 0; i < q; ++i) {
    triangle.push([]);
    for (let j = 0; j <= i; ++j) {
      let sum = 0;
      for (let k = i; k < q; ++k) sum += inverse[k][i] * inverse[k][j];
      for (let k = 0; k < j; ++k) sum -= triangle[i][k] * triangle[j][k];
      triangle[i].push(i === j ? Math.sqrt(sum) : sum / triangle[j][j]);
    }
  }
  return triangle.every((row, i) => row[i] > 0 && row[i] < Infinity) ? triangle : null;
}

class Expansion {
  constructor(data) {
    this.functions = data.functions;
    this.components = data.components;
    this.coefficients = doubles(data.coefficients);  // row i holds u_i
    this.degrees = integers(data.degrees);           // row i holds ν
    this.factor = data.factor ? doubles(data.factor) : null;  // C: z = C ξ
    this.parameters = data.parameters.map((parameter) => ({
      ...parameter,
      grid: doubles(parameter.grid),
      score: parameter.score ? doubles(parameter.score) : null,
      family: parameter.family.kind === 'table'
        ? { ...parameter.family, values: doubles(parameter.family.values) } : parameter.family,
    }));
    this.dimension = this.parameters.length;
    this.active = this.#activeDegrees();
    this.univariate = this.parameters.map((_, k) => new Float64Array(1 + this.#largestDegree(k)));
    this.psi = new Float64Array(this.functions);
    // Constraints that are C++ code cannot be evaluated here.
    this.lift = data.lift && !data.lift.coded ? {
      ...data.lift, factor: doubles(data.lift.factor), projection: new Projection(data.lift),
    } : null;
    this.evaluable = !data.lift?.coded;
  }

  // Of each ν the places (k, ν_k) with ν_k > 0.
  #activeDegrees() {
    const active = [];
    for (let i = 0; i < this.functions; ++i) {
      const places = [];
      for (let k = 0; k < this.dimension; ++k) {
        const n = this.degrees[i * this.dimension + k];
        if (n > 0) places.push([k, n]);
      }
      active.push(places);
    }
    return active;
  }

  #largestDegree(k) {
    let largest = 0;
    for (let i = 0; i < this.functions; ++i)
      largest = Math.max(largest, this.degrees[i * this.dimension + k]);
    return largest;
  }

  // η_k: θ_k itself, or its score z_k (log θ_k), or ξ_k of C ξ = z where parameters depend on each other.
  #germ(position) {
    const d = this.dimension;
    const eta = new Float64Array(d);
    for (let k = 0; k < d; ++k) {
      const { grid, score } = this.parameters[k];
      if (score === null || this.factor === null) {
        eta[k] = (score ?? grid)[position[k]];
        continue;
      }
      let rest = score[position[k]];
      for (let l = 0; l < k; ++l)
        if (this.factor[k * d + l] !== 0) rest -= this.factor[k * d + l] * eta[l];
      eta[k] = rest / this.factor[k * d + k];
    }
    return eta;
  }

  // ψ_i(η(θ)) into this.psi.
  #fillFunctions(position) {
    const eta = this.#germ(position);
    this.parameters.forEach(({ family }, k) =>
      families[family.kind](family, eta[k], this.univariate[k], position[k]));
    for (let i = 0; i < this.functions; ++i) {
      let product = 1;
      for (const [k, n] of this.active[i]) product *= this.univariate[k][n];
      this.psi[i] = product;
    }
  }

  // x*(θ), the given components of it; NaN where no x satisfies the constraints.
  evaluate(position, components) {
    if (this.lift !== null) {
      const found = this.constrained(position);
      return components.map((component) => (found === null ? NaN : found.x[component]));
    }
    this.#fillFunctions(position);
    return this.#sums(components);
  }

  #sums(components) {
    return components.map((component) => {
      let sum = 0;
      for (let i = 0; i < this.functions; ++i)
        sum += this.coefficients[i * this.components + component] * this.psi[i];
      return sum;
    });
  }

  // Where x is constrained: x, the multipliers of rows and bounds, and those by column as the program
  // names them. null where no x satisfies the constraints.
  constrained(position) {
    const { functions, factor, projection, columns } = this.lift;
    this.#fillFunctions(position);
    const y = this.#sums(Array.from({ length: this.components }, (_, c) => c));
    const entries = factor.length / functions.length;
    // Rows of R, from a function of the place of an entry.
    const triangle = (entry) => Array.from({ length: this.components }, (_, i) =>
      Array.from({ length: i + 1 }, (__, j) => entry(i * (i + 1) / 2 + j)));
    const here = metricFactor(triangle((place) =>
      functions.reduce((total, f, row) => total + factor[row * entries + place] * this.psi[f], 0)));
    // Where R is singular the mean metric takes its place.
    const metric = here ?? metricFactor(triangle((place) => factor[place]));
    const theta = this.parameters.map(({ grid }, k) => grid[position[k]]);
    const found = projection.of(theta, y, metric);
    if (found === null) return null;
    const multipliers = columns.map(([kind, i]) => (kind === 0 ? found.rows[i]
      : Math.max(0, kind === 1 ? -found.bounds[i] : found.bounds[i])));
    return { ...found, multipliers };
  }

  // u_i of one component for every i.
  column(component) {
    return Float64Array.from({ length: this.functions },
      (_, i) => this.coefficients[i * this.components + component]);
  }

  // The degree of ψ_i: the sum of its degrees, a harmonic counting once for its cosine and sine.
  degree(i) {
    return this.active[i].reduce((sum, [k, n]) =>
      sum + (this.parameters[k].family.kind === 'fourier' ? Math.ceil(n / 2) : n), 0);
  }

  // Correlations of the components: Σ_{i>0} u_ia u_ib over the standard deviations. null: a constant.
  correlations() {
    const columns = Array.from({ length: this.components }, (_, c) => this.column(c).subarray(1));
    const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const deviations = columns.map((column) => Math.sqrt(dot(column, column)));
    return columns.map((a, i) => columns.map((b, j) =>
      (deviations[i] > 0 && deviations[j] > 0 ? dot(a, b) / (deviations[i] * deviations[j]) : null)));
  }
}
