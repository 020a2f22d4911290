// min ½ (x − y)ᵀ L Lᵀ (x − y) + Σ_i max { m (a_i x − b_i) : least_i ≤ m ≤ most_i } over lower ≤ x ≤ upper,
// by a dual active-set method (Goldfarb and Idnani 1983), as the exported evaluators have it.

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; ++i) sum += a[i] * b[i];
  return sum;
};

// Rows p + j are the bounds of x_j, of which the violated one counts. A row is working (a_i x = b_i) or
// rests with its multiplier where it is. The factor is a list of rows of growing length.
class QuadraticProgram {
  constructor({ factor, y, lower, upper, rows, right, least, most }) {
    const q = y.length;
    const zeros = new Array(q).fill(0);
    Object.assign(this, { factor, y, lower, upper, rows, p: rows.length, q });
    this.side = [...right, ...zeros];
    this.least = [...least, ...zeros];
    this.most = [...most, ...zeros];
    this.multiplier = this.least.map((low, i) => Math.min(Math.max(0, low), this.most[i]));
    this.normals = this.side.map((_, i) => this.#scaled(i));
    this.lengths = this.normals.map((normal) => Math.sqrt(dot(normal, normal)));
    this.working = [];
    this.basis = [];  // L⁻¹ [a_1, a_2, …] = basisᵀ r of the working rows, basis orthonormal,
    this.r = [];      // r by columns
  }

  #scaled(i) {
    const normal = new Array(this.q).fill(0);
    for (let j = 0; j < this.q; ++j) {
      let rest = i < this.p ? this.rows[i][j] : Number(i - this.p === j);
      for (let k = 0; k < j; ++k) rest -= this.factor[j][k] * normal[k];
      normal[j] = rest / this.factor[j][j];
    }
    return normal;
  }

