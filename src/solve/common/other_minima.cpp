#include "solve/common/other_minima.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "curvature/curvature.h"
#include "curvature/differences.h"
#include "random/random.h"
#include "solve/common/goal.h"
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal {
namespace {

// The mean of F over fixed draws of the noise at one θ.
class DrawnObjective {
 public:
  DrawnObjective(const Oracle& oracle, const Vector& theta, Matrix noise)
      : oracle_(oracle), theta_(theta.transpose().replicate(noise.rows(), 1)), noise_(noise) {}

  [[nodiscard]] double value(const Vector& x) const {
    Matrix f(noise_.rows(), 1);
    oracle_.value(x.transpose().replicate(noise_.rows(), 1), theta_, noise_, f);
    return f.mean();
  }
  [[nodiscard]] Vector gradient(const Vector& x) const {
    Matrix g(noise_.rows(), x.size());
    oracle_.gradient(x.transpose().replicate(noise_.rows(), 1), theta_, noise_, g);
    return g.colwise().mean().transpose();
  }
  [[nodiscard]] PointFunction function() const {
    return {.value = [this](const Vector& x) { return value(x); },
            .gradient = [this](const Vector& x) { return gradient(x); },
            .hessian =
                [this](const Vector& x) {
                  const Vector h = relative_step(Difference::central, true) * (1 + x.array().abs());
                  return hessian_by_differences([this](const Vector& y) { return gradient(y); }, x,
                                                h, Difference::central);
                },
            .draws = noise_.rows()};
  }

 private:
  const Oracle& oracle_;
  Matrix theta_, noise_;
};

Matrix uniform_rows(const Stream& stream, Index rows, Index columns) {
  Matrix u(rows, columns);
  if (columns > 0) fill_uniform(stream, 0, u);
  return u;
}

// The rows at which f is clearly not convex between x and `there`.
std::vector<Index> suspicious_rows(const Oracle& oracle, const Matrix& theta, const Matrix& x,
                                   const Matrix& there, const MinimaSearch& search,
                                   const std::function<Stream(Index)>& stream) {
  const Index n = x.rows(), q = x.cols();
  const Matrix way = there - x;
  Vector sums = Vector::Zero(n), squares = Vector::Zero(n);
  Matrix here(n, q), beyond(n, q);
  for (Index draw = 1; draw <= search.draws; ++draw) {
    const Matrix noise = uniform_rows(stream(draw), n, oracle.noise_dimension());
    oracle.gradient(x, theta, noise, here);
    oracle.gradient(there, theta, noise, beyond);
    const Vector products = (beyond - here).cwiseProduct(way).rowwise().sum();
    sums += products;
    squares += products.cwiseAbs2();
  }
  const auto draws = static_cast<double>(search.draws);
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    const double mean = sums(i) / draws, variance = squares(i) / draws - mean * mean;
    // Not a number: that point is outside of the domain, and says nothing.
    if (mean < -search.signal * std::sqrt(std::max(0.0, variance) / draws)) rows.push_back(i);
  }
  return rows;
}

}  // namespace

OtherMinima find_other_minima(const Oracle& oracle, const Matrix& theta, const Matrix& x,
                              const MinimaSearch& search,
                              const std::function<Stream(Index)>& stream) {
  OtherMinima result;
  if (!oracle.has_value() || x.cols() > dense_limit) return result;
  const Matrix offset = uniform_rows(stream(0), x.rows(), x.cols());
  const Matrix there = x.array() + search.reach * (2 * offset.array() - 1) * (1 + x.array().abs());
  std::vector<Index> rows = suspicious_rows(oracle, theta, x, there, search, stream);
  result.gradients = 2 * search.draws * x.rows();
  if (static_cast<Index>(rows.size()) > search.most)
    rows.resize(static_cast<std::size_t>(search.most));
  const TrustRegionOptions options{.relative_tolerance = 1e-3, .most_steps = 50};
  for (const Index i : rows) {
    const Vector at = theta.row(i).transpose();
    const DrawnObjective objective(
        oracle, at,
        uniform_rows(stream(search.draws + 1 + i), search.samples, oracle.noise_dimension()));
    const Minimum one = minimise(objective.function(), x.row(i).transpose(), options),
                  other = minimise(objective.function(), there.row(i).transpose(), options);
    result.gradients += (one.gradients + other.gradients) * search.samples;
    using enum Minimum::Outcome;
    if (one.outcome != found || other.outcome != found) continue;
    if ((one.x - other.x).norm() <= search.apart * (1 + one.x.norm())) continue;
    const ProblemFacts& facts = oracle.facts();
    result.found = fmt::format(
        "the objective has several local minima at {}: {} where its mean over {} draws of the "
        "noise is {:.4g}, and {} where it is {:.4g}; x*(theta) is not one function",
        place(facts, at), variables_at(facts, one.x), search.samples, one.value,
        variables_at(facts, other.x), other.value);
    return result;
  }
  return result;
}

}  // namespace chaosgrad::internal
