#pragma once
// P(y) of an exported C file: norms and rows that are not affine by several quadratic programs.
namespace chaosgrad::internal {

inline constexpr const char* norms_code = R"(
/* Terms w |c|: c = t m with t > 0 such that the multipliers m have the length w, or c = 0 and t = 0 where it is less. Newton's method on
 * 1/|m| = 1/w, all norms together; where that does not get on, minorise and maximise, which always does. */
struct norms {
  double t[GROUPS], before[GROUPS], size, distance;
  int refused[GROUPS], slow;
};

static double group_product(const struct program *s, int g, const double *with) {
  double sum = 0;
  int i;
  for (i = 0; i < P; ++i) sum += group[i] == g ? s->multiplier[i] * with[i] : 0;
  return sum;
}

/* Solves columns' rest = rest by elimination with pivots. */
static void gauss(int n, double (*columns)[GROUPS], double *rest) {
  int i, j, k;
  for (k = 0; k < n; ++k) {
    int pivot = k;
    double swap;
    for (i = k + 1; i < n; ++i) pivot = fabs(columns[k][i]) > fabs(columns[k][pivot]) ? i : pivot;
    for (j = 0; j < n; ++j) {
      swap = columns[j][k];
      columns[j][k] = columns[j][pivot];
      columns[j][pivot] = swap;
    }
    swap = rest[k];
    rest[k] = rest[pivot];
    rest[pivot] = swap;
    for (i = k + 1; i < n; ++i) {
      const double factor = columns[k][i] / columns[k][k];
      for (j = k; j < n; ++j) columns[j][i] -= factor * columns[j][k];
      rest[i] -= factor * rest[k];
    }
  }
  for (k = n - 1; k >= 0; --k) {
    for (j = k + 1; j < n; ++j) rest[k] -= columns[j][k] * rest[j];
    rest[k] /= columns[k][k];
  }
}

/* c = 0 cannot be for all that were taken to be so: 1 if there were some. */
static int back(struct norms *n) {
  int g, taken = 0;
  for (g = 0; g < GROUPS; ++g) {
    if (n->t[g] != 0) continue;
    n->t[g] = 0.1 * n->before[g];
    n->refused[g] = taken = 1;
  }
  return taken;
}

/* 1 if nothing is left to change. */
static int advance(struct norms *n, const struct program *s, const double *weight) {
  double length[GROUPS], columns[GROUPS][GROUPS], step[GROUPS], distance = 0;
  int moving[GROUPS], count = 0, g, h, i, k;
  for (g = 0; g < GROUPS; ++g) {
    length[g] = sqrt(group_product(s, g, s->multiplier));
    if (n->t[g] == 0 && length[g] > weight[g]) n->refused[g] = 1;
    if (!(length[g] > 0) || !(weight[g] > 0) || fabs(length[g] - weight[g]) <= 1e-13 * weight[g] ||
        (length[g] < weight[g] && n->t[g] <= 1e-14 * n->size)) continue;
    distance += fabs(length[g] / weight[g] - 1);
    moving[count++] = g;
  }
  if (count == 0) return 1;
  n->slow = distance < n->distance ? n->slow - 1 : 4;
  n->distance = distance;
  for (h = 0; h < count; ++h) {
    double d[E], change[P + E];
    for (i = 0; i < P + E; ++i) change[i] = 0;
    for (k = 0; k < s->count; ++k) {
      i = s->working[k];
      d[k] = i < P && group[i] == moving[h] ? s->multiplier[i] : 0;
      for (i = 0; i < k; ++i) d[k] -= s->r[i][k] * d[i];
      d[k] /= s->r[k][k];
    }
    solve_r(s, d);
    for (k = 0; k < s->count; ++k) change[s->working[k]] = d[k];
    for (g = 0; g < count; ++g) columns[h][g] = group_product(s, moving[g], change) / pow(length[moving[g]], 3);
    step[h] = 1 / length[moving[h]] - 1 / weight[moving[h]];
  }
  if (n->slow <= 0) gauss(count, columns, step);
  for (h = 0; h < count; ++h) {
    const double t = n->t[g = moving[h]], move = n->slow <= 0 ? step[h] : t * (1 - length[g] / weight[g]);
    if (t > 0) n->before[g] = t;
    n->t[g] = t > 0 ? fmin(fmax(t - move, n->refused[g] ? 0.1 * t : 0), 10 * t)
                    : (move < 0 && n->slow <= 0 ? -move : 1e-3 * n->before[g]);
  }
  return 0;
}
)";

