// P(y): the point of the constraints that is nearest to y in a metric, as the exported evaluators have
// it. Norms, and rows that are not affine, take several quadratic programs.

// Solves columnsᵀ s = rest by elimination with pivots.
function eliminate(columns, rest) {
  const n = rest.length;
  for (let k = 0; k < n; ++k) {
    let pivot = k;
    for (let i = k + 1; i < n; ++i) if (Math.abs(columns[k][i]) > Math.abs(columns[k][pivot])) pivot = i;
    for (const list of [...columns, rest]) [list[k], list[pivot]] = [list[pivot], list[k]];
    for (let i = k + 1; i < n; ++i) {
      const factor = columns[k][i] / columns[k][k];
      for (let j = k; j < n; ++j) columns[j][i] -= factor * columns[j][k];
      rest[i] -= factor * rest[k];
    }
  }
  for (let k = n - 1; k >= 0; --k) {
    for (let j = k + 1; j < n; ++j) rest[k] -= columns[j][k] * rest[j];
    rest[k] /= columns[k][k];
  }
  return rest;
}

// Terms w |c|: c = t m with t > 0 such that the multipliers m have the length w, or c = 0 and t = 0 where
// it is less. Newton's method on 1/|m| = 1/w, all norms together; where that does not get on, minorise
// and maximise, which always does.
class Norms {
  constructor(groups, size) {
    Object.assign(this, { groups, size, distance: Infinity, slow: 0 });
    this.t = groups.map(() => size);
    this.before = groups.map(() => size);
    this.refused = groups.map(() => false);
  }

  // c = 0 cannot be for all that were taken to be so: true if there were some.
  back() {
    let taken = false;
    this.t.forEach((t, g) => {
      if (t !== 0) return;
      this.t[g] = 0.1 * this.before[g];
      this.refused[g] = true;
      taken = true;
    });
    return taken;
  }

  // True if nothing is left to change.
  advance(program, weights) {
    const { multiplier, working, r } = program;
    const lengths = this.groups.map((group) => Math.hypot(...group.map((i) => multiplier[i])));
    const moving = [];
    lengths.forEach((length, g) => {
      if (this.t[g] === 0 && length > weights[g]) this.refused[g] = true;
      const met = Math.abs(length - weights[g]) <= 1e-13 * weights[g]
        || (length < weights[g] && this.t[g] <= 1e-14 * this.size);
      if (length > 0 && weights[g] > 0 && !met) moving.push(g);
    });
    if (moving.length === 0) return true;
    const columns = moving.map((h) => {  // how the multipliers change with t of norm h
      const d = [];
      working.forEach((i, k) => {
        let rest = this.groups[h].includes(i) ? multiplier[i] : 0;
        for (let l = 0; l < k; ++l) rest -= r[k][l] * d[l];
        d.push(rest / r[k][k]);
      });
      const change = new Map(program.solveR(d).map((value, k) => [working[k], value]));
      return moving.map((g) => this.groups[g].reduce((sum, i) =>
        sum + multiplier[i] * (change.get(i) ?? 0), 0) / lengths[g] ** 3);
    });
    const distance = moving.reduce((sum, g) => sum + Math.abs(lengths[g] / weights[g] - 1), 0);
    this.slow = distance < this.distance ? this.slow - 1 : 4;
    this.distance = distance;
    const steps = this.slow <= 0
      ? eliminate(columns, moving.map((g) => 1 / lengths[g] - 1 / weights[g]))
      : moving.map((g) => this.t[g] * (1 - lengths[g] / weights[g]));
    moving.forEach((g, h) => this.#move(g, steps[h]));
    return false;
  }

  #move(g, step) {
    const t = this.t[g];
    if (t > 0) {
      this.before[g] = t;
      this.t[g] = Math.min(Math.max(t - step, this.refused[g] ? 0.1 * t : 0), 10 * t);
    } else {
      this.t[g] = step < 0 && this.slow <= 0 ? -step : 1e-3 * this.before[g];
    }
  }
}

const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

class Projection {
  constructor({ affine, groups, constraints }) {
    Object.assign(this, { affine, groups });
    this.constraints = compiled(constraints.evaluate);
    this.curvature = constraints.curvature ? compiled(constraints.curvature) : null;
    this.extra = groups.flat().length;
  }

  // x with the multipliers of rows and bounds; null where there is none.
  of(theta, y, factor) {
    const at = this.constraints({ x: y, theta });
    let x = this.#clipped(y, at);
    let rows = at.value.map(() => 0);
    const norms = new Norms(this.groups, 1 / Math.max(...factor.map((row) => dot(row, row))));
    let found = null;
    for (let step = 0; step < 200; ++step) {
      const { program, weights } = this.#program(theta, y, factor, x, rows, norms.t);
      if (!program.solve()) {
        if (norms.back()) continue;
        return null;
      }
      const done = norms.advance(program, weights);
      rows = program.multiplier.slice(0, rows.length);
      found = { x: program.x.slice(0, y.length), rows, bounds: program.multiplier.slice(rows.length, rows.length + y.length) };
      const far = largest(found.x.map((value, j) => value - x[j]));
      if (done && (this.affine || far <= 1e-13 * Math.max(largest(found.x), largest(x)))) break;
      x = this.affine ? found.x : this.#approach(theta, y, factor, x, found);
    }
    return this.#isFeasible(theta, found.x) ? found : null;
  }

