#include "estimate/repeated_gradients.h"

namespace chaosgrad::internal {

void PairProducts::add(const Matrix& draw) {
  sum_ += draw;
  squares_ += draw.rowwise().squaredNorm();
  ++draws_;
}

Vector PairProducts::products() const {
  const auto draws = static_cast<double>(draws_);
  return (sum_.rowwise().squaredNorm() - squares_) / (draws * (draws - 1));
}

}  // namespace chaosgrad::internal
