#include "solve/collocation/skipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "estimate/scatter.h"
#include "numeric/decompositions.h"
#include "samples/basis_table.h"
#include "solve/collocation/lifted.h"

namespace chaosgrad::internal::collocation {
namespace {

std::string describe_skipped(const Context& context, const Vector& theta, const Vector& x,
                             Index skipped, Index tried) {
  const std::string reason = context.oracle.explain(x.transpose(), theta.transpose(), Matrix(1, 0));
  return fmt::format("the gradient failed at {} of {} theta ({:.2g} %), last at {}{}{}", skipped,
                     tried, 100 * static_cast<double>(skipped) / static_cast<double>(tried),
                     place(context.oracle.facts(), theta), reason.empty() ? "" : ": ", reason);
}

// How much larger than on average the squared error of the fit is to be expected at the skipped
// germs: ψᵀ(ΨᵀΨ/n + a little)⁻¹ψ against its mean over π. About 1 among the points, and large where the
// expansion has to extrapolate.
double growth_at_skipped(const Context& context, const CollocationState& state) {
  constexpr double ridge = 1e-3;  // there may be more functions than points
  const Index m = state.run.u.rows();
  const auto n = static_cast<double>(state.points.size());
  const Matrix psi = basis_table(state.run.basis, state.points.eta, m, context.executor);
  const Matrix at = basis_table(state.run.basis, state.points.skipped, m, context.executor);
  const Matrix anywhere =
      basis_table(state.run.basis, context.sampler.from_measure(0, context.tuning.least_screened),
                  m, context.executor);
  const Matrix factor = cholesky_factor(psi.transpose() * psi / n + ridge * Matrix::Identity(m, m));
  if (factor.size() == 0) return infinity;
  const auto mean = [&](const Matrix& rows) {
    return solve_lower(factor, rows.transpose()).squaredNorm() / static_cast<double>(rows.rows());
  };
  return mean(at) / mean(anywhere);
}

int degree_of(const MultiIndex& index) { return std::accumulate(index.begin(), index.end(), 0); }

// The functions up to half of the degree that x has: beyond that degree coefficients have a norm of
// less than `error`.
std::vector<Index> low_functions(const Run& run, double error) {
  const std::vector<MultiIndex>& indices = run.basis.indices().indices();
  std::map<int, double> squares;  // by degree
  for (Index j = 0; j < run.u.rows(); ++j)
    squares[degree_of(indices[static_cast<std::size_t>(j)])] += run.u.row(j).squaredNorm();
  int degree = 0;
  double beyond = 0;
  for (auto one = squares.rbegin(); one != squares.rend(); ++one) {
    beyond += one->second;
    degree = one->first;
    if (beyond > error * error) break;
  }
  std::vector<Index> low;
  for (Index j = 0; j < run.u.rows(); ++j) {
    if (2 * degree_of(indices[static_cast<std::size_t>(j)]) <= degree) low.push_back(j);
  }
  return low;
}

// How far x moves at the skipped germs, as the root of a mean square, if functions of half its degree
// have to do. Where the expansion extrapolates nobody knows its error; this has mostly been above it
// (benchmarks/expensive_models.py extrapolation, the table of docs/models.md). Where x is constrained
// y moves, and its projection moves no farther, in the metric of the projection.
double extrapolation_at_skipped(const Context& context, const CollocationState& state) {
  const Index m = state.run.u.rows();
  const std::vector<Index> low = low_functions(state.run, std::sqrt(state.error.squared));
  const Matrix at = basis_table(state.run.basis, state.points.skipped, m, context.executor);
  Matrix change = at * state.run.u;
  if (!low.empty()) {
    const Matrix lifted = lifted_values(context, state.run.lift.get(), state);
    const Matrix psi = basis_table(state.run.basis, state.points.eta, m, context.executor);
    change -= at(Eigen::all, low) *
              least_squares(psi(Eigen::all, low), lifted.size() > 0 ? lifted : state.points.value);
  }
  return std::sqrt(change.rowwise().squaredNorm().mean());
}

// "a is between 0.86 and 1" at the skipped germs, for the parameter that shows it best.
std::string region_of_skipped(const Context& context, const CollocationState& state, Index axis) {
  Matrix theta(state.points.skipped.rows(), state.points.skipped.cols());
  context.oracle.parameters().parameters_from_germ(state.points.skipped, theta);
  return fmt::format("{} is between {:.3g} and {:.3g} there",
                     context.oracle.facts().parameter_names[static_cast<std::size_t>(axis)],
                     theta.col(axis).minCoeff(), theta.col(axis).maxCoeff());
}

// Nothing is known of x* where the failures are: the run has not converged, and the estimate has
// what extrapolation may do.
void doubt_region(const Context& context, const std::string& told, Index axis,
                  CollocationState& state) {
  Run& run = state.run;
  run.skipped_together = true;
  const double elsewhere = std::sqrt(state.error.squared), enough = target(context, state);
  const double there = extrapolation_at_skipped(context, state);
  state.error.squared =
      (1 - run.skipped_share) * state.error.squared + run.skipped_share * there * there;
  state.error.components *= std::sqrt(state.error.squared) / elsewhere;
  const std::string doubt = fmt::format(
      "{}, which lie together ({}): x*(theta) is an extrapolation there, whose error "
      "may be {:.2g}; at the other theta the error estimate is {:.3g}",
      told, region_of_skipped(context, state, axis), there, elsewhere);
  if (run.status != Status::converged) {
    run.notes.push_back(doubt);
    return;
  }
  run.status = Status::stalled;
  run.stop_reason = fmt::format("{}, within the tolerance {:.3g}", doubt, enough);
}

}  // namespace

bool too_many_skipped(const CollocationTuning& tuning, Index skipped, Index tried) {
  const double expected = tuning.most_skipped * static_cast<double>(tried);
  return static_cast<double>(skipped) > expected + 3 * std::sqrt(expected);
}

Verdict skip(const Context& context, const std::vector<Index>& failed, CollocationState& state) {
  if (failed.empty()) return Verdict::go_on;
  Points& points = state.points;
  const Index before = points.skipped.rows(), count = static_cast<Index>(failed.size());
  points.skipped.conservativeResize(before + count, points.eta.cols());
  points.skipped.bottomRows(count) = points.eta(failed, Eigen::all);
  const Vector theta = points.theta.row(failed.back()).transpose();
  const Vector x = points.x.row(failed.back()).transpose();
  state.hessians.remove(failed);
  points.remove(failed);
  const Index skipped = before + count, tried = skipped + points.size();
  if (!too_many_skipped(context.tuning, skipped, tried)) return Verdict::go_on;
  return stop(Status::bad_gradient,
              fmt::format("{}; up to {:g} % are skipped",
                          describe_skipped(context, theta, x, skipped, tried),
                          100 * context.tuning.most_skipped),
              state);
}

void note_skipped(const Context& context, CollocationState& state) {
  Run& run = state.run;
  run.skipped = state.points.skipped.rows();
  if (run.skipped == 0) return;
  const auto tried = run.skipped + state.points.size();
  run.skipped_share = static_cast<double>(run.skipped) / static_cast<double>(tried);
  const std::string told = fmt::format("the gradient failed at {} of {} theta ({:.2g} %)",
                                       run.skipped, tried, 100 * run.skipped_share);
  if (run.unseen) *run.unseen += run.skipped_share;
  state.error.gradient_limit = {};  // not of all theta
  if (run.history.empty()) return;
  const Scatter found = scatter(state.points.skipped, state.points.eta);
  if (found.chance < context.tuning.scatter_doubt)
    return doubt_region(context, told, found.axis, state);
  run.notes.push_back(told + ", which were skipped: there x*(theta) is what the others say");
  const double growth = growth_at_skipped(context, state);
  state.error.squared *= 1 + run.skipped_share * std::max(0.0, growth - 1);
  const double error = std::sqrt(state.error.squared), enough = target(context, state);
  if (run.status != Status::converged || error <= enough) return;
  run.status = Status::stalled;
  run.stop_reason = fmt::format(
      "{}: the expansion extrapolates there, and its error may be {:.3g}, above the tolerance "
      "{:.3g}",
      told, error, enough);
}

}  // namespace chaosgrad::internal::collocation