  #clipped(x, { lower, upper }) {
    return x.map((value, j) => Math.min(Math.max(value, lower[j]), upper[j]));
  }

  // The quadratic program at x; further variables take up what is inside of norms.
  #program(theta, y, factor, x, multipliers, t) {
    const q = y.length;
    const { lower, upper, value, jacobian, least, most } = this.constraints({ x, theta });
    const free = new Array(this.extra).fill(Infinity);
    const zeros = free.map(() => 0);
    const rows = value.map((_, i) => [...jacobian.slice(i * q, (i + 1) * q), ...zeros]);
    const right = value.map((c, i) => dot(rows[i].slice(0, q), x) - c);
    const weights = this.groups.map((group) => most[group[0]]);
    let slot = q;
    this.groups.forEach((group, g) => group.forEach((i) => {
      if (weights[g] > 0) {
        least[i] = -Infinity;
        most[i] = Infinity;
        rows[i][slot] = Math.sqrt(t[g]);
      }
      ++slot;
    }));
    const model = this.affine ? { factor, center: y } : this.#bent(theta, y, factor, x, multipliers);
    const unit = zeros.map((_, i) => [...new Array(q + i).fill(0), 1]);
    const program = new QuadraticProgram({
      factor: [...model.factor, ...unit], y: [...model.center, ...zeros],
      lower: [...lower, ...free.map((value_) => -value_)], upper: [...upper, ...free], rows, right, least, most,
    });
    return { program, weights };
  }

  // The metric with the curvature of the constraints, factored, and where it is centred.
  #bent(theta, y, factor, x, multipliers) {
    const q = y.length;
    const { curvature } = this.curvature({ x, theta, multipliers });
    const metric = (i, j) => dot(factor[Math.min(i, j)], factor[Math.max(i, j)]);
    const center = y.map((_, i) => y.reduce((sum, value, j) => sum + metric(i, j) * value + curvature[i * q + j] * x[j], 0));
    const model = [];
    for (let i = 0; i < q; ++i) {
      const row = [];
      for (let j = 0; j <= i; ++j) {
        let rest = metric(i, j) + curvature[i * q + j];
        for (let k = 0; k < j; ++k) rest -= row[k] * (i === j ? row[k] : model[j][k]);
        row.push(i === j ? Math.sqrt(rest) : rest / model[j][j]);
      }
      model.push(row);
    }
    for (let i = 0; i < q; ++i) {
      for (let k = 0; k < i; ++k) center[i] -= model[i][k] * center[k];
      center[i] /= model[i][i];
    }
    for (let i = q - 1; i >= 0; --i) {
      for (let k = i + 1; k < q; ++k) center[i] -= model[k][i] * center[k];
      center[i] /= model[i][i];
    }
    return { factor: model, center };
  }

  // From x towards what was found as far as that is better: the whole way, as a rule.
  #approach(theta, y, factor, x, { x: there, rows }) {
    const price = 2 * largest(rows) + 1e-300;
    const before = this.#merit(theta, y, factor, x, price);
    for (let share = 1; share > 1e-9; share /= 2) {
      const point = x.map((value, j) => value + share * (there[j] - value));
      if (this.#merit(theta, y, factor, point, price) <= before + 1e-13 * Math.abs(before) + 1e-300) return point;
    }
    return there;
  }

  // What P makes small, with a price on violations.
  #merit(theta, y, factor, x, price) {
    const { value, least, most } = this.constraints({ x, theta });
    const inside = new Set(this.groups.flat());
    let total = 0;
    for (let j = 0; j < y.length; ++j) {
      let sum = 0;
      for (let k = j; k < y.length; ++k) sum += factor[k][j] * (x[k] - y[k]);
      total += sum * sum / 2;
    }
    value.forEach((c, i) => {
      if (!inside.has(i)) total += Math.max(Math.min(most[i], price) * c, Math.max(least[i], -price) * c);
    });
    this.groups.forEach((group) => { total += most[group[0]] * Math.hypot(...group.map((i) => value[i])); });
    return total;
  }

  // Up to 1e-9, relative: sequential programs of what cannot be met do not end.
  #isFeasible(theta, x) {
    const { value, jacobian, least, most } = this.constraints({ x, theta });
    return value.every((c, i) => {
      const size = 1e-9 * (1 + Math.abs(dot(jacobian.slice(i * x.length, (i + 1) * x.length), x) - c));
      return !(most[i] === Infinity && !(c <= size)) && !(least[i] === -Infinity && !(c >= -size));
    });
  }
}
