#include "report/expansion_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/export/evaluator_lift.h"
#include "measure/distribution_table.h"
#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

constexpr Index grid_points = 401;

std::vector<double> list(const Vector& values) { return {values.begin(), values.end()}; }

// Where a parameter can be set.
struct Grid {
  Vector points;
  bool logarithmic = false;
};

// From end to end where the germ has ends, else the central 99.8 %; points far apart in ratio are
// spaced by it. Of many discrete values, evenly chosen ones.
Grid parameter_grid(const Distribution& marginal, const Distribution& germ) {
  if (const auto* discrete = std::get_if<Discrete>(&marginal.parameters())) {
    const auto count = static_cast<Index>(discrete->values.size());
    const Index shown = std::min(count, grid_points);
    Vector points(shown);
    for (Index j = 0; j < shown; ++j) {
      const Index i = shown == 1 ? 0 : j * (count - 1) / (shown - 1);
      points[j] = discrete->values[static_cast<std::size_t>(i)];
    }
    return {points};
  }
  constexpr double tail = 0.001, wide = 30;
  const bool from_end = std::isfinite(germ.lower());
  const bool to_end = std::isfinite(germ.upper());
  const double low = from_end ? marginal.lower() : marginal.quantile(tail);
  const double high = to_end ? marginal.upper() : marginal.quantile(1 - tail);
  if (low > 0 && high > wide * low) {
    Vector points =
        Vector::LinSpaced(grid_points, std::log(low), std::log(high)).array().exp().matrix();
    points[0] = low;
    points[grid_points - 1] = high;
    return {points, true};
  }
  Vector points = Vector::LinSpaced(grid_points, low, high);
  const double rounding = 1e-12 * (high - low);
  points = (points.array().abs() < rounding).select(0, points);
  return {points};
}

// How the page computes B_0 … B_degree: trigonometric, by recurrence, or (where a recurrence loses
// accuracy: discrete values) looked up at the grid points.
Json family_data(const Family& family, Index degree, const Vector& grid) {
  if (family.kind() == Family::Kind::fourier) {
    return {{"kind", "fourier"},
            {"lower", family.distribution().lower()},
            {"upper", family.distribution().upper()}};
  }
  if (family.distribution().is_discrete()) {
    Matrix values(grid.size(), degree + 1);
    family.values(grid.data(), grid.size(), values);
    return {{"kind", "table"},
            {"degrees", degree + 1},
            {"values", packed(list(values.reshaped<Eigen::RowMajor>()))}};
  }
  const Recurrence& recurrence = family.recurrence(degree);
  return {{"kind", "polynomial"},
          {"center", recurrence.center},
          {"scale", recurrence.scale},
          {"a", list(recurrence.a.head(degree))},
          {"b", list(recurrence.b.head(degree + 1))}};
}

Json parameter_data(const Expansion& expansion, Index k, const std::string& name) {
  const Measure& measure = expansion.measure();
  const auto at = static_cast<std::size_t>(k);
  const Distribution& marginal = measure.marginals()[at];
  const Grid grid = parameter_grid(marginal, measure.germs()[at]);
  int degree = 0;
  for (Index i = 0; i < expansion.coefficients().rows(); ++i)
    degree = std::max(degree, expansion.basis().indices()[i][at]);
  const double median = marginal.quantile(0.5);
  Index nearest = 0;
  (grid.points.array() - median).abs().minCoeff(&nearest);
  Json data = {{"name", name},
               {"distribution", in_words(marginal)},
               {"discrete", marginal.is_discrete()},
               {"logarithmic", grid.logarithmic},
               {"grid", packed(list(grid.points))},
               {"median", nearest},
               {"family", family_data(expansion.basis().families()[at], degree, grid.points)}};
  if (measure.is_correlated(k)) {
    const Vector z =
        grid.points.unaryExpr([&](double t) { return marginal.to_standard_normal(t); });
    data["score"] = packed(list(z));
  } else if (measure.is_logarithmic(k)) {
    data["score"] = packed(list(grid.points.array().log().matrix()));
  }
  return data;
}

}  // namespace

Json expansion_data(const Expansion& expansion, const std::vector<std::string>& parameter_names) {
  if (expansion.lift()) {
    const LiftedParts parts = lifted_parts(expansion);
    Json data = expansion_data(parts.y, parameter_names);
    data["lift"] = lift_data(parts.lift);
    return data;
  }
  const Coefficients& u = expansion.coefficients();
  const Index d = expansion.measure().dimension();
  std::vector<std::uint16_t> degrees;
  for (Index i = 0; i < u.rows(); ++i) {
    for (const int n : expansion.basis().indices()[i])
      degrees.push_back(static_cast<std::uint16_t>(n));
  }
  Json parameters = Json::array();
  for (Index k = 0; k < d; ++k)
    parameters.push_back(
        parameter_data(expansion, k, parameter_names[static_cast<std::size_t>(k)]));
  Json data = {{"functions", u.rows()},
               {"components", u.cols()},
               {"coefficients", packed(std::vector<double>(u.data(), u.data() + u.size()))},
               {"degrees", packed(degrees)},
               {"parameters", std::move(parameters)}};
  if (const auto& correlation = expansion.measure().correlation()) {
    const Matrix factor = cholesky_factor(*correlation);  // z = factor ξ
    data["factor"] = packed(list(factor.reshaped<Eigen::RowMajor>()));
  }
  return data;
}

}  // namespace chaosgrad::internal
