#pragma once
// chaosgrad: the solution map x*(θ) = argmin_x E_v F(x, θ, v) of an uncertain optimisation problem
// as a chaos expansion.
//
//   auto solution = chaosgrad::solve(problem, options);   // problem: any type satisfying
//   chaosgrad::Problem solution(theta);  chaosgrad::mean(solution);  chaosgrad::sobol(solution);
#include "chaosgrad/error.h"
#include "chaosgrad/formula_problem.h"
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/run.h"
#include "chaosgrad/solution.h"
#include "chaosgrad/statistics.h"
#include "chaosgrad/version.h"
