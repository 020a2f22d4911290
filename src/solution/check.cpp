#include "solution/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "curvature/differences.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

// Places around the start, nearer to it where F would not be defined.
Matrix places_around_start(const Oracle& oracle, const ProblemValue& value, const Matrix& theta,
                           const Matrix& noise, std::uint64_t seed) {
  constexpr int most_halvings = 60;
  Matrix offset(theta.rows(), oracle.dimension()), values(theta.rows(), 1);
  fill_uniform(make_stream(seed, Purpose::check_place), 0, offset);
  offset = (2 * offset.array() - 1).matrix();
  for (int k = 0; k < most_halvings; ++k) {
    const Matrix x = offset.rowwise() + oracle.facts().start.transpose();
    value(x, theta, noise, values);
    if (values.allFinite()) return x;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isfinite(values(i, 0))) offset.row(i) *= 0.5;
    }
  }
  return offset.rowwise() + oracle.facts().start.transpose();
}

// Central differences of F against ∇F at one block of samples around the start, relative to the
// size of the gradient.
double gradient_error(const Oracle& oracle, const ProblemValue& value, std::uint64_t seed) {
  const Index q = oracle.dimension();
  const Matrix theta = draw_parameters(oracle.parameters(),
                                       make_stream(seed, Purpose::check_parameters), 0, block_size)
                           .theta;
  const Matrix noise =
      draw_noise(oracle.noise_dimension(), make_stream(seed, Purpose::check_noise), 0, block_size);
  const Matrix x = places_around_start(oracle, value, theta, noise, seed);
  Matrix g(block_size, q), above(block_size, 1), below(block_size, 1);
  oracle.gradient(x, theta, noise, g);
  const double scale = g.rowwise().norm().mean();
  std::vector<double> errors;  // the median over the samples ignores those beside a kink
  double worst = 0;
  for (Index j = 0; j < q; ++j) {
    // Noise and θ are the same on both sides: the step of an exact function.
    const double h = difference_step(Difference::central, false, x.col(j).cwiseAbs().mean());
    Matrix moved = x;
    moved.col(j).array() += h;
    value(moved, theta, noise, above);
    moved.col(j).array() -= 2 * h;
    value(moved, theta, noise, below);
    const Vector difference = (above - below) / (2 * h);
    errors.clear();
    for (Index i = 0; i < block_size; ++i) {
      // Beside the border of the domain there is no difference.
      if (std::isfinite(difference(i))) errors.push_back(std::abs(difference(i) - g(i, j)));
    }
    if (errors.empty()) continue;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    worst = std::max(worst, *middle);
  }
  return scale > 0 ? worst / scale : worst;
}

}  // namespace

ProblemCheck check_problem(const Oracle& oracle, const ProblemValue& value, std::uint64_t seed) {
  ProblemCheck check;
  check.constants = estimate_constants(oracle, seed);
  check.measured = measure_constants(oracle, seed);
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
  if (!(measured.mu.value > 0)) {
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
