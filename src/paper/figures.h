#pragma once
// The figures, one function each; see docs/paper.md for what each one shows.
#include <limits>

#include "estimate/reference.h"
#include "io/json_numbers.h"
#include "paper/reproduce.h"
#include "paper/trials.h"

namespace chaosgrad::internal {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();  // no point of a curve here

// The paper's four.
[[nodiscard]] Figure figure_exact(const ReproduceOptions& options);        // fig1a
[[nodiscard]] Figure figure_monte_carlo(const ReproduceOptions& options);  // fig1b
[[nodiscard]] Figure figure_noise(const ReproduceOptions& options);        // fig2
[[nodiscard]] Figure figure_growing(const ReproduceOptions& options);      // fig3
// What it describes only.
[[nodiscard]] Figure figure_equal_time(const ReproduceOptions& options);
[[nodiscard]] Figure figure_blowup(const ReproduceOptions& options);
[[nodiscard]] Figure figure_nested(const ReproduceOptions& options);
// What its text says, checked.
[[nodiscard]] Figure figure_optimum(const ReproduceOptions& options);
[[nodiscard]] Figure figure_slips(const ReproduceOptions& options);

// A curve of the paper's problems with the method's own steps and no guard.
[[nodiscard]] Curve paper_curve(const std::string& name, const std::string& label,
                                const AnyProblem& problem, Method method, Index iterations,
                                const Schedule& basis_size, Index samples);

// Growing to 91 functions against fixed 91, 250 samples, 600 iterations: figure 3 and equal-time.
[[nodiscard]] std::vector<Curve> growing_and_fixed();

// The first m coefficients of the paper's optimum, and its norm.
[[nodiscard]] ReferenceExpansion paper_optimum(Index m);

// A number of ours beside the paper's (null where it has none).
[[nodiscard]] Json beside(const Json& ours, const Json& paper = nullptr);

// Facts that every figure has.
[[nodiscard]] Json common_facts(const std::string& name, const ReproduceOptions& options,
                                Index trials);
// Of one curve: seconds per trial, divergences, final basis size, and mean and standard error at
// some iterations.
[[nodiscard]] Json curve_facts(const CurveResult& curve);

// 1, 2, …, n.
[[nodiscard]] Vector counting(Index n);
[[nodiscard]] Series make_series(const std::string& label, const Vector& x, const Vector& y);

}  // namespace chaosgrad::internal
