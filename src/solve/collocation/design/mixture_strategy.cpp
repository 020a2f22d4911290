#include "solve/collocation/design/mixture_strategy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimate/weighted_fit.h"
#include "solve/collocation/design/mixture_growth.h"
#include "solve/common/saved_state.h"

namespace chaosgrad::internal::collocation {
MixtureStrategy::MixtureStrategy(std::vector<Family> families, IndexOrder order,
                                 const MixtureSampler& sampler, const DesignTuning& tuning)
    : families_(std::move(families)),
      order_(std::move(order)),
      sampler_(sampler),
      tuning_(tuning) {}

// The constant and a function of each parameter.
Basis MixtureStrategy::first_basis() {
  const auto d = static_cast<Index>(families_.size());
  const auto size =
      static_cast<Index>(std::min(function_count(families_), static_cast<double>(1 + d)));
  mixture_.induced.assign(static_cast<std::size_t>(size), 0);
  wanted_ = size + tuning_.first_spare;
  return Basis(families_, IndexSet::first(d, size, limited_order(families_, order_)));
}

void MixtureStrategy::save(SolverState& state) const {
  state.set_integer("from_measure", mixture_.from_measure);
  state.integers["induced"].assign(mixture_.induced.begin(), mixture_.induced.end());
  state.set_integer("wanted", wanted_);
  state.set_number("prior_noise", prior_.noise);
  state.arrays["prior_decay"] = prior_.decay;
  state.arrays["prior_variances"] = prior_.variances;
  state.integers["standouts"].assign(standouts_.begin(), standouts_.end());
  state.arrays["standout_probabilities"] = Eigen::Map<const Vector>(
      standout_probabilities_.data(), static_cast<Index>(standout_probabilities_.size()));
}

void MixtureStrategy::restore(const SolverState& state) {
  mixture_.from_measure = state.integer("from_measure");
  const std::vector<std::int64_t>& induced = state.integer_list("induced");
  mixture_.induced.assign(induced.begin(), induced.end());
  wanted_ = state.integer("wanted");
  prior_ = {state.number("prior_noise"), state.array("prior_decay"),
            state.array("prior_variances")};
  const std::vector<std::int64_t>& standouts = state.integer_list("standouts");
  standouts_.assign(standouts.begin(), standouts.end());
  const Coefficients& probabilities = state.array("standout_probabilities");
  standout_probabilities_.assign(probabilities.data(), probabilities.data() + probabilities.size());
}

void MixtureStrategy::take_over(const SolverState& earlier, Index n, bool same) {
  if (same) {
    restore(earlier);
  } else {
    mixture_.from_measure = n;
  }
}

Index MixtureStrategy::missing(const Points& points, const Basis& /*basis*/) const {
  return std::max<Index>(0, wanted_ - points.size());
}

// A share from π, the others from the induced densities: of functions that have fewest samples, and
// of the largest coefficients among them.
std::vector<Matrix> MixtureStrategy::next(const Points& points, const Basis& basis) {
  const Index count = missing(points, basis), m = basis.size();
  if (count == 0) return {};
  const auto fresh =
      static_cast<Index>(std::ceil(tuning_.measure_share * static_cast<double>(count)));
  std::vector<Matrix> batches = {sampler_.from_measure(mixture_.from_measure, fresh)};
  mixture_.from_measure += fresh;
  const Index before = mixture_.size() - mixture_.from_measure;
  std::vector<Index> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), Index{0});
  if (prior_.variances.size() == m)
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return prior_.variances(a) > prior_.variances(b); });
  std::vector<MultiIndex> densities;
  for (Index quota = 1; static_cast<Index>(densities.size()) < count - fresh; ++quota) {
    for (const Index i : order) {
      if (static_cast<Index>(densities.size()) == count - fresh) break;
      Index& drawn = mixture_.induced[static_cast<std::size_t>(i)];
      if (drawn >= quota) continue;
      ++drawn;
      densities.push_back(basis.indices()[i]);
    }
  }
  if (!densities.empty()) batches.push_back(sampler_.induced(before, families_, densities));
  return batches;
}

DefensiveSamples MixtureStrategy::test_samples(Index pending, Index count,
                                               const Basis& basis) const {
  return sampler_.defensive(mixture_.from_measure, mixture_.size() - mixture_.from_measure, pending,
                            count, basis);
}

void MixtureStrategy::adopt_test(const std::vector<Index>& induced) {
  for (const Index function : induced) {
    if (function < 0) {
      ++mixture_.from_measure;
    } else {
      ++mixture_.induced[static_cast<std::size_t>(function)];
    }
  }
}

void MixtureStrategy::adopt_standouts(const Vector& probabilities, Index n) {
  for (Index i = 0; i < probabilities.size(); ++i) {
    standouts_.push_back(n - probabilities.size() + i);
    standout_probabilities_.push_back(probabilities(i));
  }
}

