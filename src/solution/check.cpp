#include "solution/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "constraint/infeasible.h"
#include "constraint/metric_factor.h"
#include "curvature/differences.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "problem/averaged_problem.h"
#include "samples/parameters.h"
#include "solution/averaged_function.h"
#include "solve/common/goal.h"
#include "solve/pointwise/constrained_descent.h"
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal {
namespace {

Matrix sampled_parameters(const Oracle& oracle, std::uint64_t seed) {
  return draw_parameters(oracle.parameters(), make_stream(seed, Purpose::check_parameters), 0,
                         block_size)
      .theta;
}

// Places around the start, nearer to it where F would not be defined.
Matrix places_around_start(const Oracle& oracle, const ProblemValue& value, const Matrix& theta,
                           const Matrix& noise, std::uint64_t seed) {
  constexpr int most_halvings = 60;
  Matrix offset(theta.rows(), oracle.dimension()), values(theta.rows(), 1);
  fill_uniform(make_stream(seed, Purpose::check_place), 0, offset);
  offset = (2 * offset.array() - 1).matrix();
  const auto places = [&]() -> Matrix {
    const Matrix x = offset.rowwise() + oracle.facts().start.transpose();
    if (!oracle.facts().constraints) return x;
    ConstraintBlock at;  // F need not be defined beyond the bounds
    oracle.facts().constraints->evaluate(x, theta, at);
    return x.cwiseMax(at.lower).cwiseMin(at.upper);
  };
  for (int k = 0; k < most_halvings; ++k) {
    const Matrix x = places();
    value(x, theta, noise, values);
    if (values.allFinite()) return x;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isfinite(values(i, 0))) offset.row(i) *= 0.5;
    }
  }
  return places();
}

// |∂F/∂p − g·p| at each row, the former by central differences over the step h; not a number where
// that leaves the domain.
Vector slope_errors(const ProblemValue& value, const Matrix& x, const Vector& p, double h,
                    const Matrix& theta, const Matrix& noise, const Matrix& g) {
  Matrix above(x.rows(), 1), below(x.rows(), 1);
  const Matrix upper = x.rowwise() + h * p.transpose(), lower = x.rowwise() - h * p.transpose();
  value(upper, theta, noise, above);
  value(lower, theta, noise, below);
  // Rounding makes the steps differ from h.
  const Vector slopes = (above - below).array() * p.squaredNorm() / ((upper - lower) * p).array();
  return (slopes - g * p).cwiseAbs() / p.norm();
}

