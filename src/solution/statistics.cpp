#include <algorithm>
#include <cmath>

#include "chaosgrad/random.h"
#include "chaosgrad/solution.h"

namespace chaosgrad {

Vector mean(const Expansion& expansion) { return expansion.coefficients().row(0).transpose(); }

Vector sd(const Expansion& expansion) {
  const Coefficients& u = expansion.coefficients();
  return u.bottomRows(u.rows() - 1).colwise().norm().transpose();
}

SobolIndices sobol(const Expansion& expansion) {
  const Coefficients& u = expansion.coefficients();
  const IndexSet& indices = expansion.basis().indices();
  const Index q = u.cols(), d = expansion.basis().dimension();
  SobolIndices sobol{Matrix::Zero(q, d), Matrix::Zero(q, d)};
  Vector variance = Vector::Zero(q);
  for (Index i = 1; i < u.rows(); ++i) {
    const Vector part = u.row(i).transpose().cwiseAbs2();
    variance += part;
    const MultiIndex& index = indices[i];
    const auto active = std::count_if(index.begin(), index.end(), [](int n) { return n > 0; });
    for (Index k = 0; k < d; ++k) {
      if (index[static_cast<std::size_t>(k)] == 0) continue;
      sobol.total.col(k) += part;
      if (active == 1) sobol.main.col(k) += part;
    }
  }
  for (Index i = 0; i < q; ++i) {
    if (variance(i) > 0) {
      sobol.main.row(i) /= variance(i);
      sobol.total.row(i) /= variance(i);
    }
  }
  return sobol;
}

std::vector<QuantityStatistics> quantity_statistics(const Expansion& expansion,
                                                    const QuantityFunction& evaluate, Index count,
                                                    Index noise_dimension, std::uint64_t seed) {
  constexpr Index blocks = 128;  // of θ
  const Index draws = noise_dimension > 0 ? 8 : 1;
  const Index d = expansion.measure().dimension();
  Matrix eta(block_size, d), theta(block_size, d), noise(block_size, noise_dimension),
      values(block_size, count);
  // Two independent means over the noise at each θ: their product has no bias from the noise.
  Vector sum = Vector::Zero(count), square = Vector::Zero(count), cross = Vector::Zero(count);
  for (Index block = 0; block < blocks; ++block) {
    fill_uniform(make_stream(seed, Purpose::certificate, 1), block * block_size, eta);
    expansion.measure().germ_from_uniform(eta, eta);
    expansion.measure().parameters_from_germ(eta, theta);
    const Matrix x = expansion.evaluate_germ(eta);
    Matrix half[2];
    for (Matrix& mean_value : half) {
      mean_value = Matrix::Zero(block_size, count);
      const auto which = static_cast<Index>(&mean_value - half);
      for (Index draw = 0; draw < draws; ++draw) {
        const auto step = static_cast<std::uint64_t>(2 + which * draws + draw);
        if (noise_dimension > 0)
          fill_uniform(make_stream(seed, Purpose::certificate, step), block * block_size, noise);
        evaluate(x, theta, noise, values);
        mean_value += values / static_cast<double>(draws);
      }
    }
    sum += 0.5 * (half[0] + half[1]).colwise().sum().transpose();
    square += 0.25 * (half[0] + half[1]).cwiseAbs2().colwise().sum().transpose();
    cross += half[0].cwiseProduct(half[1]).colwise().sum().transpose();
  }
  const auto n = static_cast<double>(blocks * block_size);
  std::vector<QuantityStatistics> statistics;
  for (Index j = 0; j < count; ++j) {
    const double average = sum(j) / n;
    const double scatter = std::max(0.0, square(j) / n - average * average);
    statistics.push_back({average, std::sqrt(std::max(0.0, cross(j) / n - average * average)),
                          std::sqrt(scatter / n)});
  }
  return statistics;
}

}  // namespace chaosgrad
