#include "paper/theory_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curvature/curvature.h"
#include "problem/problem_samples.h"
#include "solve/common/plan.h"

#include "solve/pilot.h"

namespace chaosgrad::internal {
namespace {

constexpr double analysis_points = 1 << 18;   // of one gradient at one level
constexpr double curvature_points = 1 << 22;  // of all the gradients of one level's Hessian
constexpr Index curvature_limit = 128;        // m q up to which the Hessian is formed

Index largest_degree(const Basis& basis, Index m) {
  int degree = 0;
  for (Index i = 0; i < m; ++i) {
    for (const int n : basis.indices()[i]) degree = std::max(degree, n);
  }
  return degree;
}

}  // namespace

std::unique_ptr<QuadratureSource> affordable_quadrature(const Oracle& oracle, const Basis& basis,
                                                        double points) {
  double fixed = 1, axes = static_cast<double>(basis.dimension());
  for (const std::vector<double>& breakpoints : oracle.facts().breakpoints) {
    fixed *= static_cast<double>(1 + breakpoints.size());
  }
  for (const NoiseAxis& axis : oracle.facts().noise_axes) {
    if (axis.kind == NoiseAxis::Kind::cases) {
      fixed *= static_cast<double>(axis.weights.size());
    } else {
      axes += 1;
    }
  }
  // Products of two functions: a Gauss rule sees cos(nθ) on a full period from n π/2 nodes on.
  const Index degree = 8 * largest_degree(basis, basis.size()) / 5;
  const double affordable = std::min(std::pow(points / fixed, 1 / axes), 1e6);
  Index nodes = std::min(std::max<Index>(32, degree + 17), static_cast<Index>(affordable));
  for (const Family& family : basis.families()) nodes = std::min(nodes, family.max_nodes());
  if (nodes < degree + 8) return nullptr;
  return std::make_unique<QuadratureSource>(problem_quadrature(oracle, basis.families(), nodes));
}

LevelAnalysis::LevelAnalysis(const Oracle& oracle, const Basis& basis,
                             const ReferenceExpansion& reference, const TheoryConstants& constants,
                             Executor& executor)
    : reference_(reference),
      constants_(constants),
      estimator_(oracle, basis, executor),
      quadrature_(affordable_quadrature(oracle, basis, analysis_points)) {}

LevelFacts LevelAnalysis::operator()(Index m) const {
  const Coefficients projection = reference_.u.topRows(m);
  LevelFacts facts;
  // A difference of sums: what rounding may hide of it counts as remainder.
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * reference_.norm_squared;
  facts.remainder_squared =
      std::max(0.0, reference_.norm_squared - projection.squaredNorm()) + rounding;
  facts.gradient_squared = constants_.L * constants_.L * facts.remainder_squared;
  facts.deviation =
      std::sqrt(remainder_factors(constants_.kappa()).sharp * facts.remainder_squared);
  if (quadrature_) {
    const double residual = estimator_.estimate(*quadrature_, projection).norm();
    if (residual < constants_.mu * facts.deviation) facts.deviation = residual / constants_.mu;
  }
  return facts;
}

std::optional<LevelCurvature> level_curvature(const Oracle& oracle, const Basis& basis, Index m) {
  const Index q = oracle.dimension(), size = m * q;
  if (size > curvature_limit || m > basis.size()) return std::nullopt;
  const auto quadrature =
      affordable_quadrature(oracle, basis, curvature_points / static_cast<double>(2 * size));
  if (!quadrature) return std::nullopt;
  Executor executor(0);
  const GradientEstimator estimator(oracle, basis, executor);
  Coefficients u = Coefficients::Zero(m, q);
  u.row(0) = oracle.facts().start.transpose();
  const auto gradient = [&](const Vector& x) -> Vector {
    const Coefficients at = Eigen::Map<const Coefficients>(x.data(), m, q);
    const Coefficients D = estimator.estimate(*quadrature, at);
    return Eigen::Map<const Vector>(D.data(), size);
  };
  const double h = difference_step(Difference::central, oracle.noise_dimension() > 0, u.norm());
  const Matrix hessian = hessian_by_differences(gradient, Eigen::Map<const Vector>(u.data(), size),
                                                Vector::Constant(size, h), Difference::central);
  if (!hessian.allFinite()) return std::nullopt;
  const Curvature curvature = decompose(hessian);
  return LevelCurvature{curvature.lowest(), curvature.highest()};
}

std::optional<RemainderCurve> reference_remainders(const Oracle& oracle, const Options& options,
                                                   Index size) {
  if (!oracle.facts().reference) return std::nullopt;
  Options wide = options;
  wide.method = Method::nested;  // no Q_m is needed
  wide.iterations = 1;
  wide.basis_size = static_cast<double>(size);
  wide.samples = 1.0;
  wide.sampling = Sampling::parameter;
  const Plan plan = make_plan(oracle, wide, {}, pilot_chooser(oracle, wide));
  Executor executor(options.threads);
  const auto reference = expand_reference(oracle, plan.basis, 0, executor);
  if (!reference || !reference->u.allFinite()) return std::nullopt;
  RemainderCurve curve{.squared = {reference->norm_squared}};
  for (Index i = 0; i < reference->u.rows(); ++i) {
    curve.squared.push_back(
        std::max(0.0, curve.squared.back() - reference->u.row(i).squaredNorm()));
  }
  curve.start_squared =
      (reference->u.row(0) - oracle.facts().start.transpose()).squaredNorm() + curve.squared[1];
  return curve;
}

}  // namespace chaosgrad::internal