// The directions in which F and ∇F are compared: the axes, or of many some of them and as many that
// all components take part in.
std::vector<Vector> tried_directions(Index q, std::uint64_t seed) {
  constexpr Index most_axes = 64;
  std::vector<Vector> directions;
  for (Index k = 0; k < std::min(q, most_axes); ++k)
    directions.push_back(Vector::Unit(q, q <= most_axes ? k : k * q / most_axes));
  if (q <= most_axes) return directions;
  Matrix uniform(most_axes, q);
  fill_uniform(make_stream(seed, Purpose::check_place), block_size, uniform);
  for (Index k = 0; k < most_axes; ++k)
    directions.push_back((uniform.row(k).transpose().array() < 0.5)
                             .select(Vector::Constant(q, -1), Vector::Ones(q)));
  return directions;
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Central differences of F against ∇F at one block of samples around the start, relative to the
// size of the gradient there. The median over the samples ignores those beside a kink.
double gradient_error(const Oracle& oracle, const ProblemValue& value, std::uint64_t seed) {
  const Index q = oracle.dimension();
  const Matrix theta = sampled_parameters(oracle, seed);
  const Matrix noise =
      draw_noise(oracle.noise_dimension(), make_stream(seed, Purpose::check_noise), 0, block_size);
  const Matrix x = places_around_start(oracle, value, theta, noise, seed);
  Matrix g(block_size, q);
  oracle.gradient(x, theta, noise, g);
  const Vector norms = g.rowwise().norm();
  std::vector<double> errors(norms.data(), norms.data() + norms.size());
  const double usual = median_of(errors);  // no gradient counts as smaller than a thousandth of it
  double worst = 0;
  for (const Vector& direction : tried_directions(q, seed)) {
    // Noise and θ are the same on both sides: the step of an exact function. Beside the border of
    // the domain F bends more, and a shorter one is better.
    const double along = (x.cwiseAbs() * direction.cwiseAbs()).mean() / direction.norm();
    double h = difference_step(Difference::central, false, along) / direction.norm();
    Vector best = Vector::Constant(block_size, infinity);
    double error = infinity;
    for (int attempt = 0; attempt < 4 && !(error < 1e-7); ++attempt, h *= 1e-2) {
      const Vector found = slope_errors(value, x, direction, h, theta, noise, g);
      for (Index i = 0; i < block_size; ++i) {
        if (found(i) < best(i)) best(i) = found(i);
      }
      errors.clear();
      for (Index i = 0; i < block_size; ++i)
        errors.push_back(best(i) / std::max({norms(i), 1e-3 * usual, 1e-300}));
      error = median_of(errors);
    }
    worst = std::max(worst, error);
  }
  return worst;
}

// "0.71 x - 0.7 y": a direction by its largest components.
std::string direction_in_words(const ProblemFacts& facts, const Vector& direction) {
  constexpr std::size_t most = 3;
  std::vector<Index> order(static_cast<std::size_t>(direction.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater(), [&](Index i) { return std::abs(direction(i)); });
  std::string text;
  for (std::size_t k = 0; k < std::min(order.size(), most); ++k) {
    const double part = direction(order[k]);
    if (std::abs(part) < 0.05 && k > 0) break;
    text += fmt::format("{}{:.2g} {}", k == 0 ? (part < 0 ? "-" : "") : (part < 0 ? " - " : " + "),
                        std::abs(part), facts.variable_names[static_cast<std::size_t>(order[k])]);
  }
  return text;
}

// Why the start is outside of the domain at one θ.
std::string outside_in_words(const Oracle& oracle, const Vector& theta, const Matrix& noise) {
  std::string text =
      fmt::format("the start is outside of the domain at {}", place(oracle.facts(), theta));
  for (Index k = 0; k < noise.rows(); ++k) {
    const std::string reason =
        oracle.explain(oracle.facts().start.transpose(), theta.transpose(), noise.row(k));
    if (!reason.empty()) return text + ": " + reason;
  }
  return text;
}

// Where f bends down most, each variable in the unit in which its own curvature is 1. No direction: f
// does not bend down.
struct Bend {
  double curvature = 0;
  Vector direction = {};
};

Bend downward_bend(const Matrix& hessian) {
  constexpr double rounding = 1e-8;  // of eigenvalues, relative to the largest
  const Matrix H = symmetric_part(hessian);
  const Vector unit = own_units(H);
  const SymmetricEigen eigen = symmetric_eigen(unit.asDiagonal() * H * unit.asDiagonal());
  if (!(eigen.values(0) < -rounding * eigen.values.cwiseAbs().maxCoeff())) return {};
  const Vector direction = (unit.asDiagonal() * eigen.vectors.col(0)).normalized();
  return {direction.dot(H * direction), direction};
}

// f at one θ. Under noise it is a mean over draws, whose kinks have no second derivative: its Hessian
// is taken by differences over steps that are wider than the distance of the kinks.
PointFunction mean_function(const Oracle& oracle, const Vector& theta, const Matrix& noise) {
  PointFunction f = averaged_function(oracle, theta, noise);
  if (oracle.noise_dimension() == 0) return f;
  f.hessian = [gradient = f.gradient](const Vector& x) {
    const Vector h = relative_step(Difference::central, true) * (1 + x.array().abs());
    return hessian_by_differences(gradient, x, h, Difference::central);
  };
  return f;
}

// What a descent from the start finds at sampled θ: the first trouble, in words.
std::string descent_trouble(const Oracle& oracle, std::uint64_t seed) {
  const bool noisy = oracle.noise_dimension() > 0;
  const Index points = noisy ? 8 : 24, draws = noisy ? 512 : 1;
  const ProblemFacts& facts = oracle.facts();
  const Matrix thetas = sampled_parameters(oracle, seed);
  const Matrix noise =
      draw_noise(oracle.noise_dimension(), make_stream(seed, Purpose::check_noise), 0, draws);
  const double size = 1 + facts.start.norm();
  // With draws an eigenvalue is known to a few percent of the largest.
  const double certain = noisy ? 0.05 : 0;
  for (Index i = 0; i < points; ++i) {
    const Vector theta = thetas.row(i).transpose();
    const PointFunction f = mean_function(oracle, theta, noise);
    const TrustRegionOptions goal{.tolerance = (noisy ? 1e-4 : 1e-9) * size,
                                  .most_steps = noisy ? 50 : 200,
                                  .runaway_norm = 1e9 * size};
    const Minimum found = facts.constraints
                              ? minimise(f, *facts.constraints, theta, facts.start, goal)
                              : minimise(f, facts.start, goal);
    switch (found.outcome) {
      case Minimum::Outcome::infeasible:
        return fmt::format("{} at {}", why_infeasible(*facts.constraints, theta),
                           place(facts, theta));
      case Minimum::Outcome::outside_domain:
        return outside_in_words(oracle, theta, noise);
      case Minimum::Outcome::unbounded:
        return fmt::format("the objective falls without end from the start: no minimum at {}",
                           place(facts, theta));
      case Minimum::Outcome::not_convex:
        if (noisy && !(found.eigenvalue < -certain * found.hessian.norm())) break;
        return fmt::format(
            "not strongly convex: where a descent from the start ends, the Hessian has the "
            "eigenvalue {:.3g} in the direction {}, at {}",
            found.eigenvalue, direction_in_words(facts, found.direction), place(facts, theta));
      default:
        break;
    }
    if (!facts.constraints || noisy || found.outcome != Minimum::Outcome::found) continue;
    if (const Bend bend = downward_bend(found.hessian); bend.direction.size() > 0) {
      return fmt::format(
          "not convex: where a descent from the start ends, the objective has the curvature {:.3g} "
          "in the direction {}; the constraints hold x there, but other minima may be as low or "
          "lower, at {}",
          bend.curvature, direction_in_words(facts, bend.direction), place(facts, theta));
    }
  }
  return {};
}

// Eigenvalues of Hessians by differences are known up to a share of the largest.
void drop_rounding(ProblemConstants& constants) {
  constexpr double known = 1e-10;
  Constant& mu = constants.mu;
  const double scale = std::max(std::abs(constants.L.lowest), std::abs(constants.L.highest));
  for (double* value : {&mu.value, &mu.lowest, &mu.highest}) {
    if (!mu.given && std::abs(*value) <= known * scale) *value = 0;
  }
}

// The same with the noise integrated out, where that is exact.
std::string find_trouble(const Oracle& oracle, std::uint64_t seed) {
  constexpr double most_draws = 4096;
  const bool exact =
      oracle.noise_dimension() > 0 && exact_noise_draws(oracle.facts().noise_axes) <= most_draws;
  return exact ? descent_trouble(AveragedProblem(oracle), seed) : descent_trouble(oracle, seed);
}

}  // namespace

ProblemCheck check_problem(const Oracle& oracle, const ProblemValue& value, std::uint64_t seed) {
  ProblemCheck check;
  check.constants = estimate_constants(oracle, seed);
  check.measured = measure_constants(oracle, seed);
  drop_rounding(check.constants);
  drop_rounding(check.measured);
  if (value) check.gradient_error = gradient_error(oracle, value, seed);

  const ProblemConstants& given = check.constants;
  const ProblemConstants& measured = check.measured;
  const bool noisy = oracle.noise_dimension() > 0;
  const double slack =
      noisy ? 0.1 : 1e-4;  // the measured curvature is itself an average over noise draws
  if (check.gradient_error && !(*check.gradient_error < 1e-4)) {
    check.problems.push_back(fmt::format(
        "the gradient differs from differences of F by {:.2g} (relative)", *check.gradient_error));
  }
  if (oracle.has_value()) {
    if (std::string trouble = find_trouble(oracle, seed); !trouble.empty())
      check.problems.push_back(std::move(trouble));
  } else if (measured.mu.value <= 0) {
    check.problems.push_back(
        fmt::format("not strongly convex: the Hessian has the eigenvalue {:.3g} at a sampled theta",
                    measured.mu.value));
  }
  if (given.mu.given && given.mu.value > measured.mu.lowest * (1 + slack)) {
    check.problems.push_back(fmt::format(
        "strong_convexity = {:.4g} is contradicted: a Hessian has the eigenvalue {:.4g}",
        given.mu.value, measured.mu.lowest));
  }
  if (given.L.given && given.L.value < measured.L.highest * (1 - slack)) {
    check.problems.push_back(
        fmt::format("smoothness = {:.4g} is contradicted: a Hessian has the eigenvalue {:.4g}",
                    given.L.value, measured.L.highest));
  }
  return check;
}

}  // namespace chaosgrad::internal
