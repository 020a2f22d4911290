#include "estimate/average_gradient.h"

#include <algorithm>

namespace chaosgrad::internal {

AverageGradient::AverageGradient(const Oracle& oracle, const Vector& theta, Matrix noise)
    : oracle_(oracle),
      theta_(theta.transpose().replicate(std::min(noise.rows(), block_size), 1)),
      noise_(std::move(noise)) {}

template <class Use>
void AverageGradient::for_each_block(const Vector& x, const Use& use) {
  for (Index first = 0; first < noise_.rows(); first += block_size) {
    const Index n = std::min(block_size, noise_.rows() - first);
    Matrix g(n, x.size());
    oracle_.gradient(x.transpose().replicate(n, 1), theta_.topRows(n), noise_.middleRows(first, n),
                     g);
    use(g);
    count_ += n;
  }
}

Vector AverageGradient::operator()(const Vector& x) {
  Vector sum = Vector::Zero(x.size());
  for_each_block(x, [&](const Matrix& g) { sum += g.colwise().sum().transpose(); });
  return sum / static_cast<double>(noise_.rows());
}

double AverageGradient::variance(const Vector& x) {
  const Vector mean = (*this)(x);
  double sum = 0;
  for_each_block(x,
                 [&](const Matrix& g) { sum += (g.rowwise() - mean.transpose()).squaredNorm(); });
  return noise_.rows() > 1 ? sum / static_cast<double>(noise_.rows() - 1) : 0;
}

}  // namespace chaosgrad::internal
