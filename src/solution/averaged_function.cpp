#include "solution/averaged_function.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "curvature/differences.h"

namespace chaosgrad::internal {
namespace {

// A mean over the draws of what a member of Oracle gives at rows.
class DrawMean {
 public:
  DrawMean(const Oracle& oracle, const Vector& theta, Matrix noise)
      : oracle_(oracle), theta_(theta.transpose()), noise_(std::move(noise)) {}

  template <class Member>
  [[nodiscard]] Vector operator()(const Vector& x, Index columns, const Member& member) const {
    Vector sum = Vector::Zero(columns);
    const Index most = std::min(block_size, noise_.rows());
    const Matrix at = x.transpose().replicate(most, 1), theta = theta_.replicate(most, 1);
    Matrix out(most, columns);
    for (Index first = 0; first < noise_.rows(); first += most) {
      const Index rows = std::min(most, noise_.rows() - first);
      member(oracle_, at.topRows(rows), theta.topRows(rows), noise_.middleRows(first, rows),
             out.topRows(rows));
      sum += out.topRows(rows).colwise().sum().transpose();
    }
    return sum / static_cast<double>(noise_.rows());
  }
  [[nodiscard]] Vector gradient(const Vector& x) const {
    return (*this)(x, x.size(),
                   [](const Oracle& oracle, const Block& at, const Block& theta, const Block& noise,
                      BlockOut out) { oracle.gradient(at, theta, noise, out); });
  }
  [[nodiscard]] double value(const Vector& x) const {
    return (*this)(x, 1,
                   [](const Oracle& oracle, const Block& at, const Block& theta, const Block& noise,
                      BlockOut out) { oracle.value(at, theta, noise, out); })(0);
  }
  [[nodiscard]] Matrix hessian(const Vector& x) const {
    const Index q = x.size();
    if (!oracle_.has_hessian()) {
      const Vector h = relative_step(Difference::central, false) * (1 + x.array().abs());
      return hessian_by_differences([this](const Vector& y) { return gradient(y); }, x, h,
                                    Difference::central);
    }
    const Vector entries =
        (*this)(x, q * q,
                [](const Oracle& oracle, const Block& at, const Block& theta, const Block& noise,
                   BlockOut out) { oracle.hessian(at, theta, noise, out); });
    return Eigen::Map<const Matrix>(entries.data(), q, q);
  }

 private:
  const Oracle& oracle_;
  Matrix theta_, noise_;
};

}  // namespace

PointFunction averaged_function(const Oracle& oracle, const Vector& theta, Matrix noise) {
  if (oracle.noise_dimension() == 0) return point_function(oracle, theta);
  const Index draws = noise.rows();
  const auto mean = std::make_shared<const DrawMean>(oracle, theta, std::move(noise));
  return {.value = [mean](const Vector& x) { return mean->value(x); },
          .gradient = [mean](const Vector& x) { return mean->gradient(x); },
          .hessian = [mean](const Vector& x) { return mean->hessian(x); },
          .draws = draws};
}

}  // namespace chaosgrad::internal
