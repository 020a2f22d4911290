#pragma once
// The parts of an exported C file of a constrained solution that are the same for all.
namespace chaosgrad::internal {

inline constexpr const char* inside_code = R"(
/* Whether the expansion means something at theta. */
static int inside(const double *theta) {
#ifndef CHAOSGRAD_EXTRAPOLATE
  int k;
  for (k = 0; k < D; ++k) {
    if (!(theta[k] >= support[k][0] && theta[k] <= support[k][1])) return 0;
  }
#else
  (void)theta;
#endif
  return 1;
}

/* y, the entries l of the factor of the metric, and their derivatives unless dy and dl are null pointers. */
static void expand(const double *theta, double *y, double *dy, double *l, double *dl) {
)";

inline constexpr const char* expansion_code = R"(
  for (j = 0; j < Q; ++j) y[j] = 0;
  for (j = 0; j < ENTRIES; ++j) l[j] = 0;
  for (j = 0; dy && j < Q * D; ++j) dy[j] = 0;
  for (j = 0; dl && j < ENTRIES * D; ++j) dl[j] = 0;
  for (i = 0; i < M; ++i) {
    const int f = metric_function[i];
    double before = 1;
    after[D] = 1;
    for (k = D - 1; k >= 0; --k) after[k] = after[k + 1] * p[position[i][k]];
    for (j = 0; j < Q; ++j) y[j] += coefficient[i][j] * after[0];
    for (j = 0; f >= 0 && j < ENTRIES; ++j) l[j] += metric[f][j] * after[0];
    for (k = 0; dy && k < D; ++k) {
      const double slope = before * dp[position[i][k]] * after[k + 1];
      before *= p[position[i][k]];
      for (j = 0; j < Q; ++j) dy[j * D + k] += coefficient[i][j] * slope;
      for (j = 0; f >= 0 && j < ENTRIES; ++j) dl[j * D + k] += metric[f][j] * slope;
    }
  }
)";

// Behind it, where η is not θ.
inline constexpr const char* lifted_chain_rule_code = R"(  for (j = 0; dy && j < Q + ENTRIES; ++j) {
    double row[D], *out = j < Q ? dy + j * D : dl + (j - Q) * D;
    for (k = 0; k < D; ++k) row[k] = out[k];
    for (k = 0; k < D; ++k) {
      out[k] = 0;
      for (i = 0; i < D; ++i) out[k] += row[i] * jacobian[i][k];
    }
  }
)";

inline constexpr const char* lifted_code = R"(}

/* L with L L' = M, where M^-1 = R R' and l are the entries of R, row by row. 0 if R is singular. */
static int metric_factor(const double *l, double *triangle) {
  double inverse[Q * Q];
  int i, j, k, n = 0;
  for (i = 0; i < Q; ++i) {
    for (j = 0; j < Q; ++j) {
      double sum = i == j ? 1 : 0;
      for (k = j; k < i; ++k) sum -= l[n + k] * inverse[k * Q + j];
      inverse[i * Q + j] = j > i ? 0 : sum / l[n + i];
    }
    n += i + 1;
  }
  for (i = 0; i < Q; ++i) {
    for (j = 0; j < Q; ++j) {
      double sum = 0;
      if (j > i) {
        triangle[i * Q + j] = 0;
        continue;
      }
      for (k = i; k < Q; ++k) sum += inverse[k * Q + i] * inverse[k * Q + j];
      for (k = 0; k < j; ++k) sum -= triangle[i * Q + k] * triangle[j * Q + k];
      triangle[i * Q + j] = i == j ? sqrt(sum) : sum / triangle[j * Q + j];
    }
    if (!(triangle[i * Q + i] > 0 && triangle[i * Q + i] < HUGE_VAL)) return 0;
  }
  return 1;
}

/* x where theta, y and l are; 0 if no x satisfies the constraints. */
static int nearest(const double *theta, const double *y, const double *l, double *x, double *rows, double *bounds) {
  double triangle[Q * Q];
  if (!metric_factor(l, triangle) && !metric_factor(metric[0], triangle)) return 0; /* the mean metric in its place */
  return project(theta, y, triangle, x, rows, bounds);
}

