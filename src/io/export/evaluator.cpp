#include "io/export/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "basis/family/fourier.h"
#include "basis/family/kernel.h"
#include "io/export/evaluator_lift.h"
#include "measure/distribution_table.h"
#include "numeric/decompositions.h"
#include "random/random.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

// Of the self-test: fewer where a projection takes many seconds in Python.
Index test_points(const Expansion& expansion) {
  constexpr Index many_rows = 500;
  return expansion.lift() && expansion.lift()->constraints().rows() > many_rows ? 2 : 16;
}

// Where the family does better than its recurrence.
void keep_exceptions(const Family& family, const RecurrenceKernel& kernel, EvaluatorFamily& part) {
  const auto* discrete = std::get_if<Discrete>(&family.distribution().parameters());
  if (!discrete) return;
  std::vector<Vector> rows;
  for (const double point : discrete->values) {
    Matrix exact(1, part.degree + 1), recurred(1, part.degree + 1);
    family.values(&point, 1, exact);
    polynomial_values(kernel, &point, 1, recurred);
    if (exact == recurred) continue;
    part.points.push_back(point);
    rows.emplace_back(exact.row(0).transpose());
  }
  part.point_values.resize(static_cast<Index>(rows.size()), part.degree + 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    part.point_values.row(static_cast<Index>(i)) = rows[i].transpose();
}

EvaluatorFamily take_apart(const Family& family, Index degree, Index offset) {
  EvaluatorFamily part{.kind = family.kind(), .degree = degree, .offset = offset};
  if (family.kind() == Family::Kind::fourier) {
    const Fourier fourier(std::get<Uniform>(family.distribution().parameters()));
    std::tie(part.middle[0], part.middle[1]) =
        std::pair(fourier.middle().high, fourier.middle().low);
    std::tie(part.frequency[0], part.frequency[1]) =
        std::pair(fourier.frequency().high, fourier.frequency().low);
    return part;
  }
  const RecurrenceKernel kernel = recurrence_kernel(family.recurrence(degree));
  part.center = kernel.center;
  part.inverse_scale = kernel.inverse_scale;
  part.recurrence.resize(degree, 3);
  part.recurrence << kernel.A.head(degree), kernel.B.head(degree), kernel.C.head(degree);
  keep_exceptions(family, kernel, part);
  return part;
}

// a^a e^−a / Γ(a + 1), to all digits: in long double, for large a by Stirling's series.
long double scaled_reciprocal_gamma(long double a) {
  using std::exp, std::log, std::tgamma, std::sqrt;
  if (a < 20) return exp(a * (log(a) - 1)) / tgamma(a + 1);
  constexpr long double series[] = {1.0L / 12,   -1.0L / 360,         1.0L / 1260, -1.0L / 1680,
                                    1.0L / 1188, -691.0L / 360360.0L, 1.0L / 156};
  long double power = 1 / a, rest = 0;
  for (const long double term : series) {
    rest += term * power;
    power /= a * a;
  }
  return exp(-rest) / sqrt(2 * std::numbers::pi_v<long double> * a);
}

EvaluatorScore discrete_score(const Distribution& marginal, const Discrete& d) {
  EvaluatorScore score{.kind = EvaluatorScore::Kind::discrete, .name = "discrete"};
  score.values = d.values;
  for (const double value : d.values) score.at.push_back(marginal.to_standard_normal(value));
  for (std::size_t i = 0; i <= d.values.size(); ++i) {
    // Anywhere between two values the distribution function is the same.
    score.between.push_back(
        marginal.to_standard_normal(i == 0 ? std::nextafter(d.values[0], -infinity)
                                           : std::nextafter(d.values[i - 1], infinity)));
  }
  return score;
}

EvaluatorScore take_apart(const Distribution& marginal) {
  using Kind = EvaluatorScore::Kind;
  const Distribution::Variant& parameters = marginal.parameters();
  if (const auto* discrete = std::get_if<Discrete>(&parameters))
    return discrete_score(marginal, *discrete);
  const bool normal = std::holds_alternative<Normal>(parameters),
             lognormal = std::holds_alternative<LogNormal>(parameters);
  EvaluatorScore score{.kind = normal      ? Kind::normal
                               : lognormal ? Kind::lognormal
                                           : Kind::closed_form,
                       .name = std::string(marginal.name())};
  for (const DistributionArgument& argument : entry_of(parameters).arguments)
    score.arguments.push_back(argument.values(parameters).front());
  // The constants that two of the closed forms start from.
  if (const auto* gamma = std::get_if<Gamma>(&parameters)) {
    score.arguments.push_back(static_cast<double>(scaled_reciprocal_gamma(gamma->shape)));
  } else if (const auto* beta = std::get_if<Beta>(&parameters)) {
    const long double sum = static_cast<long double>(beta->alpha) + beta->beta;
    score.arguments.push_back(static_cast<double>(scaled_reciprocal_gamma(beta->alpha) *
                                                  scaled_reciprocal_gamma(beta->beta) /
                                                  scaled_reciprocal_gamma(sum)));
  }
  return score;
}

// Fresh points, the answers there, and the sums of absolute terms.
void add_test(const Expansion& expansion, Evaluator& parts) {
  const Measure& measure = expansion.measure();
  const Index d = measure.dimension(), q = expansion.coefficients().cols(),
              m = expansion.coefficients().rows();
  const Index points = test_points(expansion);
  parts.thetas =
      draw_parameters(measure, make_stream(1, Purpose::exported_parameters), 0, points).theta;
  parts.x = expansion.evaluate(parts.thetas);
  parts.slopes.resize(points, q * d);
  parts.x_scale = Vector::Zero(q);
  parts.slope_scale = Vector::Zero(q * d);
  const Matrix sizes = expansion.coefficients().cwiseAbs();
  BasisBlock psi;
  for (Index i = 0; i < points; ++i) {
    const Vector theta = parts.thetas.row(i).transpose();
    const Coefficients slopes = expansion.sensitivity(theta);
    parts.slopes.row(i) = slopes.reshaped<Eigen::RowMajor>().transpose();
    Matrix germ(1, d);
    measure.germ_from_parameters(theta.transpose(), germ);
    expansion.basis().evaluate(germ, m, psi);
    Vector values(m);
    for (Index j = 0; j < m; ++j) values(j) = std::abs(psi(0, j));
    parts.x_scale = parts.x_scale.cwiseMax(sizes.transpose() * values);
    const Coefficients absolute = sizes.transpose() *
                                  expansion.basis().gradient(germ.transpose(), m).cwiseAbs() *
                                  measure.germ_jacobian(theta).cwiseAbs();
    parts.slope_scale = parts.slope_scale.cwiseMax(absolute.reshaped<Eigen::RowMajor>().matrix());
  }
}

Evaluator plain_evaluator(const Expansion& expansion) {
  const Measure& measure = expansion.measure();
  const Basis& basis = expansion.basis();
  const auto d = static_cast<std::size_t>(measure.dimension());
  const Index m = expansion.coefficients().rows();
  Evaluator parts;
  parts.coefficients = expansion.coefficients();
  parts.support.resize(measure.dimension(), 2);
  for (std::size_t k = 0; k < d; ++k) {
    parts.support.row(static_cast<Index>(k)) << measure.marginals()[k].lower(),
        measure.marginals()[k].upper();
    Index degree = 0;
    for (Index i = 0; i < m; ++i) degree = std::max<Index>(degree, basis.indices()[i][k]);
    parts.families.push_back(take_apart(basis.families()[k], degree, parts.table_size));
    parts.table_size += degree + 1;
  }
  for (Index i = 0; i < m; ++i) {
    std::vector<Index> position;
    for (std::size_t k = 0; k < d; ++k)
      position.push_back(parts.families[k].offset + basis.indices()[i][k]);
    parts.positions.push_back(std::move(position));
  }
  if (!measure.is_own_germ()) {
    parts.factor = Matrix::Identity(measure.dimension(), measure.dimension());
    if (measure.is_dependent()) parts.factor = cholesky_factor(*measure.correlation());
    for (std::size_t k = 0; k < d; ++k) {
      const auto component = static_cast<Index>(k);
      parts.scores.push_back(measure.is_correlated(component) ? take_apart(measure.marginals()[k])
                             : measure.is_logarithmic(component) ? take_apart(LogNormal{0, 1})
                                                                 : EvaluatorScore{});
    }
  }
  add_test(expansion, parts);
  return parts;
}

}  // namespace

Evaluator make_evaluator(const Expansion& expansion) {
  if (!expansion.lift()) return plain_evaluator(expansion);
  // One basis for y and the metric.
  LiftedParts lifted = lifted_parts(expansion);
  Evaluator parts = plain_evaluator(lifted.y);
  parts.lift = std::move(lifted.lift);
  add_lifted_test(expansion, parts);
  return parts;
}

}  // namespace chaosgrad::internal
