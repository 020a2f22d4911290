#include "solution/constrained/bindings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chaosgrad::internal {
namespace {

using Kind = Constraint::Kind;

// Equality up to rounding and to what sequential quadratic programs leave, relative to the terms.
constexpr double equality = 1e-9;

bool is_bound(Kind kind) { return kind == Kind::lower || kind == Kind::upper; }

// What is not 0 stays so, even where nothing is known about its error.
double in_units(double distance, double error) {
  return distance == 0 ? 0 : std::max(std::numeric_limits<double>::min(), distance / error);
}

// One binding at one sample.
struct Place {
  double slack = 0, scale = 0, slack_error = 0;
  double margin = infinity, margin_error = 0, multiplier = 0;
};

Place bound_at(Kind kind, Index j, Index sample, const ConstraintBlock& at,
               const LiftedBlock& lifted, const BindingErrors& errors) {
  const bool lower = kind == Kind::lower;
  const double bound = lower ? at.lower(sample, j) : at.upper(sample, j), x = lifted.x(sample, j);
  const double force = lifted.bound_multipliers(sample, j);
  Place place;
  place.slack = std::isfinite(bound) ? std::abs(x - bound) : infinity;
  place.scale = std::isfinite(bound) ? std::max(std::abs(bound), std::abs(x)) : 0;
  place.slack_error = errors.components(j);
  place.multiplier = std::max(0.0, lower ? -force : force);
  place.margin = place.multiplier;
  place.margin_error = errors.bounds(j);
  return place;
}

// The rows of one constraint or kink; several are those of a norm.
Place rows_at(const Binding& binding, Kind kind, Index sample, const ConstraintBlock& at,
              const LiftedBlock& lifted, const BindingErrors& errors) {
  const Index q = lifted.x.cols();
  const Vector x = lifted.x.row(sample).transpose();
  Place place;
  double slack = 0, error = 0, force = 0, force_error = 0;
  for (Index i = binding.first; i < binding.first + binding.count; ++i) {
    const Vector a = at.jacobian.row(sample).segment(i * q, q).transpose();
    const double c = at.value(sample, i), by_component = a.cwiseAbs().dot(errors.components);
    slack += c * c;
    place.scale = std::max(place.scale, a.cwiseAbs().dot(x.cwiseAbs()) + std::abs(a.dot(x) - c));
    error += std::pow(std::min(by_component, a.norm() * errors.total), 2);
    force += std::pow(lifted.row_multipliers(sample, i), 2);
    force_error += std::pow(errors.rows(i), 2);
  }
  place.slack = std::sqrt(slack);
  place.slack_error = std::sqrt(error);
  place.margin_error = std::sqrt(force_error);
  const Index i = binding.first;
  if (binding.count > 1) {
    place.margin = at.most(sample, i) - std::sqrt(force);
    return place;
  }
  if (kind == Kind::inequality && at.value(sample, i) > 0) place.slack = 0;  // rounding
  place.multiplier = lifted.row_multipliers(sample, i);
  place.margin =
      std::min(place.multiplier - at.least(sample, i), at.most(sample, i) - place.multiplier);
  return place;
}

}  // namespace

std::vector<Binding> bindings_of(const Constraints& constraints) {
  std::vector<Binding> bindings;
  for (std::size_t k = 0; k < constraints.list().size(); ++k) {
    const Constraint& one = constraints.list()[k];
    if (one.norm) {
      bindings.push_back({k, one.first, one.count});
      continue;
    }
    for (Index i = 0; i < one.count; ++i) bindings.push_back({k, one.first + i, 1});
  }
  return bindings;
}

BindingBlock bindings_at(const Constraints& constraints, const std::vector<Binding>& bindings,
                         const BindingErrors& errors, const Block& theta,
                         const LiftedBlock& lifted) {
  ConstraintBlock at;
  constraints.evaluate(lifted.x, theta, at);
  const Index n = theta.rows();
  const auto count = static_cast<Index>(bindings.size());
  BindingBlock result{Matrix(n, count), Matrix(n, count), Matrix(n, count)};
  for (Index j = 0; j < count; ++j) {
    const Binding& binding = bindings[static_cast<std::size_t>(j)];
    const Kind kind = constraints.list()[binding.constraint].kind;
    for (Index b = 0; b < n; ++b) {
      const Place place = is_bound(kind) ? bound_at(kind, binding.first, b, at, lifted, errors)
                                         : rows_at(binding, kind, b, at, lifted, errors);
      const bool pushes = kind != Kind::kink && place.multiplier != 0;
      const bool active = kind == Kind::equality || pushes || place.slack <= equality * place.scale;
      result.slack(b, j) = active ? 0 : in_units(place.slack, place.slack_error);
      result.margin(b, j) = active ? in_units(std::max(0.0, place.margin), place.margin_error) : 0;
      result.multiplier(b, j) = place.multiplier;
    }
  }
  return result;
}

}  // namespace chaosgrad::internal
