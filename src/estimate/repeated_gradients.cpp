#include "estimate/repeated_gradients.h"

namespace chaosgrad::internal {

void PairProducts::add(const Matrix& draw) {
  sum_ += draw;
  squares_ += draw.rowwise().squaredNorm();
  ++draws_;
}

void PairProducts::end_half() { first_half_ = sum_; }

Vector PairProducts::products() const {
  const auto draws = static_cast<double>(draws_);
  if (first_half_.size() > 0) {
    const double pairs = 0.25 * draws * draws;
    return first_half_.cwiseProduct(sum_ - first_half_).rowwise().sum() / pairs;
  }
  return (sum_.rowwise().squaredNorm() - squares_) / (draws * (draws - 1));
}

}  // namespace chaosgrad::internal