// w of the mixture; n·P for a point that stands for a set of probability P, but no more than a
// sample of the mixture would weigh there: more would upset the fit.
Vector MixtureStrategy::weights(const Matrix& psi) const {
  Vector result = mixture_.weights(psi);
  for (std::size_t k = 0; k < standouts_.size(); ++k)
    result(standouts_[k]) = std::min(result(standouts_[k]),
                                     static_cast<double>(psi.rows()) * standout_probabilities_[k]);
  return result;
}

// Least squares on the mixture with the penalties of the prior, and its leave-one-out error. New
// points are fitted several times, for the prior to be learnt from one fit for the next.
Fit MixtureStrategy::fit(const Points& points, const Targets& targets, const Basis& basis,
                         Executor& executor) {
  Fit fit{.basis = basis};
  const Index n = points.size();
  if (prior_.variances.size() != basis.size())
    prior_ = first_prior(basis.indices(), targets.values, tuning_);
  const bool known = design_ && design_->psi().rows() == n;
  if (!known) {
    Matrix psi = basis_table(basis, points.eta, basis.size(), executor);
    Vector w = weights(psi);
    design_ = WeightedDesign::make(std::move(psi), std::move(w), prior_.penalties(), executor);
  }
  const Index rounds =
      basis.size() > tuning_.many_functions ? tuning_.late_rounds : tuning_.prior_rounds;
  WeightedFit found;
  for (Index round = known ? rounds : 1; round <= rounds; ++round) {
    if (!known && round > 1 && design_ && !design_->penalise(prior_.penalties(), executor))
      design_.reset();
    fit.determined = design_.has_value();
    if (!fit.determined) return fit;
    found = design_->fit(targets.values, executor);
    fit.left_out = design_->slack().cwiseInverse().asDiagonal() * found.residuals;
    const double squared =
        design_->weights().dot(fit.left_out.rowwise().squaredNorm()) / static_cast<double>(n);
    fit.prior = learn_prior(prior_, basis.indices(), *design_, found, squared, tuning_);
    if (round < rounds) prior_ = fit.prior;
  }
  fit.weights = design_->weights();
  Matrix residuals = found.residuals;
  if (targets.x_of) {
    fit.left_out = points.value - targets.x_of(targets.values - fit.left_out);
    residuals = points.value - targets.x_of(targets.values - residuals);
  }
  fit.slack = design_->slack();
  fit.squares = fit.weights.cwiseProduct(fit.left_out.rowwise().squaredNorm());
  fit.limit_squares = fit.squares;
  const double free = static_cast<double>(n) - design_->determined().sum();
  const double left_out = fit.squares.mean();
  const double residual = fit.weights.dot(residuals.rowwise().squaredNorm()) / std::max(1.0, free);
  fit.basis_error = std::sqrt(std::min(residual, left_out));
  fit.sampling_error = std::sqrt(std::max(0.0, left_out - residual));
  fit.component_errors = (fit.weights.asDiagonal() * fit.left_out.cwiseAbs2())
                             .colwise()
                             .mean()
                             .cwiseSqrt()
                             .transpose();
  fit.u = std::move(found.u);
  return fit;
}

// As many points as bring the error to the target if it goes on to fall like n^−p as it did over the
// last stages; but no more than stage_growth says, for the prior to be learnt on the way.
Index MixtureStrategy::next_size(double upper, double target, Index n,
                                 const std::vector<IterationRecord>& history) const {
  const auto count = static_cast<double>(n);
  double power = tuning_.usual_power;
  if (history.size() > 2) {
    const IterationRecord& before = history[history.size() - 3];
    const double fell = std::log(before.estimate.value_or(1) / history.back().estimate.value_or(1));
    power = std::clamp(fell / std::log(count / static_cast<double>(before.samples)),
                       tuning_.least_power, tuning_.most_power);
  }
  const double needed = count * std::pow(upper / (tuning_.target_share * target), 1 / power);
  const double least = count + std::max(4.0, count / tuning_.least_growth);
  const double most = count * tuning_.stage_growth + 2;
  return static_cast<Index>(std::clamp(needed, std::min(least, most), most));
}

// The prior as the fit leaves it, more points, and functions for them.
std::optional<Basis> MixtureStrategy::grow(const Fit& fit, double upper, double target,
                                           const Points& points,
                                           const std::vector<IterationRecord>& history,
                                           Executor& executor) {
  if (!makes_progress(history, points.size(), tuning_.progress, tuning_.mixture_patience))
    return {};
  wanted_ = next_size(upper, target, points.size(), history);
  const auto count = static_cast<double>(wanted_);
  const auto functions = static_cast<Index>(
      std::min(tuning_.functions_per_point * count,
               tuning_.dense_functions + tuning_.functions_per_further_point * count));
  // A test that refuted the fit has added points that it does not know.
  const Matrix eta = points.eta.topRows(fit.left_out.rows());
  Grown grown = grow_basis(fit, *design_, eta, functions, tuning_, executor);
  prior_ = std::move(grown.prior);
  design_.reset();
  mixture_.induced.resize(static_cast<std::size_t>(grown.indices.size()), 0);
  return Basis(families_, std::move(grown.indices));
}

}  // namespace chaosgrad::internal::collocation
