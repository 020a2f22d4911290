#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "solution/statistics/coefficients.h"

namespace chaosgrad {
using namespace internal;

CrossFit::CrossFit(const Coefficients& u, const std::vector<Coefficients>& replicates)
    : u_(u), replicates_(replicates) {
  if (!noisy()) return;
  if (count() < 3)
    throw InputError("replicates", "expected at least 3, so that two are left without one");
  sum_ = Coefficients::Zero(u.rows(), u.cols());
  for (const Coefficients& estimate : replicates_) sum_ += estimate;
}

Coefficients CrossFit::mean(Index version) const {
  if (!noisy()) return u_;
  if (version == 0) return sum_ / static_cast<double>(count());
  return (sum_ - replicates_[static_cast<std::size_t>(version - 1)]) /
         static_cast<double>(count() - 1);
}

Coefficients CrossFit::squares(Index version) const {
  if (!noisy()) return u_.cwiseAbs2();
  // Σ_{g≠h} u^(g) u^(h) = (Σ u^(g))² − Σ (u^(g))²
  Coefficients sum = sum_, own = Coefficients::Zero(u_.rows(), u_.cols());
  if (version > 0) sum -= replicates_[static_cast<std::size_t>(version - 1)];
  for (Index g = 0; g < count(); ++g) {
    if (g != version - 1) own += replicates_[static_cast<std::size_t>(g)].cwiseAbs2();
  }
  const auto n = static_cast<double>(version == 0 ? count() : count() - 1);
  return (sum.cwiseAbs2() - own) / (n * (n - 1));
}

Matrix CrossFit::covariance(Index version) const {
  const auto product = [](const Coefficients& u) -> Matrix {
    return u.bottomRows(u.rows() - 1).transpose() * u.bottomRows(u.rows() - 1);
  };
  if (!noisy()) return product(u_);
  Coefficients sum = sum_;
  if (version > 0) sum -= replicates_[static_cast<std::size_t>(version - 1)];
  Matrix products = product(sum);
  for (Index g = 0; g < count(); ++g) {
    if (g != version - 1) products -= product(replicates_[static_cast<std::size_t>(g)]);
  }
  const auto n = static_cast<double>(version == 0 ? count() : count() - 1);
  return products / (n * (n - 1));
}

Vector CrossFit::variance(Index version) const {
  const Coefficients squared = squares(version);
  return squared.bottomRows(squared.rows() - 1).colwise().sum().transpose();
}

namespace {

Accuracy unknown(const Expansion& expansion) {
  return accuracy(ErrorEstimate{}, {}, expansion.coefficients().cols());
}

// One number of each component.
Vector column(const std::vector<OutputStatistics>& outputs, Estimate OutputStatistics::*member) {
  Vector values(static_cast<Index>(outputs.size()));
  std::ranges::transform(outputs, values.begin(), [&](const auto& o) { return (o.*member).value; });
  return values;
}

}  // namespace

std::vector<OutputStatistics> internal::sampled_moments(const Expansion& expansion,
                                                        const Accuracy& accuracy, bool indices) {
  StatisticsOptions options;
  options.levels.clear();
  options.bins = 1;
  options.indices = indices;
  options.samples = indices ? 4096 : 16384;
  options.work = 2.5e8;  // a few tenths of a second
  return statistics(expansion, accuracy, {}, options).outputs;
}

double internal::norm_of(const Expansion& expansion) {
  if (!expansion.lift()) return expansion.coefficients().norm();
  const std::vector<OutputStatistics> x = sampled_moments(expansion, unknown(expansion), false);
  return std::hypot(column(x, &OutputStatistics::mean).norm(),
                    column(x, &OutputStatistics::sd).norm());
}

Vector mean(const Expansion& expansion) {
  if (expansion.lift())
    return column(sampled_moments(expansion, unknown(expansion), false), &OutputStatistics::mean);
  return expansion.coefficients().row(0).transpose();
}

Vector sd(const Expansion& expansion) {
  if (expansion.lift())
    return column(sampled_moments(expansion, unknown(expansion), false), &OutputStatistics::sd);
  const Coefficients& u = expansion.coefficients();
  return u.bottomRows(u.rows() - 1).colwise().norm().transpose();
}

Vector sd(const Solution& solution) {
  if (solution.expansion.lift()) {
    return column(sampled_moments(solution.expansion, accuracy(solution), false),
                  &OutputStatistics::sd);
  }
  return CrossFit(solution.expansion.coefficients(), solution.replicates)
      .variance(0)
      .cwiseMax(0.0)
      .cwiseSqrt();
}

}  // namespace chaosgrad
