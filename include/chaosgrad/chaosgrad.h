#pragma once
// chaosgrad: the solution map x*(θ) = argmin_x E_v F(x, θ, v) of an uncertain optimisation problem
// as a chaos expansion.
//
//   auto solution = chaosgrad::solve(problem, options);  // any type that is a chaosgrad::Problem
//   solution(theta);
//   chaosgrad::mean(solution);
//   chaosgrad::sobol(solution);
#include <string_view>

#include "chaosgrad/basis.h"
#include "chaosgrad/distribution.h"
#include "chaosgrad/error.h"
#include "chaosgrad/expression.h"
#include "chaosgrad/formula.h"
#include "chaosgrad/measure.h"
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/solution.h"
#include "chaosgrad/statistics.h"
#include "chaosgrad/verify.h"

namespace chaosgrad {

[[nodiscard]] std::string_view version();

}  // namespace chaosgrad
