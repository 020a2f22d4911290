#pragma once
// A check of a solution that asks nothing of the method that found it: x* is computed anew at fresh
// θ, by an optimisation at each, and compared with the expansion.
#include <string>

#include "chaosgrad/solution.h"

namespace chaosgrad {

struct VerifyOptions {
  Index points = 200;  // fresh θ, at least 2
  Index draws = 4096;  // of the noise at each θ, at least 2
  double confidence = 0.95;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all cores
};

struct Verification {
  double error = 0;             // ‖x_u − x*‖_π
  double lower = 0, upper = 0;  // its confidence interval
  Vector components = {};       // the error of each component
  Vector worst_theta = {};  // where |x_u − x*| is largest, and how large (with noise: its noise
  double worst = 0;         // included)
  Index points = 0,
        unsolved = 0;  // compared; among them those where the optimisation did not finish
  std::int64_t gradients = 0;
  std::string failure = {};  // not empty: why there is no result
};

// With noise x* is the optimum of a sample average, once for each half of the draws: the product of
// the two differences from x_u is free of the noise of either. Throws InputError for bad options.
[[nodiscard]] Verification verify(const Oracle& oracle, const Expansion& expansion,
                                  const VerifyOptions& options = {});

// What a verification says about an error estimate: it agrees unless it is below half the lower, or
// above twice the upper end of the interval.
enum class Verdict { agrees, too_small, too_large };
[[nodiscard]] Verdict judge_estimate(double estimate, const Verification& verification);

}  // namespace chaosgrad
