#pragma once
// What can be said about a problem before solving it.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chaosgrad/constants.h"
#include "chaosgrad/problem.h"

namespace chaosgrad {

struct ProblemCheck {
  ProblemConstants constants;         // given ones as given, the others estimated
  ProblemConstants measured;          // all estimated, to compare with the given ones
  double gradient_error = 0;          // largest relative difference of ∇F and differences of F
  std::vector<std::string> problems;  // what is wrong, in plain words; empty: nothing was found
};

// value(x, theta, noise, values) fills values (B×1) with F.
[[nodiscard]] ProblemCheck check_problem(
    const Oracle& oracle, const std::function<void(Block, Block, Block, BlockOut)>& value,
    std::uint64_t seed);

}  // namespace chaosgrad
