#include "chaosgrad/basis.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "basis/family/fourier.h"
#include "basis/family/quadrature.h"
#include "basis/family/supremum.h"
#include "basis/family/tables.h"
#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;

struct Family::State {
  explicit State(Distribution d) : distribution(std::move(d)), polynomial(distribution) {}

  Distribution distribution;
  PolynomialFamily polynomial;
  std::optional<Fourier> fourier;  // engaged for Kind::fourier
};

namespace {

constexpr Index fourier_limit = 100000;

void require_degree(Index degree, Index limit, std::string_view distribution) {
  if (degree <= limit) return;
  throw InputError("basis", "degree " + std::to_string(degree) + " is above " +
                                std::to_string(limit) + ", the largest for this " +
                                std::string(distribution) + " distribution");
}

// The end where every |p_n| is greatest, if there is such an end: Jacobi polynomials with an
// exponent ≥ −1/2 have it at the end with the larger exponent (Szegő, theorem 7.32.1), Legendre
// polynomials at both.
std::optional<double> common_maximiser(const Distribution& distribution) {
  if (const auto* uniform = std::get_if<Uniform>(&distribution.parameters())) return uniform->upper;
  if (const auto* beta = std::get_if<Beta>(&distribution.parameters())) {
    if (beta->beta >= beta->alpha && beta->beta >= 0.5) return beta->upper;
    if (beta->alpha >= beta->beta && beta->alpha >= 0.5) return beta->lower;
  }
  return std::nullopt;
}

}  // namespace

Family::Family(Distribution distribution, Kind kind)
    : state_(std::make_shared<State>(std::move(distribution))) {
  if (kind == Kind::polynomial) return;
  const auto* uniform = std::get_if<Uniform>(&state_->distribution.parameters());
  if (uniform == nullptr) {
    throw InputError("basis", "\"fourier\" needs a uniform distribution, not " +
                                  std::string(state_->distribution.name()));
  }
  state_->fourier.emplace(*uniform);
}

Family::Kind Family::kind() const { return state_->fourier ? Kind::fourier : Kind::polynomial; }

const Distribution& Family::distribution() const { return state_->distribution; }

Index Family::max_degree() const {
  return state_->fourier ? fourier_limit : state_->polynomial.limits().max_degree;
}

const Recurrence& Family::recurrence(Index degree) const {
  require_degree(degree, state_->polynomial.limits().recurrence_limit, state_->distribution.name());
  return state_->polynomial.tables(degree).recurrence;
}

void Family::values(const double* t, Index count, BlockOut values) const {
  assert(values.rows() >= count);
  require_degree(values.cols() - 1, max_degree(), state_->distribution.name());
  if (state_->fourier) return state_->fourier->values(t, count, values);
  state_->polynomial.tables(values.cols() - 1).values(t, count, values);
}

void Family::derivatives(const double* t, Index count, BlockOut derivatives) const {
  assert(derivatives.rows() >= count);
  require_degree(derivatives.cols() - 1, max_degree(), state_->distribution.name());
  if (state_->fourier) return state_->fourier->derivatives(t, count, derivatives);
  polynomial_derivatives(state_->polynomial.tables(derivatives.cols() - 1).kernel, t, count,
                         derivatives);
}

Index Family::max_nodes() const {
  const auto& parameters = state_->distribution.parameters();
  const Index limit = state_->polynomial.limits().recurrence_limit;
  const auto* discrete = std::get_if<Discrete>(&parameters);
  const bool few = discrete != nullptr && static_cast<Index>(discrete->values.size()) <= limit + 1;
  const bool unlimited = few || std::holds_alternative<Uniform>(parameters);
  return unlimited ? std::numeric_limits<Index>::max() : limit;
}

Quadrature Family::gauss(Index n) const {
  if (n < 1) throw InputError("nodes", "must be at least 1");
  const auto& parameters = state_->distribution.parameters();
  if (const auto* uniform = std::get_if<Uniform>(&parameters)) {
    return gauss_legendre(n, uniform->lower, uniform->upper);
  }
  const auto* discrete = std::get_if<Discrete>(&parameters);
  if (discrete != nullptr && n >= static_cast<Index>(discrete->values.size())) {
    const auto points = static_cast<Index>(discrete->values.size());
    return {Eigen::Map<const Vector>(discrete->values.data(), points),
            Eigen::Map<const Vector>(discrete->weights.data(), points)};
  }
  if (n > max_nodes()) {
    throw InputError("nodes", "must be at most " + std::to_string(max_nodes()) + " for this " +
                                  std::string(state_->distribution.name()) + " distribution");
  }
  const Recurrence& coefficients = recurrence(n);
  if (discrete != nullptr) return eigenvector_gauss_rule(coefficients, n);
  if (std::holds_alternative<LogNormal>(parameters)) return graded_gauss_rule(coefficients, n);
  return gauss_rule(coefficients, n);
}

double Family::supremum(const Vector& c, double* argmax) const {
  double ignored = 0;
  double& maximiser = argmax != nullptr ? *argmax : ignored;
  Index size = c.size();
  while (size > 0 && c[size - 1] == 0) --size;
  if (size <= 1) {
    maximiser = state_->distribution.quantile(0.5);
    return size == 0 ? 0 : c[0];
  }
  const Vector weights = c.head(size);
  if (state_->fourier) return state_->fourier->supremum(weights, maximiser);

  const auto square_sums = [&](const double* t, Index count, double* sums) {
    constexpr Index chunk = 256;
    Matrix b(std::min(count, chunk), size);
    for (Index begin = 0; begin < count; begin += chunk) {
      const Index rows = std::min(chunk, count - begin);
      values(t + begin, rows, b);
      const Vector chunk_sums = b.topRows(rows).array().square().matrix() * weights;
      std::copy_n(chunk_sums.data(), rows, sums + begin);
    }
  };
  if (const auto* discrete = std::get_if<Discrete>(&state_->distribution.parameters())) {
    Vector sums(static_cast<Index>(discrete->values.size()));
    square_sums(discrete->values.data(), sums.size(), sums.data());
    Index best = 0;
    const double largest = sums.maxCoeff(&best);
    maximiser = discrete->values[static_cast<std::size_t>(best)];
    return largest;
  }
  const double lower = state_->distribution.lower(), upper = state_->distribution.upper();
  if (std::isinf(lower) || std::isinf(upper)) {
    maximiser = std::isinf(upper) ? upper : lower;
    return infinity;
  }
  if (const auto end = common_maximiser(state_->distribution)) {
    maximiser = *end;
    double sum = 0;
    square_sums(&maximiser, 1, &sum);
    return sum;
  }
  return maximise(square_sums, lower, upper, 16 * size + 64, true, maximiser);
}

double Family::induced_quantile(Index n, double p) const {
  require_degree(n, max_degree(), state_->distribution.name());
  return state_->fourier ? state_->fourier->induced_quantile(n, p)
                         : state_->polynomial.induced_quantile(n, p);
}

}  // namespace chaosgrad