inline constexpr const char* curved_code = R"(
/* What P makes small, with a price on violations. */
static double merit(const double *theta, const double *y, const double *factor, const double *x, double price) {
  double lower[Q], upper[Q], value[R], jacobian[R * Q], least[R], most[R], square[GROUPS + 1], weight[GROUPS + 1], total = 0;
  int i, j, k;
  constraints(x, theta, lower, upper, value, jacobian, least, most);
  for (j = 0; j < Q; ++j) {
    double sum = 0;
    for (k = j; k < Q; ++k) sum += factor[k * Q + j] * (x[k] - y[k]);
    total += 0.5 * sum * sum;
  }
  for (k = 0; k < GROUPS; ++k) square[k] = weight[k] = 0;
  for (i = 0; i < P; ++i) {
    if (group[i] >= 0) {
      square[group[i]] += value[i] * value[i];
      weight[group[i]] = most[i];
    } else {
      total += fmax(fmin(most[i], price) * value[i], fmax(least[i], -price) * value[i]);
    }
  }
  for (k = 0; k < GROUPS; ++k) total += weight[k] * sqrt(square[k]);
  return total;
}

/* Moves x towards `there` as far as that is better: the whole way, as a rule. */
static void approach(const double *theta, const double *y, const double *factor, double *x, const double *there, const double *multiplier) {
  double price = 1e-300, before, point[Q], share = 1;
  int i, j, step;
  for (i = 0; i < P; ++i) price = fmax(price, 2 * fabs(multiplier[i]));
  before = merit(theta, y, factor, x, price);
  for (step = 0; step < 30; ++step, share *= 0.5) {
    for (j = 0; j < Q; ++j) point[j] = x[j] + share * (there[j] - x[j]);
    if (merit(theta, y, factor, point, price) <= before + 1e-13 * fabs(before) + 1e-300) break;
  }
  for (j = 0; j < Q; ++j) x[j] = step < 30 ? point[j] : there[j];
}

/* The metric with the curvature of the constraints, factored, and where it is centred. */
static void bend(const double *theta, const double *y, const double *factor, const double *x, const double *multiplier, double *model,
                 double *center) {
  double h[Q * Q], b[Q];
  int i, j, k;
  constraints_curvature(x, theta, multiplier, h);
  for (i = 0; i < Q; ++i) {
    b[i] = 0;
    for (j = 0; j < Q; ++j) {
      double entry = 0;
      for (k = 0; k <= (i < j ? i : j); ++k) entry += factor[i * Q + k] * factor[j * Q + k];
      b[i] += entry * y[j] + h[i * Q + j] * x[j];
      h[i * Q + j] += entry;
    }
  }
  for (i = 0; i < Q; ++i) {
    for (j = 0; j <= i; ++j) {
      double rest = h[i * Q + j];
      for (k = 0; k < j; ++k) rest -= model[i * E + k] * model[j * E + k];
      model[i * E + j] = i == j ? sqrt(rest) : rest / model[j * E + j];
    }
  }
  for (i = 0; i < Q; ++i) {
    center[i] = b[i];
    for (k = 0; k < i; ++k) center[i] -= model[i * E + k] * center[k];
    center[i] /= model[i * E + i];
  }
  for (i = Q - 1; i >= 0; --i) {
    for (k = i + 1; k < Q; ++k) center[i] -= model[k * E + i] * center[k];
    center[i] /= model[i * E + i];
  }
}
)";

inline constexpr const char* projection_code = R"(
/* P(y): the point of the constraints at theta that is nearest to y in the metric L L' of the factor (Q x Q), and the multipliers of the
 * rows (P) and of the bounds (Q; > 0 at the upper one). 0 if there is no such point. */
