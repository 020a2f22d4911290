#pragma once
// What can be said about a problem before solving it.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/problem.h"
#include "estimate/constants.h"

namespace chaosgrad::internal {

struct ProblemCheck {
  ProblemConstants constants;  // given ones as given, the others estimated
  ProblemConstants measured;   // all estimated, to compare with the given ones
  // Largest relative difference of ∇F and differences of F; none without values of F.
  std::optional<double> gradient_error;
  std::vector<std::string> problems;  // what is wrong, in plain words; empty: nothing was found
};

// value(x, theta, noise, values) fills values (B×1) with F; empty where F is not known.
using ProblemValue = std::function<void(Block, Block, Block, BlockOut)>;
[[nodiscard]] ProblemCheck check_problem(const Oracle& oracle, const ProblemValue& value,
                                         std::uint64_t seed);

}  // namespace chaosgrad::internal
