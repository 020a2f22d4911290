#pragma once
// The parts of an exported C file that are the same for all.
namespace chaosgrad {

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

inline constexpr const char* quantile_code = R"(
static double ratio(const double (*c)[8], double x) {
  double above = c[0][7], below = c[1][7];
  int k;
  for (k = 6; k >= 0; --k) {
    above = above * x + c[0][k];
    below = below * x + c[1][k];
  }
  return above / below;
}

/* The standard normal quantile for 0 < p <= 1/2: Wichura, Algorithm AS 241 (1988). */
static double normal_quantile(double p) {
  static const double central[2][8] = {
      {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
       4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
      {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
       3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
  static const double tail[2][8] = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
       1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
       1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
  static const double far_tail[2][8] = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
       2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
       1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};
  const double q = p - 0.5, r = sqrt(-log(p));
  if (q >= -0.425) return q * ratio(central, 0.180625 - q * q);
  return r <= 5 ? -ratio(tail, r - 1.6) : -ratio(far_tail, r - 5);
}

/* The standard normal score of a value with these probabilities below and above it, and its derivative. */
static double score(double below, double above, double density, double *slope) {
  const double least = 2.2250738585072014e-308;
  const double z = below < above ? normal_quantile(fmax(below, least)) : -normal_quantile(fmax(above, least));
  *slope = density / (0.39894228040143267794 * exp(-z * z / 2));
  return z;
}
)";

inline constexpr const char* log_ratio_code = R"(
/* log(x / y), accurate for x near y */
static double log_ratio(double x, double y) { return x < 2 * y && y < 2 * x ? log1p((x - y) / y) : log(x) - log(y); }
)";

inline constexpr const char* discrete_code = R"(
/* The score of a discrete value: the middle of its interval. */
static double discrete_score(double t, int count, const double *values, const double *at, const double *between) {
  int i = 0;
  while (i < count && values[i] < t) ++i;
  return i < count && values[i] == t ? at[i] : between[i];
}
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

}  // namespace chaosgrad
