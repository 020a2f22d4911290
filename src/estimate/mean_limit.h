#pragma once
// How large a mean can be, given a few draws.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// Upper confidence limit of E X from independent draws x_1, …, x_n of X: the quantile of
//   V_1 x_1 + … + V_n x_n + V_{n+1} c,   V uniform on the simplex,
// where c bounds X from above (Gaffke 2005). For draws that are 0 or c it is the limit of Clopper
// and Pearson, for many draws of a smooth law that of Student; in between it does not rest on any
// asymptotics. The last term stands for what the draws have not shown. As c is not known, it is
// taken to be the largest draw and (headroom − 1) times the largest |x_i|.
//
// headroom = 4 holds its confidence from 32 draws on for squares of normal variables, their fourth
// powers, lognormal variables with σ = 2 and Pareto's law with exponent 1.5
// (tests/estimate/mean_limit_test.cpp); 1 does not for the last three. No limit holds for a part of
// E X that comes with a probability below 1/n: that is what `unseen` is for.
inline constexpr double default_headroom = 4;
[[nodiscard]] double mean_limit(const Vector& draws, double confidence,
                                double headroom = default_headroom);

// The k-th of any number of looks at data spends the share 1/(k(k + 1)) of the doubt 1 − confidence,
// so that all looks together spend no more than that: the confidence that remains for this one.
[[nodiscard]] double confidence_of_look(Index k, double confidence);

}  // namespace chaosgrad::internal