static int project(const double *theta, const double *y, const double *factor, double *x, double *rows, double *bounds) {
  struct program s;
  double lower[E], upper[E], value[R], jacobian[R * Q], least[R], most[R], a[R * E], b[R], model[E * E], center[E];
  int i, j, step;
#if NORMS
  double weight[GROUPS];
  struct norms n;
  int k;
#endif
  for (i = 0; i < E * E; ++i) model[i] = i % (E + 1) == 0 ? 1 : 0;
  for (i = 0; i < E; ++i) {
    lower[i] = -HUGE_VAL;
    upper[i] = HUGE_VAL;
    center[i] = i < Q ? y[i] : 0;
    for (j = 0; i < Q && j <= i; ++j) model[i * E + j] = factor[i * Q + j];
  }
  for (i = 0; i < R; ++i) rows[i] = 0;
  constraints(y, theta, lower, upper, value, jacobian, least, most);
  for (j = 0; j < Q; ++j) x[j] = fmin(fmax(y[j], lower[j]), upper[j]);
#if NORMS
  n.size = 0;
  for (i = 0; i < Q; ++i) {
    double square = 0;
    for (j = 0; j <= i; ++j) square += factor[i * Q + j] * factor[i * Q + j];
    n.size = fmax(n.size, square);
  }
  n.size = 1 / n.size;
  n.distance = HUGE_VAL;
  n.slow = 0;
  for (k = 0; k < GROUPS; ++k) {
    n.t[k] = n.before[k] = n.size;
    n.refused[k] = 0;
    weight[k] = 0;
  }
#endif
  s.factor = model;
  s.y = center;
  s.lower = lower;
  s.upper = upper;
  s.a = a;
  s.b = b;
  s.least = least;
  s.most = most;
  for (step = 0; step < 200; ++step) {
    int done = 1;
    constraints(x, theta, lower, upper, value, jacobian, least, most);
    for (i = 0; i < P; ++i) {
      b[i] = -value[i];
      for (j = 0; j < E; ++j) a[i * E + j] = j < Q ? jacobian[i * Q + j] : 0;
      for (j = 0; j < Q; ++j) b[i] += jacobian[i * Q + j] * x[j];
    }
#if NORMS
    for (i = 0, k = Q; i < P; ++i) { /* further variables take up c */
      if (group[i] < 0) continue;
      weight[group[i]] = most[i];
      if (most[i] > 0) {
        least[i] = -HUGE_VAL;
        most[i] = HUGE_VAL;
        a[i * E + k] = sqrt(n.t[group[i]]);
      }
      ++k;
    }
#endif
#if !AFFINE
    bend(theta, y, factor, x, rows, model, center);
#endif
    if (!solve_program(&s)) {
#if NORMS
      if (back(&n)) continue;
#endif
      return 0;
    }
#if NORMS
    done = advance(&n, &s, weight);
#endif
    for (i = 0; i < P; ++i) rows[i] = s.multiplier[i];
    for (j = 0; j < Q; ++j) bounds[j] = s.multiplier[P + j];
#if AFFINE
    for (j = 0; j < Q; ++j) x[j] = s.x[j];
    if (done) break;
#else
    {
      double far = 0, size = 0;
      for (j = 0; j < Q; ++j) {
        far = fmax(far, fabs(s.x[j] - x[j]));
        size = fmax(size, fmax(fabs(s.x[j]), fabs(x[j])));
      }
      if (done && far <= 1e-13 * size) {
        for (j = 0; j < Q; ++j) x[j] = s.x[j];
        break;
      }
      approach(theta, y, factor, x, s.x, rows);
    }
#endif
  }
  constraints(x, theta, lower, upper, value, jacobian, least, most);
  for (i = 0; i < P; ++i) { /* sequential programs of what cannot be met do not end */
    double size = -value[i];
    for (j = 0; j < Q; ++j) size += jacobian[i * Q + j] * x[j];
    size = 1e-9 * (1 + fabs(size));
    if ((most[i] == HUGE_VAL && !(value[i] <= size)) || (least[i] == -HUGE_VAL && !(value[i] >= -size))) return 0;
  }
  return 1;
}
)";

}  // namespace chaosgrad::internal
