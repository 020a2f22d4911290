#pragma once
// The parts of an exported C file that map parameters under a copula to standard normal scores.
#include <array>

#include "io/export/export_text.h"

namespace chaosgrad::internal {

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

inline constexpr const char* discrete_code = R"(
/* The score of a discrete value: the middle of its interval. */
static double discrete_score(double t, int count, const double *values, const double *at, const double *between) {
  int i = 0;
  while (i < count && values[i] < t) ++i;
  return i < count && values[i] == t ? at[i] : between[i];
}
)";

inline constexpr const char* log_ratio_code = R"(
/* log(x / y), accurate for x near y */
static double log_ratio(double x, double y) { return x < 2 * y && y < 2 * x ? log1p((x - y) / y) : log(x) - log(y); }
)";

inline constexpr const char* log_rest_code = R"(
/* log(1 + u) - u, where 1 + u = ratio. With r = u / (2 + u): log(1 + u) = 2 (r + r^3/3 + r^5/5 + ...). */
static double log_rest(double ratio, double u) {
  const double r = u / (2 + u);
  double sum = 0;
  int k;
  if (fabs(u) > 0.5) return log(ratio) - u;
  for (k = 17; k >= 0; --k) sum = sum * (r * r) + 1.0 / (2 * k + 3);
  return 2 * r * r * r * sum - r * u;
}
)";

