// Collocation for one parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "samples/line_design.h"
#include "solve/collocation/collocation.h"

namespace chaosgrad::internal {
namespace {

constexpr Index first_points = 6, least_spare = 3;
constexpr double points_per_function = 1.2;
constexpr double end_probability = 0.004;  // the first points stand this far from the ends
constexpr Index few_values = 24;           // of a discrete distribution: all are taken at once
constexpr Index settled = 32;              // from so many points on, two stages in a row must agree
// The run is at its end when four times as many points did not lower the error by this factor.
constexpr double progress = 0.9;
constexpr Index least_patience = 64;  // points

// The values of a discrete distribution, if there are functions for all of them.
std::vector<double> values_of(const Family& family) {
  const auto* discrete = std::get_if<Discrete>(&family.distribution().parameters());
  if (!discrete || static_cast<Index>(discrete->values.size()) > family.max_degree() + 1) return {};
  return discrete->values;
}

class LineCollocation final : public Collocation {
 public:
  using Collocation::Collocation;

 private:
  [[nodiscard]] const Family& family() const { return run_.basis.families()[0]; }
  [[nodiscard]] Index functions() const { return family().max_degree() + 1; }

  void begin(const Points& nominal) override {
    points_ = nominal;
    const auto values = static_cast<Index>(all_values_.size());
    wanted_ = values > 0 && values <= few_values ? values : first_points;
    scale_functions_ = largest_size(wanted_);
  }

  void save_design(SolverState& state) const override {
    state.set_integer("wanted", wanted_);
    state.set_integer("scale_functions", scale_functions_);
    state.set_integer("tested", tested_);
    state.set_number("limit_before", limit_before_);
  }

  void restore_design(const SolverState& state) override {
    wanted_ = state.integer("wanted");
    scale_functions_ = state.integer("scale_functions");
    tested_ = state.integer("tested");
    limit_before_ = state.number("limit_before");
  }

  // The most functions that n points carry.
  [[nodiscard]] Index largest_size(Index n) const {
    const auto carried = static_cast<Index>(static_cast<double>(n) / points_per_function);
    return std::clamp<Index>(std::min(carried, n - least_spare), 1, functions());
  }

  [[nodiscard]] Index new_samples() const override {
    return std::max<Index>(0, wanted_ - points_.size());
  }

  void draw() override {
    if (points_.size() == 1) draw_ends();
    const LineScale scale(family(), scale_functions_);
    const Index missing = new_samples();
    const Matrix eta = fill_gaps(family(), scale, points_.eta, missing,
                                 make_stream(options_.seed, Purpose::scramble, 1));
    if (eta.rows() > 0) append(eta);
    if (all_values_.empty()) return;
    std::set<double> left(all_values_.begin(), all_values_.end());
    for (const double value : points_.eta.col(0)) left.erase(value);
    if (eta.rows() < missing) {  // no gaps, but perhaps values
      for (const double value : left) append(Matrix::Constant(1, 1, value));
      left.clear();
    }
    exhausted_ = left.empty();
  }

  // Near the ends problems fail first: no minimum, a division by zero.
  void draw_ends() {
    const Distribution& distribution = family().distribution();
    for (const double p : {end_probability, 1 - end_probability}) {
      const double end = distribution.quantile(p);
      if ((points_.eta.array() != end).all()) append(Matrix::Constant(1, 1, end));
    }
  }

  [[nodiscard]] Matrix test_samples(Index pending, Index count) const override {
    return sampler_.from_measure(tested_ + pending, count);
  }
  void join(Index count) override { tested_ += count; }

  bool fit() override {
    const Index n = points_.size();
    // All points of a discrete distribution: functions through every one of them.
    const Index most = exhausted_ ? static_cast<Index>(all_values_.size()) : largest_size(n);
    const Basis all(run_.basis.families(), IndexSet::first(1, most));
    const Matrix psi = basis_table(all, points_.eta, most, executor_);
    const Vector weights = cell_weights(LineScale(family(), most), points_.eta, psi);
    const OrderedFits fits(psi, weights, points_.value);
    const Index m = exhausted_ ? most : fits.best_size(most);
    const OrderedFits::Fit chosen = fits(m);
    run_.basis = Basis(run_.basis.families(), IndexSet::first(1, m));
    run_.u = chosen.u;
    scale_functions_ = most;
    measure_error(chosen);
    return true;
  }

  // What the basis lacks, from the residual: |x − x_u|² loses the share m/n to the fit. Least
  // squares on such points adds next to nothing to it. The limit rests on leave-one-out, which is
  // larger: between the points of an even design the error may hide.
  void measure_error(const OrderedFits::Fit& fit) {
    const auto n = static_cast<double>(points_.size()), free = n - static_cast<double>(m());
    const double lost = n / std::max(1.0, free), rest = std::pow(error_.optimisation, 2);
    const Vector squares = fit.residuals.rowwise().squaredNorm();
    error_.squares = lost * squares;
    error_.basis = std::sqrt(error_.squares.mean());
    error_.sampling = 0;
    error_.squared = error_.squares.mean() + rest;
    const Vector left_out = squares.cwiseQuotient(fit.slack.cwiseAbs2());
    const double limit = std::sqrt(upper_mean(left_out, options_.confidence) + rest);
    error_.upper = points_.size() < settled ? limit : std::max(limit, limit_before_);
    limit_before_ = limit;
    error_.components = (lost * fit.residuals.cwiseAbs2()).colwise().mean().cwiseSqrt().transpose();
  }

  bool grow() override {
    const Index n = points_.size();
    wanted_ = n + std::max<Index>(2, n / 6);
    scale_functions_ = largest_size(wanted_);
    if (n <= least_patience) return true;
    double before = 0;  // the largest estimate when there were a quarter of the points
    for (const IterationRecord& stage : run_.history) {
      if (8 * stage.samples >= n && 4 * stage.samples <= n)
        before = std::max(before, stage.estimate.value_or(0));
    }
    const double error = std::sqrt(error_.squared);
    if (before == 0 || error <= progress * before) return true;
    return stall(fmt::format(
        "the error estimate stays at {:.3g}: neither more functions nor more samples lower it "
        "(the family ends, or the gradient is not accurate enough)",
        error));
  }

  Index wanted_ = 0;                // points of the stage to come
  Index scale_functions_ = 1;       // for which they stand evenly
  Index tested_ = 0;                // samples from π that were drawn
  double limit_before_ = infinity;  // of the stage before
  const std::vector<double> all_values_ = values_of(family());
  bool exhausted_ = false;  // all of them are there
};

}  // namespace

std::unique_ptr<Collocation> make_line_collocation(const Oracle& oracle, const Options& options,
                                                   Monitor& monitor, Executor& executor, Run& run) {
  return std::make_unique<LineCollocation>(oracle, options, monitor, executor, run);
}

}  // namespace chaosgrad::internal
