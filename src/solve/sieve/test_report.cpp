#include "solve/sieve/test_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/mean_limit.h"
#include "random/random.h"
#include "solve/common/growth.h"
#include "solve/sieve/error.h"

namespace chaosgrad::internal {
namespace {

double standard_error(const Vector& terms) {
  const auto n = static_cast<double>(terms.size());
  return std::sqrt((terms.array() - terms.mean()).square().sum() / (n * (n - 1)));
}

}  // namespace

TestReport judge_test(const FreshTest& test, const SieveError& error, double tolerance,
                      double confidence, Index look, const SieveTuning& tuning) {
  const double own = confidence_of_look(look, confidence), z = normal_quantile(own);
  const double squared = tolerance * tolerance;
  TestReport report;
  report.measured = test.steps.mean();
  report.limit = mean_limit(test.steps, own);
  report.gradient_limit = mean_limit(test.gradients, own);
  report.spread = mean_limit(test.spreads, own);
  const Vector noise = test.noise();
  const double beyond = test.coefficients().squaredNorm() - noise.sum();
  if (beyond > squared_margin(z, 0, noise)) report.found = beyond;

  const double error_of_mean = standard_error(test.steps);
  const double least = report.measured - z * error_of_mean;
  const bool above =
      report.measured > squared && error_of_mean <= tuning.coarse_resolution * squared;
  // Up to a tenth beyond what was aimed at.
  const bool sharp = error_of_mean <= 1.1 * tuning.test_resolution * squared;
  const double inside = std::max(error.sampling, report.spread) + error.optimisation;
  const bool contradicts =
      least > squared || above || inside + std::max(error.basis, report.found) > squared;
  using enum TestReport::Finding;
  if (contradicts) {
    report.finding = refuted;
  } else if (report.limit <= squared) {
    report.finding = confirmed;
  } else {
    report.finding = sharp ? refuted : assumed;
  }
  return report;
}

Index first_test_blocks(std::int64_t spent, Index draws, bool cheap, const SieveTuning& tuning) {
  const auto share = static_cast<Index>(tuning.test_share * static_cast<double>(spent));
  const Index least = cheap ? tuning.cheap_test : std::min<Index>(tuning.least_test, spent);
  const Index blocks = std::max(least, share) / (draws * block_size);
  return std::max<Index>(blocks, cheap ? tuning.least_test_blocks : 2);
}

Index all_test_blocks(const FreshTest& test, double tolerance, std::int64_t spent,
                      const SieveTuning& tuning) {
  const Index first = test.samples() / block_size;
  const double error = standard_error(test.steps) / (tolerance * tolerance);
  const auto blocks_for = [&](double resolution) {
    return std::ceil(std::pow(error / resolution, 2) * static_cast<double>(first));
  };
  const double most = std::floor(static_cast<double>(std::max<std::int64_t>(spent, test.cost())) /
                                 static_cast<double>(block_size * test.draws));
  const double deciding = blocks_for(tuning.test_resolution);
  if (deciding <= most) return std::max(first, static_cast<Index>(deciding));
  return blocks_for(tuning.coarse_resolution) <= most ? static_cast<Index>(most) : first;
}

std::vector<MultiIndex> functions_found(const Basis& wide, const FreshTest& test,
                                        const SieveTuning& tuning) {
  const Coefficients c = test.coefficients();
  const Index m = wide.size() - c.rows();
  const Gains gains{c.rowwise().squaredNorm(), test.noise()};
  const auto most = static_cast<Index>(tuning.most_growth * static_cast<double>(m));
  std::vector<MultiIndex> added;
  for (const Index i : mark(gains, {.noise_factor = std::max(tuning.growth_signal,
                                                             noise_maximum(c.rows(), c.cols())),
                                   .bulk = tuning.bulk,
                                   .always = 0,
                                   .most = std::max<Index>(1, most)}))
    added.push_back(wide.indices()[m + i]);
  return added;
}

std::string assumption(const TestReport& report, const Basis& wide, double tolerance) {
  return fmt::format(
      "the noise is too large for a test of the whole error: {} functions of the parameters were "
      "looked for (all up to degree {}), and no error above the tolerance {:.3g} is left in them; "
      "of any other function an error of up to {:.3g} is not excluded (a run with more gradients, "
      "or a larger tolerance, tests more)",
      wide.size(), complete_degree(wide), tolerance, std::sqrt(report.limit));
}

}  // namespace chaosgrad::internal
