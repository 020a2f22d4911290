#include "solve/collocation/mixture_strategy.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "estimate/weighted_fit.h"
#include "samples/sample_source.h"
#include "solve/collocation/judge.h"
#include "solve/common/growth.h"

namespace chaosgrad::internal::collocation {
namespace {

// Residual of a fit against the functions of `wide` beyond its basis, over the points of the fit.
Gains score(const Fit& fit, const Matrix& eta, const Basis& wide, Executor& executor) {
  struct Sums {
    Coefficients signal;
    Vector noise;
    auto members() { return std::tie(signal, noise); }
  };
  const Matrix& residuals = fit.residuals;
  const Index n = residuals.rows(), total = wide.size(), q = residuals.cols();
  const Index m = fit.basis.size();
  const Sums sums = executor.reduce(
      (n + block_size - 1) / block_size,
      [&](Index block) {
        const Index first = block * block_size, count = std::min(block_size, n - first);
        BasisBlock psi;
        wide.evaluate(eta.middleRows(first, count), total, psi);
        Sums part{Coefficients::Zero(total, q), Vector::Zero(total)};
        const Matrix weighted =
            fit.weights.segment(first, count).asDiagonal() * residuals.middleRows(first, count);
        project(psi, weighted, part.signal);
        const Vector squares = weighted.rowwise().squaredNorm();
        for (Index j = m; j < total; ++j) {
          for (Index i = 0; i < count; ++i) part.noise(j) += squares(i) * psi(i, j) * psi(i, j);
        }
        return part;
      },
      [](Sums& left, Sums&& right) {
        left.signal += right.signal;
        left.noise += right.noise;
      });
  const auto count = static_cast<double>(n);
  return {sums.signal.bottomRows(total - m).rowwise().squaredNorm() / (count * count),
          sums.noise.tail(total - m) / (count * count)};
}

}  // namespace

MixtureStrategy::MixtureStrategy(std::vector<Family> families, IndexOrder order,
                                 const MixtureSampler& sampler, const CollocationTuning& tuning)
    : families_(std::move(families)),
      order_(std::move(order)),
      sampler_(sampler),
      tuning_(tuning),
      quota_(tuning.first_quota) {}

// The constant and a function of each parameter.
Basis MixtureStrategy::first_basis() {
  const auto d = static_cast<Index>(families_.size());
  const auto size =
      static_cast<Index>(std::min(function_count(families_), static_cast<double>(1 + d)));
  mixture_.induced.assign(static_cast<std::size_t>(size), 0);
  return Basis(families_, IndexSet::first(d, size, limited_order(families_, order_)));
}

void MixtureStrategy::save(SolverState& state) const {
  state.set_integer("from_measure", mixture_.from_measure);
  state.integers["induced"].assign(mixture_.induced.begin(), mixture_.induced.end());
  state.set_integer("quota", quota_);
  state.set_integer("idle_stages", idle_stages_);
  state.integers["standouts"].assign(standouts_.begin(), standouts_.end());
  state.arrays["standout_probabilities"] = Eigen::Map<const Vector>(
      standout_probabilities_.data(), static_cast<Index>(standout_probabilities_.size()));
}

void MixtureStrategy::restore(const SolverState& state) {
  mixture_.from_measure = state.integer("from_measure");
  const std::vector<std::int64_t>& induced = state.integer_list("induced");
  mixture_.induced.assign(induced.begin(), induced.end());
  quota_ = state.integer("quota");
  idle_stages_ = state.integer("idle_stages");
  const std::vector<std::int64_t>& standouts = state.integer_list("standouts");
  standouts_.assign(standouts.begin(), standouts.end());
  const Coefficients& probabilities = state.array("standout_probabilities");
  standout_probabilities_.assign(probabilities.data(), probabilities.data() + probabilities.size());
}

void MixtureStrategy::take_over(const SolverState& earlier, Index n, bool same) {
  if (same) {
    restore(earlier);
    idle_stages_ = 0;
  } else {
    mixture_.from_measure = n;
  }
}

Index MixtureStrategy::missing_from_measure(Index basis_size) const {
  const auto wanted =
      static_cast<Index>(tuning_.from_measure_per_function * static_cast<double>(basis_size));
  return std::max(tuning_.least_from_measure,
                  std::max(tuning_.first_from_measure, wanted) - mixture_.from_measure);
}

Index MixtureStrategy::missing(const Points& /*points*/, const Basis& basis) const {
  Index count = missing_from_measure(basis.size());
  for (const Index drawn : mixture_.induced) count += std::max<Index>(0, quota_ - drawn);
  return count;
}

std::vector<Matrix> MixtureStrategy::next(const Points& /*points*/, const Basis& basis) {
  std::vector<Matrix> batches;
  const Index fresh = missing_from_measure(basis.size());
  batches.push_back(sampler_.from_measure(mixture_.from_measure, fresh));
  mixture_.from_measure += fresh;
  const Index before = mixture_.size() - mixture_.from_measure;
  std::vector<MultiIndex> densities;
  for (Index i = 0; i < basis.size(); ++i) {
    Index& drawn = mixture_.induced[static_cast<std::size_t>(i)];
    for (; drawn < quota_; ++drawn) densities.push_back(basis.indices()[i]);
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

// Least squares on the mixture, with its leave-one-out error.
Fit MixtureStrategy::fit(const Points& points, const Targets& targets, const Basis& basis,
                         Executor& executor) const {
  const Matrix psi = basis_table(basis, points.eta, basis.size(), executor);
  Fit fit{.basis = basis, .weights = weights(psi)};
  WeightedFit found = fit_weighted(psi, fit.weights, targets.values, executor);
  fit.determined = found.condition >= tuning_.worst_condition;
  if (!fit.determined) return fit;
  const auto n = static_cast<double>(points.size());
  const double free = n - static_cast<double>(basis.size());
  fit.squares = found.left_out_squares(fit.weights, tuning_.least_slack);
  const Vector slack = (1 - found.leverages.array()).max(tuning_.least_slack);
  Matrix errors;  // of x at each point, of the fit without it
  if (targets.x_of) {
    errors = points.value -
             targets.x_of(targets.values - slack.cwiseInverse().asDiagonal() * found.residuals);
    fit.squares = fit.weights.cwiseProduct(errors.rowwise().squaredNorm());
    found.residuals = points.value - targets.x_of(targets.values - found.residuals);
  }
  fit.limit_squares = fit.squares;
  const double left_out = fit.squares.mean();
  const double residual =
      (fit.weights.array() * found.residuals.rowwise().squaredNorm().array()).sum() /
      std::max(1.0, free);
  fit.basis_error = std::sqrt(std::min(residual, left_out));
  fit.sampling_error = std::sqrt(std::max(0.0, left_out - residual));
  const Matrix component_squares =
      targets.x_of ? Matrix(fit.weights.asDiagonal() * errors.cwiseAbs2())
                   : Matrix((fit.weights.array() / slack.array().square()).matrix().asDiagonal() *
                            found.residuals.cwiseAbs2());
  fit.component_errors = component_squares.colwise().mean().cwiseSqrt().transpose();
  fit.u = std::move(found.u);
  fit.residuals = std::move(found.residuals);
  return fit;
}

bool MixtureStrategy::ask_for_samples() {
  if (quota_ >= tuning_.most_quota) return false;
  ++quota_;
  return true;
}

// Adds the functions that the residual asks for, looked for in wider and wider surroundings. Where
// it asks for none, more samples.
std::optional<Basis> MixtureStrategy::grow(const Fit& fit, const StageError& error,
                                           const Points& points,
                                           const std::vector<IterationRecord>& history,
                                           Executor& executor) {
  if (!makes_progress(history, points.size(), tuning_.progress, tuning_.mixture_patience))
    return {};
  const double noise_floor = error.squared / static_cast<double>(points.size());
  const Index m = fit.basis.size();
  struct Search {
    double significance;  // 0: around every function
    int reach;
  };
  const double least = tuning_.significance;
  for (const auto& [significance, reach] : {Search{least, 1}, {least, 2}, {0, 2}}) {
    std::vector<char> significant;
    for (Index i = 0; i < m; ++i)
      significant.push_back(i == 0 || fit.u.row(i).squaredNorm() >= significance * noise_floor);
    const std::vector<MultiIndex> beyond = candidates(
        fit.basis.indices(), significant, families_, reach, tuning_.axis_share, tuning_.least_axis);
    if (beyond.empty()) continue;
    const Basis wide = widened(fit.basis, beyond);
    const Gains gains = score(fit, points.eta, wide, executor);
    const std::vector<Index> marked =
        mark(gains, {.noise_factor = noise_maximum(gains.signal.size(), fit.u.cols()),
                     .bulk = tuning_.bulk,
                     .always = std::max(tuning_.least_always, m / tuning_.always_share),
                     .most = m / tuning_.growth_share + tuning_.growth_extra});
    const bool enough = gains.total() > tuning_.least_explained * std::pow(error.basis, 2);
    if (marked.empty() || (!enough && significance > 0)) continue;
    IndexSet indices = fit.basis.indices();
    for (const Index i : marked) indices.add_closed(wide.indices()[m + i]);
    mixture_.induced.resize(static_cast<std::size_t>(indices.size()), 0);
    idle_stages_ = 0;
    return Basis(families_, std::move(indices));
  }
  quota_ = std::min(quota_ + 1, tuning_.most_quota);
  if (++idle_stages_ > tuning_.most_idle_stages) return {};
  return fit.basis;
}

}  // namespace chaosgrad::internal::collocation