/* dx/dtheta_k to one side, to second order in the step; NaN where there is no x on that side. */
static void slope_to(const double *theta, int k, double step, const double *x, const double *y, const double *dy, const double *l,
                     const double *dl, double *slope) {
  double there[D], moved_y[Q], moved_l[ENTRIES], moved_x[2][Q], rows[R], bounds[Q];
  int j, n, found = 1;
  for (n = 0; n < 2 && found; ++n) {
    for (j = 0; j < D; ++j) there[j] = theta[j] + (j == k ? (n + 1) * step : 0);
    for (j = 0; j < Q; ++j) moved_y[j] = y[j] + (n + 1) * step * dy[j * D + k];
    for (j = 0; j < ENTRIES; ++j) moved_l[j] = l[j] + (n + 1) * step * dl[j * D + k];
    found = nearest(there, moved_y, moved_l, moved_x[n], rows, bounds);
  }
  for (j = 0; j < Q; ++j) slope[j] = found ? (-3 * x[j] + 4 * moved_x[0][j] - moved_x[1][j]) / (2 * step) : NAN;
}

/* Whether the two sides are one derivative, up to rounding. */
static int agree(const double *growing, const double *falling, double rounding) {
  double size = 0, apart = 0;
  int j;
  for (j = 0; j < Q; ++j) {
    if (growing[j] != growing[j] || falling[j] != falling[j]) return 0;
    size = fmax(size, fmax(fabs(growing[j]), fabs(falling[j])));
    apart = fmax(apart, fabs(growing[j] - falling[j]));
  }
  return apart <= 1e-5 * size + rounding;
}

void optimum(const double *theta, double *x, double *dx);
void optimum(const double *theta, double *x, double *dx) {
  double y[Q], dy[Q * D], l[ENTRIES], dl[ENTRIES * D], rows[R], bounds[Q], growing[Q], falling[Q], size[2] = {0, 0};
  int j, k;
  for (j = 0; j < Q; ++j) x[j] = NAN;
  for (j = 0; dx && j < Q * D; ++j) dx[j] = NAN;
  if (!inside(theta)) return;
  expand(theta, y, dx ? dy : 0, l, dx ? dl : 0);
  if (!nearest(theta, y, l, x, rows, bounds)) {
    for (j = 0; j < Q; ++j) x[j] = NAN;
    return;
  }
  for (j = 0; j < Q; ++j) {
    size[0] = fmax(size[0], fabs(x[j]));
    size[1] = fmax(size[1], fabs(y[j]));
  }
  for (k = 0; dx && k < D; ++k) {
    double rounding = 1e-13 * (size[0] + size[1]) / length[k];
    slope_to(theta, k, length[k], x, y, dy, l, dl, growing);
    slope_to(theta, k, -length[k], x, y, dy, l, dl, falling);
    if (!agree(growing, falling, rounding)) { /* a constraint changes here, or within the steps */
      rounding *= 100;
      slope_to(theta, k, 0.01 * length[k], x, y, dy, l, dl, growing);
      slope_to(theta, k, -0.01 * length[k], x, y, dy, l, dl, falling);
    }
    for (j = 0; j < Q; ++j) {
      dx[j * D + k] = agree(growing, falling, rounding) ? 0.5 * (growing[j] + falling[j]) : growing[j] == growing[j] ? growing[j] : falling[j];
    }
  }
}

void multipliers(const double *theta, double *lambda);
void multipliers(const double *theta, double *lambda) {
  double y[Q], l[ENTRIES], x[Q], rows[R], bounds[Q];
  int i, found = inside(theta);
  if (found) {
    expand(theta, y, 0, l, 0);
    found = nearest(theta, y, l, x, rows, bounds);
  }
  for (i = 0; i < COLUMNS; ++i) {
    const int n = column[i][1];
    lambda[i] = !found ? NAN : column[i][0] == 0 ? rows[n] : fmax(0, column[i][0] == 1 ? -bounds[n] : bounds[n]);
  }
}
)";

inline constexpr const char* lifted_test_code = R"(
int main(void) {
  double x[Q], dx[Q * D], lambda[SLOTS], worst = 0, slope = 0;
  int i, j;
  for (i = 0; i < N; ++i) {
    optimum(test_theta[i], x, dx);
    multipliers(test_theta[i], lambda);
    for (j = 0; j < Q; ++j) worst = fmax(worst, fabs(x[j] - test_x[i][j]) / test_x_scale[j]);
    for (j = 0; j < COLUMNS; ++j) worst = fmax(worst, fabs(lambda[j] - test_lambda[i][j]) / test_lambda_scale[j]);
    for (j = 0; j < Q * D; ++j) slope = fmax(slope, fabs(dx[j] - test_dx[i][j]) / test_dx_scale[j]);
  }
  printf("self-test: %d points, largest relative difference %.2g, of slopes %.2g: %s\n", (int)N, worst, slope,
         worst <= 1e-9 && slope <= 1e-5 ? "passed" : "FAILED");
  return worst <= 1e-9 && slope <= 1e-5 ? 0 : 1;
}
)";

}  // namespace chaosgrad::internal
