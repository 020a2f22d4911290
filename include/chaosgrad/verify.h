#pragma once
// A check of a solution that shares nothing with the method that found it: x* is computed anew at
// fresh θ, each by its own optimisation, and compared with the expansion.
#include <optional>

#include "chaosgrad/solution.h"

namespace chaosgrad {

struct VerifyOptions {
  Index points = 200;     // fresh θ, at least 2
  Index draws = 4096;     // of the noise at each θ, common to all; an even number
  double confidence = 0.95;
  std::uint64_t seed = 1;
  int threads = 0;
  std::function<bool()> interrupted = {};
};

struct Verification {
  double error = 0;             // ‖x_u − x*‖_π
  double lower = 0, upper = 0;  // its confidence interval
  Vector worst_theta;           // where |x_u − x*| is largest
  double worst = 0;
  Vector components;            // the error of each component
  Index points = 0, unsolved = 0;  // compared, and left out because no optimum was found there
  std::int64_t gradients = 0;
};

// With noise x* is the optimum of a sample average, once for each half of the draws: the product of
// the two differences from x_u is free of their noise. Throws InputError for bad options, and
// NumericalError if nothing could be solved.
[[nodiscard]] Verification verify(const Oracle& oracle, const Expansion& expansion,
                                  const VerifyOptions& options = {});

// What a verification says about an error estimate: it is in keeping with the interval unless it is
// below half its lower or above twice its upper end.
enum class Verdict { agrees, too_small, too_large };
[[nodiscard]] Verdict compare_estimate(double estimate, const Verification& verification);

}  // namespace chaosgrad
