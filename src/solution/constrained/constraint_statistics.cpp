#include <algorithm>
#include <bit>
#include <cmath>

#include "parallel/executor.h"
#include "solution/constrained/binding_tally.h"
#include "solution/statistics/bars.h"
#include "solution/statistics/sampler.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index shifts = 16;  // independent sets of Sobol' points; their scatter is the error
// The share of θ at which an answer may be another one: those within some reach of it, and those at
// which the error is beyond that reach, at most `parts`/reach² of them (Chebyshev).
double undecided(const std::array<Vector, reaches>& near, Index column, double samples,
                 double parts) {
  double least = 1;
  for (std::size_t k = 0; k < reaches; ++k)
    least = std::min(least, near[k](column) / samples + parts / std::pow(reach(k), 2));
  return least;
}

Estimate probability(const BindingTally& all, Index column, double scatter, double parts,
                     double confidence) {
  if (all.possible(column) == 0) return {0, 0};  // a bound that is infinite at every θ
  const double n = all.samples, value = all.active(column) / n;
  // Of a binding that never changed in n samples −log(1 − confidence)/n may.
  const bool unchanged = all.active(column) == 0 || all.active(column) == n;
  const double unseen = unchanged ? -std::log(1 - confidence) / n : 0;
  const double missed =
      std::max(undecided(all.take_hold, column, n, parts), undecided(all.let_go, column, n, parts));
  return {value, std::min(scatter + unseen + missed, std::max(value, 1 - value))};
}

Index points_per_shift(const Lift& lift, const StatisticsOptions& options) {
  const double points =
      std::min(static_cast<double>(options.samples), options.work / projection_work(lift)) /
      static_cast<double>(shifts);
  return static_cast<Index>(
      std::bit_floor(static_cast<std::size_t>(std::max<double>(block_size, points))));
}

// Of every shift its table (columns × 3: active, mean and sd of the multiplier), and all together.
struct Sampled {
  std::vector<Matrix> tables;
  BindingTally all;
};

Sampled sample(const BindingSampling& at, const StatisticsOptions& options) {
  const Index d = at.law.dimension(), count = points_per_shift(*at.expansion.lift(), options);
  const Index blocks = count / block_size;
  Sampled result{{}, BindingTally(at.columns.size(), d)};
  Executor executor(options.threads);
  for (Index shift = 0; shift < shifts; ++shift) {
    const Matrix u = shifted_points(options.seed, shift, count, d);
    std::vector<BindingTally> parts(static_cast<std::size_t>(blocks),
                                    BindingTally(at.columns.size(), d));
    executor.for_each(blocks, [&](Index block) {
      parts[static_cast<std::size_t>(block)] =
          tally_of(at, u.middleRows(block * block_size, block_size));
    });
    BindingTally sum(at.columns.size(), d);
    for (const BindingTally& part : parts) sum.add(part);
    Matrix table(at.columns.size(), 3);
    const double n = std::max(1.0, sum.samples);
    const Vector mean = sum.multiplier / n;
    table << sum.active / n, mean, (sum.square / n - mean.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
    result.tables.push_back(std::move(table));
    result.all.add(sum);
  }
  return result;
}

Matrix decile_shares(const BindingTally& all, Index column, Index d) {
  Matrix shares(d, deciles);
  for (Index k = 0; k < d; ++k) {
    for (Index i = 0; i < deciles; ++i) {
      const double seen = all.in_decile(0, k * deciles + i);
      shares(k, i) = seen > 0 ? all.by_decile(column, k * deciles + i) / seen : 0;
    }
  }
  return shares;
}

ConstraintStatistics read_constraint(const BindingSampling& at, std::size_t which,
                                     const Sampled& found, const Matrix& value,
                                     const Matrix& scatter, double confidence) {
  ConstraintStatistics result;
  result.constraint = at.constraints.list()[which];
  const Constraint::Kind kind = result.constraint.kind;
  const auto& [first, number] = at.columns.of_constraint[which];
  const bool always = kind == Constraint::Kind::equality;
  for (Index j = first; j < first + number; ++j) {
    result.active.push_back(always ? Estimate{1, 0}
                                   : probability(found.all, j, scatter(j, 0), 1, confidence));
    result.weakly_active.push_back(found.all.weak(j) / found.all.samples);
    result.by_parameter.push_back(decile_shares(found.all, j, at.law.dimension()));
    if (kind == Constraint::Kind::kink) continue;
    const bool bound = kind == Constraint::Kind::lower || kind == Constraint::Kind::upper;
    const Index row = at.columns.bindings[static_cast<std::size_t>(j)].first;
    const double error = bound ? at.errors.bounds(row) : at.errors.rows(row);
    result.mean.push_back({value(j, 1), scatter(j, 1) + error});
    result.sd.push_back({value(j, 2), scatter(j, 2) + error});
  }
  const Index any = at.columns.single() + static_cast<Index>(which);
  result.any = always ? Estimate{1, 0}
                      : probability(found.all, any, scatter(any, 0), static_cast<double>(number),
                                    confidence);
  return result;
}

}  // namespace

ConstraintReport constraint_statistics(const Expansion& expansion, const Accuracy& accuracy,
                                       const Vector& multiplier_errors,
                                       const StatisticsOptions& options) {
  ConstraintReport report;
  if (!expansion.lift()) return report;
  const Constraints& constraints = expansion.lift()->constraints();
  BindingSampling at{expansion,
                     options.measure ? *options.measure : expansion.measure(),
                     constraints,
                     columns_of(constraints),
                     {}};
  const double factor =
      options.measure ? reweighting(expansion.measure(), *options.measure).error_factor : 1;
  at.errors = binding_errors(at, accuracy, multiplier_errors, factor);
  const Sampled found = sample(at, options);
  report.violation = found.all.violation;
  report.infeasible = {found.all.infeasible / (found.all.infeasible + found.all.samples),
                       found.all.infeasible_theta};
  if (found.all.samples == 0) return report;
  Matrix value = Matrix::Zero(at.columns.size(), 3);
  for (const Matrix& table : found.tables) value += table / static_cast<double>(shifts);
  const Matrix scatter = scatter_error(found.tables, accuracy.confidence);
  for (std::size_t k = 0; k < constraints.list().size(); ++k)
    report.constraints.push_back(
        read_constraint(at, k, found, value, scatter, accuracy.confidence));
  return report;
}

ConstraintReport constraint_statistics(const Solution& solution, const StatisticsOptions& options) {
  return constraint_statistics(solution.expansion, accuracy(solution), solution.multiplier_errors,
                               options);
}

}  // namespace chaosgrad