  // The normal of row i by its parts along the basis, and what is left; twice, for rounding.
  #split(i) {
    const left = [...this.normals[i]];
    const parts = new Array(this.basis.length).fill(0);
    for (let repeat = 0; repeat < 2; ++repeat) {
      this.basis.forEach((direction, k) => {
        const part = dot(direction, left);
        for (let j = 0; j < this.q; ++j) left[j] -= part * direction[j];
        parts[k] += part;
      });
    }
    const rest = Math.sqrt(dot(left, left));
    return { parts, left, rest: rest > 1e-10 * this.lengths[i] ? rest : 0 };
  }

  solveR(given) {
    const d = [...given];
    for (let i = d.length - 1; i >= 0; --i) {
      d[i] /= this.r[i][i];
      for (let k = 0; k < i; ++k) d[k] -= this.r[i][k] * d[i];
    }
    return d;
  }

  #join(i) {
    const { parts, left, rest } = this.#split(i);
    if (rest === 0 || this.working.length === this.q) return;
    this.r.push([...parts, rest]);
    this.basis.push(left.map((entry) => entry / rest));
    this.working.push(i);
  }

  #leave(position) {
    const later = this.working.slice(position + 1);
    for (const list of [this.working, this.basis, this.r]) list.length = position;
    later.forEach((i) => this.#join(i));
  }

  #value(i) {
    return (i < this.p ? dot(this.rows[i], this.x) : this.x[i - this.p]) - this.side[i];
  }

  // What rounding may make of a value.
  #noise(i) {
    if (i >= this.p) {
      return 1e-12 * (Math.abs(this.side[i]) + Math.abs(this.x[i - this.p])) + 1e-14 * Math.abs(this.y[i - this.p]);
    }
    const size = this.rows[i].reduce((sum, a, j) =>
      sum + Math.abs(a) * (Math.abs(this.x[j]) + 0.01 * Math.abs(this.y[j])), 0);
    return 1e-12 * (size + Math.abs(this.side[i]));
  }

  // x and the multipliers of the working rows from those at rest; the second and third time what
  // rounding left.
  #refresh() {
    const { q, factor, working } = this;
    const xi = this.y.map((_, j) => {
      let sum = 0;
      for (let k = j; k < q; ++k) sum += factor[k][j] * this.y[k];
      return sum;
    });
    this.multiplier.forEach((multiplier, i) => {
      if (multiplier === 0 || working.includes(i)) return;
      for (let j = 0; j < q; ++j) xi[j] -= multiplier * this.normals[i][j];
    });
    for (const i of working) this.multiplier[i] = 0;
    for (let repeat = 0; repeat < 3; ++repeat) {
      this.x = [...xi];
      for (let j = q - 1; j >= 0; --j) {
        for (let k = j + 1; k < q; ++k) this.x[j] -= factor[k][j] * this.x[k];
        this.x[j] /= factor[j][j];
      }
      const steps = [];
      working.forEach((i, k) => {
        let rest = this.#value(i);
        for (let l = 0; l < k; ++l) rest -= this.r[k][l] * steps[l];
        steps.push(rest / this.r[k][k]);
      });
      this.solveR(steps).forEach((change, k) => { this.multiplier[working[k]] += change; });
      steps.forEach((part, k) => { for (let j = 0; j < q; ++j) xi[j] -= part * this.basis[k][j]; });
    }
    for (const i of working) if (i >= this.p) this.x[i - this.p] = this.side[i];
  }

  // The bound of x_j that is violated becomes what its row is about; false: none is.
  #takeSide(j) {
    const [x, lower, upper] = [this.x[j], this.lower[j], this.upper[j]];
    if (x >= lower && x <= upper) return false;
    const i = this.p + j;
    this.side[i] = x > upper ? upper : lower;
    this.least[i] = x > upper && lower < upper ? 0 : -Infinity;
    this.most[i] = x < lower && lower < upper ? 0 : Infinity;
    return true;
  }

  // The row farthest from where its multiplier wants it, and the sign of the change.
  #mostViolated(implied) {
    let most = null;
    let largest = 0;
    for (let i = 0; i < this.p + this.q; ++i) {
      if (this.working.includes(i) || implied.has(i)) continue;
      if (i >= this.p && this.multiplier[i] === 0 && !this.#takeSide(i - this.p)) continue;
      const c = this.#value(i);
      const wanted = c > 0 ? this.multiplier[i] < this.most[i] : this.multiplier[i] > this.least[i];
      const far = Math.abs(c) / this.lengths[i];
      if (!wanted || !(Math.abs(c) > this.#noise(i)) || !(far > largest)) continue;
      most = { i, sign: c > 0 ? 1 : -1 };
      largest = far;
    }
    return most;
  }

  // Changes the multiplier until the row is met or at its limit: 'done', 'infeasible', or 'implied' by
  // the working rows.
  #raise({ i, sign }) {
    for (let step = 0; step < 4 * (this.p + this.q) + 16; ++step) {
      const { parts, rest } = this.#split(i);
      const dual = this.solveR(parts);
      const c = this.#value(i);
      const noise = dual.reduce((sum, s, k) => sum + Math.abs(s) * this.#noise(this.working[k]), this.#noise(i));
      if (rest === 0 && Math.abs(c) <= noise) return 'implied';
      const limit = sign > 0 ? this.most[i] : this.least[i];
      const toLimit = Math.abs(limit - this.multiplier[i]);
      const toMet = rest > 0 ? Math.max(sign * c, 0) / rest ** 2 : Infinity;
      const [toBlock, block] = this.#firstBlock(i, sign, dual);
      const length = Math.min(toLimit, toMet, toBlock);
      if (length === Infinity) return 'infeasible';
      this.multiplier[i] += sign * length;
      if (length === toLimit) {
        this.multiplier[i] = limit;
      } else if (length === toMet) {
        this.#join(i);
      } else {
        const j = this.working[block];
        this.multiplier[j] = sign * dual[block] < 0 ? this.most[j] : this.least[j];
        this.#leave(block);
      }
      this.#refresh();
      if (length === toLimit || length === toMet) break;
    }
    return 'done';
  }

  // The working multiplier that reaches a limit first: after which length, and which.
  #firstBlock(i, sign, dual) {
    const sizes = dual.map((s, k) => Math.abs(s) * this.lengths[this.working[k]]);
    const terms = sizes.reduce((a, b) => a + b, this.lengths[i]);
    let first = [Infinity, -1];
    dual.forEach((s, k) => {
      const j = this.working[k];
      const end = sign * s < 0 ? this.most[j] : this.least[j];
      if (!(sizes[k] > 1e-13 * terms) || !Number.isFinite(end)) return;
      const length = Math.max((end - this.multiplier[j]) / (-sign * s), 0);
      if (length < first[0]) first = [length, k];
    });
    return first;
  }

  // Whether there is a solution.
  solve() {
    if (this.lower.some((lower, j) => lower > this.upper[j])) return false;
    this.#refresh();
    let implied = new Set();
    for (let step = 0; step < 20 * (this.p + this.q) + 100; ++step) {
      const row = this.#mostViolated(implied);
      if (row === null) break;
      const outcome = this.#raise(row);
      if (outcome === 'infeasible') return false;
      if (outcome === 'implied') implied.add(row.i);
      else implied = new Set();
    }
    for (const i of this.working)
      this.multiplier[i] = Math.min(Math.max(this.multiplier[i], this.least[i]), this.most[i]);
    this.x = this.x.map((x, j) => Math.min(Math.max(x, this.lower[j]), this.upper[j]));
    return true;
  }
}
