#include <array>
#include <cmath>

#include "random/normal_pack.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

// Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988): relative error about 1e-16.
// Three ratios of polynomials of degree 7, lowest coefficient first:
//   z = q ratio(0.180625 − q²)        q = p − 1/2, |q| ≤ 0.425
//   z = ∓ratio(r − 1.6), ∓ratio(r − 5)  r = √(−log min(p, 1 − p)), r ≤ 5 and beyond
struct Ratio {
  std::array<double, 8> numerator, denominator;

  template <class T>
  static T polynomial(const std::array<double, 8>& c, const T& x) {
    T sum = x * c[7] + c[6];
    for (std::size_t k = 6; k-- > 0;) sum = sum * x + c[k];
    return sum;
  }
};

constexpr Ratio central = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
constexpr Ratio tail = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Ratio far_tail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

constexpr double central_half_width = 0.425;
constexpr double far_tail_mass = 1.3887943864964021e-11;  // exp(−25)

// |z| for a tail of mass p < far_tail_mass.
double far_tail_quantile(double p) {
  if (p == 0) return infinity;
  const double r = std::sqrt(-std::log(p)) - 5.0;
  return Ratio::polynomial(far_tail.numerator, r) / Ratio::polynomial(far_tail.denominator, r);
}

}  // namespace

// Both branches for every value, one division: a blend costs less than sorting out the 15 % in the
// tails. The far tail is too rare to matter.
simd::Pack normal_quantile(const simd::Pack& p) {
  const simd::Pack q = p - 0.5;
  const simd::Integers is_upper = q > 0;
  const simd::Pack mass = is_upper ? 1.0 - p : p;
  const simd::Pack distance = is_upper ? q : -q;
  const simd::Pack x = 0.180625 - q * q;
  const simd::Pack y = simd::sqrt(-simd::Machine::log(mass)) - 1.6;
  const simd::Pack central_numerator = distance * Ratio::polynomial(central.numerator, x);
  const simd::Pack central_denominator = Ratio::polynomial(central.denominator, x);
  const simd::Pack tail_numerator = Ratio::polynomial(tail.numerator, y);
  const simd::Pack tail_denominator = Ratio::polynomial(tail.denominator, y);
  const simd::Integers is_central = distance <= central_half_width;
  simd::Pack z = (is_central ? central_numerator : tail_numerator) /
                 (is_central ? central_denominator : tail_denominator);
  if (simd::any(~(mass >= far_tail_mass))) {
    for (Index i = 0; i < simd::width; ++i) {
      if (!(mass[i] >= far_tail_mass)) z[i] = far_tail_quantile(mass[i]);
    }
  }
  return is_upper ? z : -z;
}

double normal_cdf(double z) {
  // Φ(z) = erfc(x)/2 with x = −z/√2. In the lower tail the rounding error e of x is felt as a
  // relative error 2 x e: take it out with erfc(x + e) ≈ erfc(x) − 2/√π exp(−x²) e.
  constexpr double root_half = 0.70710678118654752440, root_half_rest = -4.8336466567264567e-17;
  constexpr double two_over_root_pi = 1.12837916709551257390;
  const double x = -z * root_half;
  const double value = std::erfc(x);
  if (!(x > 1.0) || value == 0.0) return 0.5 * value;
  const double rest = std::fma(-z, root_half, -x) - z * root_half_rest;
  return 0.5 * (value - two_over_root_pi * std::exp(-x * x) * rest);
}

double normal_quantile(double p) {
  double z;
  normal_quantile(&p, &z, 1);
  return z;
}

void normal_quantile(const double* p, double* z, Index n) {
  simd::transform(p, z, n, 0.5, [](const simd::Pack& x) { return normal_quantile(x); });
}

}  // namespace chaosgrad::internal
