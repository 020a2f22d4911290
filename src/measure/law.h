#pragma once
// What every distribution D offers to Distribution, as overloads in namespace law (its name, its
// arguments and what they must satisfy stand in distribution_table.cpp):
//   support(d)
//   pdf, cdf, survival(d, t)   t is finite and inside the support
//   quantile(d, p, t, n)       t[i] = quantile of p[i], in place too; bits depend on p[i] only
//   survival_quantile(d, q)    quantile of 1 − q
//   mean(d), sd(d)
#include <bit>
#include <boost/math/policies/policy.hpp>
#include <cstdint>
#include <exception>
#include <limits>

namespace chaosgrad::internal::law {

struct Support {
  double lower, upper;
};

// Boost.Math answers with infinities and its best value, never with an exception. Quantiles, which
// every sample needs, are computed in double throughout: long double inside costs five times as
// much, and double still gives them to 1e-13. Distribution functions take long double inside: in
// double they lose up to 4e-14 where the parameters are in the hundreds.
template <bool promote>
using BoostPolicy = boost::math::policies::policy<
    boost::math::policies::promote_double<promote>,
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::denorm_error<boost::math::policies::ignore_error>,
    boost::math::policies::rounding_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::indeterminate_result_error<boost::math::policies::ignore_error>>;
using Policy = BoostPolicy<false>;
using CarefulPolicy = BoostPolicy<true>;

// The largest x in [0, upper] with is_below(x), by bisection over the floating-point numbers
// themselves (the bits of positive numbers are in order): 64 steps whatever the magnitude.
template <class IsBelow>
[[nodiscard]] double bisect(const IsBelow& is_below, double upper) {
  auto left = std::uint64_t{0}, right = std::bit_cast<std::uint64_t>(upper);
  while (right - left > 1) {
    const std::uint64_t middle = left + (right - left) / 2;
    (is_below(std::bit_cast<double>(middle)) ? left : right) = middle;
  }
  return std::bit_cast<double>(left);
}

// inverse(), or bisection where Boost's iterations give up (they ignore the policy).
template <class Inverse, class IsBelow>
[[nodiscard]] double robust_inverse(const Inverse& inverse, const IsBelow& is_below, double upper) {
  try {
    const double x = inverse();
    if (x >= 0 && x <= upper) return x;
  } catch (const std::exception&) {
  }
  return bisect(is_below, upper);
}

}  // namespace chaosgrad::internal::law
