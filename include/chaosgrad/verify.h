#pragma once
// A check of a solution that asks nothing of the method that found it: x* is computed anew at fresh
// θ, by an optimisation at each, and compared with the expansion. Where the problem has values of F
// the optimisation also begins at the problem's own start, and the values are compared.
#include <string>
#include <string_view>

#include "chaosgrad/solution.h"

namespace chaosgrad {

struct VerifyOptions {
  Index points = 200;  // fresh θ, at least 2
  Index draws = 4096;  // of the noise at each θ, at least 2
  double confidence = 0.95;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all cores
};

// Where F is as low or lower than at the minimum that the expansion leads to, but elsewhere: found
// from the problem's own start.
struct OtherMinima {
  Index lower = 0;  // at so many of the fresh θ it is lower,
  Index equal = 0;  // and at so many as low, at a clearly different x
  // The θ with the largest difference: the minimum beside x_u, the other one, and F at both.
  Vector theta = {}, near = {}, other = {};
  double near_value = 0, other_value = 0;
  [[nodiscard]] Index count() const { return lower + equal; }
};

struct Verification {
  double error = 0;             // ‖x_u − x*‖_π
  double lower = 0, upper = 0;  // its confidence interval
  double size = 0;              // ‖x*‖_π
  Vector components = {};       // the error of each component
  Vector worst_theta = {};  // where |x_u − x*| is largest, and how large (with noise: its noise
  double worst = 0;         // included)
  Index points = 0,
        unsolved = 0;         // compared; among them those where the optimisation did not finish
  Index skipped = 0;          // fresh θ that were left out: the gradient fails there, as it may
  double unseen = 1;          // features of a smaller probability cannot be excluded: 3/points
  OtherMinima minima = {};    // where the problem has values of F
  Index outside = 0;          // θ at which F is not defined at x_u,
  Vector outside_theta = {};  // one of them,
  std::string outside_reason = {};  // and why, as far as the problem can tell
  std::int64_t gradients = 0;
  std::string failure = {};  // not empty: why there is no result
};

// With noise x* is the optimum of a sample average, once for each half of the draws: the product of
// the two differences from x_u is free of the noise of either. Throws InputError for bad options.
[[nodiscard]] Verification verify(const Oracle& oracle, const Expansion& expansion,
                                  const VerifyOptions& options = {});

// What a verification says about an error estimate: it agrees unless it is below half the lower, or
// above twice the upper end of the interval. Where both are within the rounding of x* there is
// nothing to judge.
enum class Verdict { agrees, too_small, too_large, rounding };
[[nodiscard]] std::string_view to_string(Verdict verdict);  // "too small"
[[nodiscard]] Verdict judge_estimate(double estimate, const Verification& verification);

// Whether x_u lies outside of the domain of F more often than with probability 1e-3, which solve()
// allows: more of the fresh θ than that explains, with the confidence of the verification.
[[nodiscard]] bool leaves_domain(const Verification& verification, double confidence);

}  // namespace chaosgrad
