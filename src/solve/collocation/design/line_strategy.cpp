#include "solve/collocation/design/line_strategy.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "samples/line_design.h"

namespace chaosgrad::internal::collocation {
namespace {

// The values of a discrete distribution, if there are functions for all of them.
std::vector<double> values_of(const Family& family) {
  const auto* discrete = std::get_if<Discrete>(&family.distribution().parameters());
  if (!discrete || static_cast<Index>(discrete->values.size()) > family.max_degree() + 1) return {};
  return discrete->values;
}

void append_rows(Matrix& all, const Matrix& more) {
  const Index before = all.rows();
  all.conservativeResize(before + more.rows(), more.cols());
  all.bottomRows(more.rows()) = more;
}

// √w (x − P(y)) at the points, for `residuals` √w (y_j − y) (n×q).
Matrix errors_of_x(const Points& points, const Targets& targets, const Vector& root,
                   const Matrix& residuals) {
  const Matrix y = targets.values - root.cwiseInverse().asDiagonal() * residuals;
  return root.asDiagonal() * (points.value - targets.x_of(y));
}

// Errors that leave out their own point, of x where it is a projection.
Vector left_out(const Points& points, const Targets& targets, const Vector& root,
                const OrderedFits::Fit& fit, const DesignTuning& tuning) {
  const Vector slack = fit.slack.cwiseMax(tuning.least_slack);
  return errors_of_x(points, targets, root, slack.cwiseInverse().asDiagonal() * fit.residuals)
      .rowwise()
      .squaredNorm();
}

// y may err, and swing, where that does not matter: the m whose x errs least when points are left
// out, of some between 1 and `most`, and of that which is best for y.
Index best_size(const Points& points, const Targets& targets, const Vector& root,
                const OrderedFits& fits, Index most, const DesignTuning& tuning) {
  const Index best_of_y = fits.best_size(most);
  if (!targets.x_of) return best_of_y;
  Index best = best_of_y;
  double least = left_out(points, targets, root, fits(best), tuning).mean();
  for (Index m = 1; m <= most; m += std::max<Index>(1, m / tuning.sizes_tried)) {
    const double error = left_out(points, targets, root, fits(m), tuning).mean();
    if (!(error < least)) continue;
    best = m;
    least = error;
  }
  return best;
}

}  // namespace

LineStrategy::LineStrategy(Family family, const MixtureSampler& sampler, std::uint64_t seed,
                           const DesignTuning& tuning)
    : family_(std::move(family)),
      sampler_(sampler),
      seed_(seed),
      tuning_(tuning),
      values_(values_of(family_)),
      wanted_(tuning.first_points) {}

Basis LineStrategy::first_basis() { return Basis({family_}, IndexSet::first(1, 1)); }

void LineStrategy::save(SolverState& state) const {
  state.set_integer("wanted", wanted_);
  state.set_integer("tested", tested_);
}

void LineStrategy::restore(const SolverState& state) {
  wanted_ = state.integer("wanted");
  tested_ = state.integer("tested");
}

// Any points will do.
void LineStrategy::take_over(const SolverState& /*earlier*/, Index n, bool /*same*/) {
  wanted_ = std::max(wanted_, n);
}

Index LineStrategy::largest_size(Index n) const {
  const auto carried = static_cast<Index>(static_cast<double>(n) / tuning_.points_per_function);
  return std::clamp<Index>(std::min(carried, n - tuning_.least_spare), 1, family_.max_degree() + 1);
}

std::vector<double> LineStrategy::untaken_values(const Matrix& eta) const {
  std::set<double> untaken(values_.begin(), values_.end());
  for (const double value : eta.col(0)) untaken.erase(value);
  return {untaken.begin(), untaken.end()};
}

Index LineStrategy::missing(const Points& points, const Basis& /*basis*/) const {
  return std::max<Index>(0, wanted_ - points.size() - points.skipped.rows());
}

// First points near the ends, where problems fail first (no minimum, a division by zero); then in
// the widest gaps. Where a discrete distribution has no gaps any more, all its other values.
std::vector<Matrix> LineStrategy::next(const Points& points, const Basis& /*basis*/) {
  std::vector<Matrix> batches;
  Matrix all = points.eta;
  if (points.skipped.rows() > 0) append_rows(all, points.skipped);
  const auto add = [&](const Matrix& eta) {
    append_rows(all, eta);
    batches.push_back(eta);
  };
  if (points.size() == 1) {
    for (const double p : {tuning_.end_probability, 1 - tuning_.end_probability}) {
      const double end = family_.distribution().quantile(p);
      if ((all.array() != end).all()) add(Matrix::Constant(1, 1, end));
    }
  }
  const LineScale scale(family_, largest_size(wanted_));
  const Index wanted = std::max<Index>(0, wanted_ - all.rows());
  const Matrix inner =
      fill_gaps(family_, scale, all, wanted, make_stream(seed_, Purpose::scramble, 1));
  if (inner.rows() > 0) add(inner);
  if (inner.rows() < wanted) {
    for (const double value : untaken_values(all)) add(Matrix::Constant(1, 1, value));
  }
  return batches;
}

DefensiveSamples LineStrategy::test_samples(Index pending, Index count, const Basis& basis) const {
  return sampler_.defensive(tested_, tested_, pending, count, basis);
}

void LineStrategy::adopt_test(const std::vector<Index>& induced) {
  tested_ += (static_cast<Index>(induced.size()) + 1) / 2;
}

// What the basis lacks comes from the residual: |x − x_u|² loses the share m/n to the fit. Least
// squares on such points adds next to nothing to it. The limit rests on the residuals times what leaving
// the point out makes of them: between the points of an even design the error may hide. Fresh
// samples have the last word.
Fit LineStrategy::fit(const Points& points, const Targets& targets, const Basis& /*basis*/,
                      Executor& executor) {
  const Index n = points.size();
  // All values of a discrete distribution: functions through every one of them.
  const bool exhausted = !values_.empty() && untaken_values(points.eta).empty();
  const Index most = exhausted ? static_cast<Index>(values_.size()) : largest_size(n);
  const Basis all({family_}, IndexSet::first(1, most));
  const Matrix psi = basis_table(all, points.eta, most, executor);
  Vector weights = cell_weights(LineScale(family_, most), points.eta, psi);
  const OrderedFits fits(psi, weights, targets.values);
  const Vector root = weights.cwiseSqrt();
  const Index m = exhausted ? most : best_size(points, targets, root, fits, most, tuning_);
  OrderedFits::Fit chosen = fits(m);  // its residuals are weighted
  const auto count = static_cast<double>(n);
  const double lost = count / std::max(1.0, count - static_cast<double>(m));
  Fit fit{.basis = Basis({family_}, IndexSet::first(1, m)),
          .u = std::move(chosen.u),
          .weights = std::move(weights)};
  if (targets.x_of) {
    fit.limit_squares = left_out(points, targets, root, chosen, tuning_);
    chosen.residuals = errors_of_x(points, targets, root, chosen.residuals);
  }
  const Vector squares = chosen.residuals.rowwise().squaredNorm();
  fit.squares = lost * squares;
  if (!targets.x_of) fit.limit_squares = squares.cwiseQuotient(chosen.slack);
  fit.basis_error = std::sqrt(fit.squares.mean());
  fit.component_errors =
      (lost * chosen.residuals.cwiseAbs2()).colwise().mean().cwiseSqrt().transpose();
  fit.must_agree = n >= tuning_.agreement_points;
  return fit;
}

std::optional<Basis> LineStrategy::grow(const Fit& fit, double /*upper*/, double /*target*/,
                                        const Points& points,
                                        const std::vector<IterationRecord>& history,
                                        Executor& /*executor*/) {
  const Index n = points.size();
  wanted_ = n + points.skipped.rows() + std::max(tuning_.least_new, n / tuning_.points_per_new);
  return makes_progress(history, n, tuning_.progress, tuning_.least_patience)
             ? std::optional(fit.basis)
             : std::nullopt;
}

}  // namespace chaosgrad::internal::collocation