// double NAME_score(double t, …, double *slope), and what it needs beyond `score`.
inline constexpr std::array law_codes = {LawCode{"uniform", nullptr, R"(
static double uniform_score(double t, double a, double b, double *slope) {
  return score((t - a) / (b - a), (b - t) / (b - a), 1 / (b - a), slope);
}
)"},
                                         LawCode{"loguniform", log_ratio_code, R"(
static double loguniform_score(double t, double a, double b, double *slope) {
  const double length = log_ratio(b, a);
  return score(log_ratio(t, a) / length, log_ratio(b, t) / length, 1 / t / length, slope);
}
)"},
                                         LawCode{"exponential", nullptr, R"(
static double exponential_score(double t, double rate, double *slope) {
  return score(-expm1(-rate * t), exp(-rate * t), rate * exp(-rate * t), slope);
}
)"},
                                         LawCode{"weibull", nullptr, R"(
static double weibull_score(double t, double shape, double scale, double *slope) {
  const double h = pow(t / scale, shape);
  return score(-expm1(-h), exp(-h), shape / scale * pow(t / scale, shape - 1) * exp(-h), slope);
}
)"},
                                         LawCode{"triangular", nullptr, R"(
static double triangular_score(double t, double a, double c, double b, double *slope) {
  const double w = b - a;
  if (t < c) {
    const double below = (t - a) / w * ((t - a) / (c - a));
    return score(below, 1 - below, 2 / w * ((t - a) / (c - a)), slope);
  }
  if (t > c) {
    const double above = (b - t) / w * ((b - t) / (b - c));
    return score(1 - above, above, 2 / w * ((b - t) / (b - c)), slope);
  }
  return score((c - a) / w, (b - c) / w, 2 / w, slope);
}
)"},
                                         LawCode{"gamma", log_rest_code, R"(
/* P(a, x) = front (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...), front = x^a e^-x / Gamma(a+1), or Q(a, x) = front a / K with one of
   two continued fractions, K = x + (1-a)/(1 + 1/(x + (2-a)/(1 + 2/(x + ...)))) or K = x+1-a + 1(a-1)/(x+3-a + 2(a-2)/(x+5-a + ...)):
   whichever has positive terms. peak = a^a e^-a / Gamma(a+1). */
static double gamma_score(double t, double a, double scale, double peak, double *slope) {
  const double x = t / scale;
  double front, density, above, k;
  int n;
  if (!(x > 0)) return score(0, 1, 0, slope);
  front = peak * exp(a * log_rest(x / a, (x - a) / a));
  density = front * a / x / scale;
  if (x < (a < 1 ? 0.5 : a + 1)) {
    double sum = 1, term = 1;
    for (n = 1; term > 1e-17 * sum; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return score(front * sum, 1 - front * sum, density, slope);
  }
  if (a < 1) {
    k = x;
    for (n = (int)(20 + 120 / x); n > 0; --n) k = x + (n - a) / (1 + n / k);
  } else { /* forwards, by the ratios c and d of numerators and denominators */
    double b = x + 1 - a, c = b, d = 0, change = 0;
    k = b;
    for (n = 1; fabs(change - 1) > 4e-16; ++n) {
      b += 2;
      c = b + n * (a - n) / c;
      d = 1 / (b + n * (a - n) * d);
      change = c * d;
      k *= change;
    }
  }
  above = front * a / k;
  return score(1 - above, above, density, slope);
}
)"},
                                         LawCode{"beta", log_rest_code, R"(
/* I_x(a, b) = front / K by the continued fraction K of DiDonato and Morris (1992), front = x^a (1-x)^b / B(a, b). */
static double beta_part(double x, double a, double b, double front) {
  double c = a * (a - (a + b) * x + 1) / (a + 1), k = c, d = 0, change = 0;
  int n;
  for (n = 1; fabs(change - 1) > 4e-16; ++n) {
    const double m = a + 2 * n - 1;
    const double above = (a + n - 1) / m * ((a + b + n - 1) / m) * n * (b - n) * x * x;
    const double below = n + n * (b - n) * x / m + (a + n) * (a - (a + b) * x + 1 + n * (2 - x)) / (m + 2);
    c = below + above / c;
    d = 1 / (below + above * d);
    change = c * d;
    k *= change;
  }
  return front / k;
}

/* peak = p^a q^b / (B(a, b) p q (a + b)), p = a / (a + b), q = b / (a + b). */
static double beta_score(double t, double a, double b, double lower, double upper, double peak, double *slope) {
  const double width = upper - lower, x = (t - lower) / width, y = (upper - t) / width, p = a / (a + b), q = b / (a + b);
  double front, density, part;
  if (!(x > 0)) return score(0, 1, 0, slope);
  if (!(y > 0)) return score(1, 0, 0, slope);
  front = peak * (a * q) * exp(a * log_rest(x / p, (x - p) / p) + b * log_rest(y / q, (y - q) / q));
  density = front / (x * y) / width;
  if (x * (a + b + 2) < a + 1) {
    part = beta_part(x, a, b, front);
    return score(part, 1 - part, density, slope);
  }
  part = beta_part(y, b, a, front);
  return score(1 - part, part, density, slope);
}
)"},
                                         LawCode{"truncated_normal", nullptr, R"(
/* The integral of exp(-s (a + s/2)) from 0 to `length`, a >= 0: Gauss's rule with 12 nodes on 8 panels. */
static double half_mass(double a, double length) {
  static const double rule[6][2] = {
      {0.12523340851146891547, 0.249147045813402785}, {0.36783149899818019375, 0.23349253653835480876},
      {0.5873179542866174473, 0.20316742672306592175}, {0.76990267419430468704, 0.16007832854334622633},
      {0.90411725637047485668, 0.10693932599531843096}, {0.98156063424671925069, 0.047175336386511827195}};
  const double reach = 80 / (a + sqrt(a * a + 80)); /* beyond it exp(-40) */
  const double h = (length < reach ? length : reach) / 16;
  double sum = 0;
  int i, k;
  for (k = 1; k < 16; k += 2) {
    for (i = 0; i < 6; ++i) {
      const double s = h * (k - rule[i][0]), r = h * (k + rule[i][0]);
      sum += rule[i][1] * (exp(-s * (a + s / 2)) + exp(-r * (a + r / 2)));
    }
  }
  return h * sum;
}

/* Probabilities relative to the largest density, at 0 or at the end nearest to it. */
static double truncated_normal_score(double t, double mean, double sd, double lower, double upper, double *slope) {
  const double z = (t - mean) / sd, a = (lower - mean) / sd, b = (upper - mean) / sd;
  const double from_lower = (t - lower) / sd, to_upper = (upper - t) / sd;
  double below, above, density;
  if (!(t > lower)) return score(0, 1, 0, slope);
  if (!(t < upper)) return score(1, 0, 0, slope);
  if (b < 0) return -truncated_normal_score(-t, -mean, sd, -upper, -lower, slope);
  if (a > 0) {
    density = exp(-from_lower * (a + from_lower / 2));
    below = half_mass(a, from_lower);
    above = density * half_mass(z, to_upper);
  } else {
    density = exp(-z * z / 2);
    below = z < 0 ? density * half_mass(-z, from_lower) : half_mass(0, z) + half_mass(0, -a);
    above = z > 0 ? density * half_mass(z, to_upper) : half_mass(0, -z) + half_mass(0, b);
  }
  return score(below / (below + above), above / (below + above), density / (sd * (below + above)), slope);
}
)"}};

}  // namespace chaosgrad::internal
