#pragma once
// The parts of an exported C file that are the same for all.
namespace chaosgrad::internal {

inline constexpr const char* polynomial_code = R"(
/* p_0..p_degree and their derivatives: p_(n+1) = (A t + B) p_n - C p_(n-1), t = (eta - center) / scale. */
static void polynomial(double eta, int degree, double center, double inverse_scale, const double (*r)[3], double *p, double *dp) {
  const double t = (eta - center) * inverse_scale;
  int n;
  p[0] = 1;
  dp[0] = 0;
  for (n = 0; n < degree; ++n) {
    const double factor = r[n][0] * t + r[n][1];
    p[n + 1] = factor * p[n] - (n > 0 ? r[n][2] * p[n - 1] : 0);
    dp[n + 1] = factor * dp[n] + r[n][0] * inverse_scale * p[n] - (n > 0 ? r[n][2] * dp[n - 1] : 0);
  }
}
)";

inline constexpr const char* point_code = R"(
/* At these points the recurrence is not accurate. */
static void look_up(double eta, int degree, int count, const double *points, const double *values, double *p) {
  int i, n;
  for (i = 0; i < count; ++i) {
    if (points[i] == eta) {
      for (n = 0; n <= degree; ++n) p[n] = values[i * (degree + 1) + n];
    }
  }
}
)";

inline constexpr const char* fourier_code = R"(
/* a * b = p + the value returned, without rounding (Dekker). */
static double product_rest(double a, double b, double p) {
  const double split = 134217729.0, as = a * split, bs = b * split;
  const double ah = as - (as - a), al = a - ah, bh = bs - (bs - b), bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/* 1, sqrt(2) cos(angle), sqrt(2) sin(angle), sqrt(2) cos(2 angle), ...; angle = omega (eta - middle), kept in two parts. */
static void fourier(double eta, int degree, const double *middle, const double *omega, double *p, double *dp) {
  const double root2 = 1.4142135623730951;
  const double tau = eta - middle[0], part = tau - eta;
  const double tau_rest = (eta - (tau - part)) + (-middle[0] - part) - middle[1];
  const double angle = tau * omega[0];
  const double rest = product_rest(tau, omega[0], angle) + tau * omega[1] + tau_rest * omega[0];
  int n;
  p[0] = 1;
  dp[0] = 0;
  for (n = 1; n <= degree; ++n) {
    const double harmonic = (n + 1) / 2;
    const double high = harmonic * angle, low = product_rest(harmonic, angle, high) + harmonic * rest;
    const double c = cos(high), s = sin(high);
    const double cosine = root2 * (c - low * s), sine = root2 * (s + low * c);
    p[n] = n % 2 ? cosine : sine;
    dp[n] = harmonic * omega[0] * (n % 2 ? -sine : cosine);
  }
}
)";

inline constexpr const char* support_code = R"(
#ifndef CHAOSGRAD_EXTRAPOLATE
  for (k = 0; k < D; ++k) {
    if (theta[k] >= support[k][0] && theta[k] <= support[k][1]) continue;
    for (j = 0; j < Q; ++j) x[j] = NAN;
    for (j = 0; dx && j < Q * D; ++j) dx[j] = NAN;
    return;
  }
#endif
)";

inline constexpr const char* evaluation_code = R"(
  for (j = 0; j < Q; ++j) x[j] = 0;
  if (dx) {
    for (j = 0; j < Q * D; ++j) dx[j] = 0;
  }
  for (i = 0; i < M; ++i) {
    double before = 1;
    after[D] = 1;
    for (k = D - 1; k >= 0; --k) after[k] = after[k + 1] * p[position[i][k]];
    for (j = 0; j < Q; ++j) x[j] += coefficient[i][j] * after[0];
    for (k = 0; dx && k < D; ++k) {
      const double slope = before * dp[position[i][k]] * after[k + 1];
      before *= p[position[i][k]];
      for (j = 0; j < Q; ++j) dx[j * D + k] += coefficient[i][j] * slope;
    }
  }
)";

inline constexpr const char* chain_rule_code = R"(  for (j = 0; dx && j < Q; ++j) {
    double row[D];
    for (k = 0; k < D; ++k) row[k] = dx[j * D + k];
    for (k = 0; k < D; ++k) {
      dx[j * D + k] = 0;
      for (i = 0; i < D; ++i) dx[j * D + k] += row[i] * jacobian[i][k];
    }
  }
)";

inline constexpr const char* test_code = R"(
int main(void) {
  double x[Q], dx[Q * D], worst = 0;
  int i, j;
  for (i = 0; i < N; ++i) {
    optimum(test_theta[i], x, dx);
    for (j = 0; j < Q; ++j) worst = fmax(worst, fabs(x[j] - test_x[i][j]) / test_x_scale[j]);
    for (j = 0; j < Q * D; ++j) worst = fmax(worst, fabs(dx[j] - test_dx[i][j]) / test_dx_scale[j]);
  }
  printf("self-test: %d points, largest relative difference %.2g: %s\n", (int)N, worst, worst <= 1e-14 ? "passed" : "FAILED");
  return worst <= 1e-14 ? 0 : 1;
}
)";

}  // namespace chaosgrad::internal
