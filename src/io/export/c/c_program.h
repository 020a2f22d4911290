#pragma once
// The quadratic program of an exported C file: min ½ |x − y|²_M over limited multipliers and bounds.
// It is that of src/constraint with plain arrays, where everything is computed anew in each step.
namespace chaosgrad::internal {

inline constexpr const char* program_code = R"(
/* min 1/2 (x - y)' L L' (x - y) + sum_i max { m (a_i x - b_i) : least_i <= m <= most_i } over lower <= x <= upper, by a dual
 * active-set method (Goldfarb and Idnani 1983). Rows 0..P-1 are a_i, row P + j is the bound of x_j that is violated. A row is
 * working (a_i x = b_i), or rests with its multiplier where it is. */
struct program {
  const double *factor, *y, *lower, *upper, *a, *b, *least, *most;
  double x[E], multiplier[P + E], low[P + E], high[P + E], side[P + E];
  double basis[E][E], r[E][E]; /* L^-1 [a_1 a_2 ...] = basis' r of the working rows, basis orthonormal */
  int working[E], count, used[P + E];
};

/* L^-1 a_i; returns its length. */
static double normal(const struct program *s, int i, double *n) {
  double sum = 0;
  int j, k;
  for (j = 0; j < E; ++j) {
    n[j] = IS_ROW(i) ? s->a[i * E + j] : (i - P == j ? 1 : 0);
    for (k = 0; k < j; ++k) n[j] -= s->factor[j * E + k] * n[k];
    n[j] /= s->factor[j * E + j];
    sum += n[j] * n[j];
  }
  return sqrt(sum);
}

/* z loses its parts d along the basis; twice, for rounding. Returns the length that is left. */
static double split(const struct program *s, double *z, double *d) {
  double sum = 0;
  int repeat, i, j;
  for (i = 0; i < s->count; ++i) d[i] = 0;
  for (repeat = 0; repeat < 2; ++repeat) {
    for (i = 0; i < s->count; ++i) {
      double part = 0;
      for (j = 0; j < E; ++j) part += s->basis[i][j] * z[j];
      for (j = 0; j < E; ++j) z[j] -= part * s->basis[i][j];
      d[i] += part;
    }
  }
  for (j = 0; j < E; ++j) sum += z[j] * z[j];
  return sqrt(sum);
}

static void solve_r(const struct program *s, double *d) {
  int i, k;
  for (i = s->count - 1; i >= 0; --i) {
    for (k = i + 1; k < s->count; ++k) d[i] -= s->r[i][k] * d[k];
    d[i] /= s->r[i][i];
  }
}

static void join(struct program *s, int i) {
  const int last = s->count;
  double z[E], d[E];
  const double length = normal(s, i, z), rest = split(s, z, d);
  int j;
  if (last >= E || !(rest > 1e-10 * length)) return;
  for (j = 0; j < last; ++j) s->r[j][last] = d[j];
  s->r[last][last] = rest;
  for (j = 0; j < E; ++j) s->basis[last][j] = z[j] / rest;
  s->working[last] = i;
  s->used[i] = 1;
  s->count = last + 1;
}

static void leave(struct program *s, int position) {
  const int count = s->count;
  int k;
  for (k = position; k < count; ++k) s->used[s->working[k]] = 0;
  s->count = position;
  for (k = position + 1; k < count; ++k) {
    const int i = s->working[k];
    join(s, i);
  }
}

static double value(const struct program *s, int i) {
  double sum = -s->side[i];
  int j;
  if (!IS_ROW(i)) return s->x[i - P] + sum;
  for (j = 0; j < E; ++j) sum += s->a[i * E + j] * s->x[j];
  return sum;
}

/* What rounding may make of a value. */
static double noise(const struct program *s, int i) {
  double sum = 0;
  int j;
  if (!IS_ROW(i)) return 1e-12 * (fabs(s->side[i]) + fabs(s->x[i - P])) + 1e-14 * fabs(s->y[i - P]);
  for (j = 0; j < E; ++j) sum += fabs(s->a[i * E + j]) * (fabs(s->x[j]) + 0.01 * fabs(s->y[j]));
  return 1e-12 * (sum + fabs(s->side[i]));
}

/* x and the multipliers of the working rows, from those of the rows at rest; the second and third time only what rounding left. */
static void refresh(struct program *s) {
  double xi[E], n[E], d[E], t[E];
  int i, j, k, repeat;
  for (j = 0; j < E; ++j) {
    xi[j] = 0;
    for (k = j; k < E; ++k) xi[j] += s->factor[k * E + j] * s->y[k];
  }
  for (i = 0; i < P + E; ++i) {
    if (s->used[i] || s->multiplier[i] == 0) continue;
    (void)normal(s, i, n);
    for (j = 0; j < E; ++j) xi[j] -= s->multiplier[i] * n[j];
  }
  for (k = 0; k < s->count; ++k) s->multiplier[s->working[k]] = 0;
  for (repeat = 0; repeat < 3; ++repeat) {
    for (j = E - 1; j >= 0; --j) {
      s->x[j] = xi[j];
      for (k = j + 1; k < E; ++k) s->x[j] -= s->factor[k * E + j] * s->x[k];
      s->x[j] /= s->factor[j * E + j];
    }
    for (k = 0; k < s->count; ++k) {
      t[k] = value(s, s->working[k]);
      for (i = 0; i < k; ++i) t[k] -= s->r[i][k] * t[i];
      t[k] /= s->r[k][k];
      d[k] = t[k];
    }
    solve_r(s, d);
    for (k = 0; k < s->count; ++k) {
      s->multiplier[s->working[k]] += d[k];
      for (j = 0; j < E; ++j) xi[j] -= t[k] * s->basis[k][j];
    }
  }
  for (k = 0; k < s->count; ++k) {
    if (!IS_ROW(s->working[k])) s->x[s->working[k] - P] = s->side[s->working[k]];
  }
}

/* The row farthest from where its multiplier wants it, and the sign of the change; -1: none is. */
static int most_violated(struct program *s, const int *implied, double *sign) {
  double largest = 0, n[E];
  int i, most = -1;
  for (i = 0; i < P + E; ++i) {
    double c, far;
    if (s->used[i] || implied[i]) continue;
    if (!IS_ROW(i) && s->multiplier[i] == 0) {
      const int j = i - P, above = s->x[j] > s->upper[j];
      if (!above && !(s->x[j] < s->lower[j])) continue;
      s->side[i] = above ? s->upper[j] : s->lower[j];
      s->low[i] = above && s->lower[j] < s->upper[j] ? 0 : -HUGE_VAL;
      s->high[i] = !above && s->lower[j] < s->upper[j] ? 0 : HUGE_VAL;
    }
    c = value(s, i);
    if (!(c > 0 ? s->multiplier[i] < s->high[i] : s->multiplier[i] > s->low[i])) continue;
    if (!(fabs(c) > noise(s, i))) continue;
    far = fabs(c) / normal(s, i, n);
    if (far <= largest) continue;
    largest = far;
    most = i;
    *sign = c > 0 ? 1 : -1;
  }
  return most;
}

/* Changes the multiplier of the row until it is met or at its limit. 1: done, 0: cannot be met, 2: met already but for rounding. */
static int raise_row(struct program *s, int i, double sign) {
  double z[E], d[E], n[E];
  int k, j, step;
  for (step = 0; step < 4 * (P + E) + 16; ++step) {
    const double length = normal(s, i, z), rest = split(s, z, d), c = value(s, i), limit = sign > 0 ? s->high[i] : s->low[i];
    const double square = rest > 1e-10 * length ? rest * rest : 0, to_limit = fabs(limit - s->multiplier[i]);
    const double to_met = square > 0 ? fmax(sign * c, 0) / square : HUGE_VAL;
    double to_block = HUGE_VAL, terms = length, slack = noise(s, i), shortest;
    int block = -1;
    solve_r(s, d);
    for (k = 0; k < s->count; ++k) {
      terms += fabs(d[k]) * normal(s, s->working[k], n);
      slack += fabs(d[k]) * noise(s, s->working[k]);
    }
    if (square == 0 && fabs(c) <= slack) return 2;
    for (k = 0; k < s->count; ++k) {
      const double rate = -sign * d[k], end = rate > 0 ? s->high[s->working[k]] : s->low[s->working[k]];
      double reach;
      if (fabs(rate) * normal(s, s->working[k], n) <= 1e-13 * terms || fabs(end) == HUGE_VAL) continue;
      reach = fmax((end - s->multiplier[s->working[k]]) / rate, 0);
      if (reach < to_block) {
        to_block = reach;
        block = k;
      }
    }
    shortest = fmin(to_limit, fmin(to_met, to_block));
    if (shortest == HUGE_VAL) return 0;
    s->multiplier[i] += sign * shortest;
    for (k = 0; k < s->count; ++k) s->multiplier[s->working[k]] -= sign * shortest * d[k];
    if (shortest == to_limit || shortest == to_met) {
      if (shortest == to_limit) s->multiplier[i] = limit;
      else join(s, i);
      refresh(s);
      return 1;
    }
    j = s->working[block];
    s->multiplier[j] = -sign * d[block] > 0 ? s->high[j] : s->low[j];
    leave(s, block);
    refresh(s);
  }
  return 1;
}

/* 1 if it is solved, 0 if no x satisfies all rows and bounds. */
static int solve_program(struct program *s) {
  int i, k, step, implied[P + E];
  s->count = 0;
  for (i = 0; i < P + E; ++i) {
    s->used[i] = implied[i] = 0;
    s->side[i] = s->low[i] = s->high[i] = 0;
    if (IS_ROW(i)) {
      s->low[i] = s->least[i];
      s->high[i] = s->most[i];
      s->side[i] = s->b[i];
    } else if (s->lower[i - P] > s->upper[i - P]) {
      return 0;
    }
    s->multiplier[i] = fmin(fmax(0, s->low[i]), s->high[i]);
  }
  refresh(s);
  for (step = 0; step < 20 * (P + E) + 100; ++step) {
    double sign = 0;
    const int row = most_violated(s, implied, &sign);
    int done;
    if (row < 0) break;
    done = raise_row(s, row, sign);
    if (done == 0) return 0;
    for (i = 0; done == 1 && i < P + E; ++i) implied[i] = 0;
    if (done == 2) implied[row] = 1;
  }
  for (k = 0; k < s->count; ++k) {
    i = s->working[k];
    s->multiplier[i] = fmin(fmax(s->multiplier[i], s->low[i]), s->high[i]);
  }
  for (i = 0; i < E; ++i) s->x[i] = fmin(fmax(s->x[i], s->lower[i]), s->upper[i]);
  return 1;
}
)";

}  // namespace chaosgrad::internal
