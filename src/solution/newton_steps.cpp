#include "solution/newton_steps.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "curvature/metric.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "solve/common/goal.h"
#include "solve/pointwise/pointwise.h"
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal {
namespace {

constexpr double newton_tolerance = 1e-6;  // relative to |x|: of an error that is shown to 3 digits
constexpr double newton_size = 1e-3;       // of x, for that
constexpr double newton_runaway = 1e9;     // |x| beyond, relative to its size: no minimum

bool is_doubtful(const Matrix& hessian, const Vector& x, const Vector& r, const Vector& g,
                 const Vector& g_after) {
  if (!hessian.allFinite() || !g.allFinite() || !r.allFinite() || !g_after.allFinite()) return true;
  const Vector second = solve_symmetric(symmetric_part(hessian), g_after);
  const double rounding = newton_rounding * (r.norm() + x.norm());
  return !(second.array().abs() <= second_step_share * r.array().abs() + rounding).all();
}

// From values of F: from x, or from the problem's start where x is outside.
std::optional<Vector> minimum_by_values(const Oracle& oracle, const Vector& theta, const Vector& x,
                                        std::int64_t& gradients) {
  const Vector& start = oracle.facts().start;
  const double size = x.norm() + start.norm() + newton_size;
  const TrustRegionOptions options{.tolerance = newton_tolerance * newton_size,
                                   .relative_tolerance = newton_tolerance,
                                   .runaway_norm = newton_runaway * size};
  const PointFunction f = point_function(oracle, theta);
  for (const Vector& from : {x, start}) {
    const Minimum found = minimise(f, from, options);
    gradients += found.gradients;
    if (found.outcome == Minimum::Outcome::found) return found.x;
    if (found.outcome != Minimum::Outcome::outside_domain) return std::nullopt;
  }
  return std::nullopt;
}

// From gradients alone.
std::optional<Vector> minimum_by_gradients(const Oracle& oracle, const Vector& theta,
                                           const Vector& x, const Matrix& hessian,
                                           std::int64_t& gradients) {
  const Vector& start = oracle.facts().start;
  const PointGradient gradient{[&](Block at, Block where, BlockOut g) {
                                 oracle.gradient(at, where, Matrix(at.rows(), 0), g);
                               },
                               oracle.facts().draws};
  Executor alone(1);
  for (const Vector& from : {x, start}) {
    Curvature curvature = decompose(hessian.allFinite() ? symmetric_part(hessian)
                                                        : Matrix::Identity(x.size(), x.size()));
    if (!(curvature.lowest() > 0)) return std::nullopt;
    Points point;
    point.append(Matrix(1, theta.size()), theta.transpose(), from.transpose());
    const double size = x.norm() + start.norm() + newton_size;
    const PointReport report = polish(gradient, MeanInverse(std::move(curvature)),
                                      {.tolerance = newton_tolerance * size,
                                       .contraction = 1,
                                       .most_steps = 200,
                                       .runaway_norm = newton_runaway * size},
                                      {0, 1}, point, alone);
    gradients += report.gradients;
    if (report.unsolved == 0 && !report.nonfinite_theta && !report.runaway_theta)
      return point.value.row(0).transpose();
    if (!report.nonfinite_theta) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void note_outside(const Oracle& oracle, const Matrix& x, const Matrix& theta, const Matrix& noise,
                  const Matrix& g, DoubtfulSteps& doubtful) {
  for (Index i = 0; i < x.rows(); ++i) {
    if (g.row(i).allFinite() || doubtful.outside++ > 0) continue;
    const std::string reason = oracle.explain(x.row(i), theta.row(i), noise.row(i));
    doubtful.outside_place = fmt::format(
        "{}, {}{}{}", place(oracle.facts(), theta.row(i).transpose()),
        variables_at(oracle.facts(), x.row(i).transpose()), reason.empty() ? "" : ": ", reason);
  }
}

void correct_steps(const Oracle& oracle, const Matrix& x, const Matrix& theta, const Matrix& g,
                   const std::vector<Matrix>& hessians, Matrix& r, DoubtfulSteps& doubtful) {
  note_outside(oracle, x, theta, Matrix(x.rows(), 0), g, doubtful);
  Matrix after = x, g_after(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    if (r.row(i).allFinite()) after.row(i) -= r.row(i);
  }
  oracle.gradient(after, theta, Matrix(x.rows(), 0), g_after);
  doubtful.gradients += x.rows() * oracle.facts().draws;
  for (Index i = 0; i < x.rows(); ++i) {
    const Matrix& hessian = hessians[static_cast<std::size_t>(i)];
    const Vector x_i = x.row(i).transpose(), theta_i = theta.row(i).transpose();
    if (!is_doubtful(hessian, x_i, r.row(i).transpose(), g.row(i).transpose(),
                     g_after.row(i).transpose()))
      continue;
    const std::optional<Vector> optimum =
        oracle.has_value()
            ? minimum_by_values(oracle, theta_i, x_i, doubtful.gradients)
            : minimum_by_gradients(oracle, theta_i, x_i, hessian, doubtful.gradients);
    ++(optimum ? doubtful.solved : doubtful.unsolved);
    if (optimum) r.row(i) = x.row(i) - optimum->transpose();
  }
}

}  // namespace chaosgrad::internal
