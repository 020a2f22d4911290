// What a gradient of a templated objective costs: as formulas (traced(): batched programs, reverse
// mode), and with Eigen's AutoDiffScalar (forward mode, one sample at a time), beside the value
// itself in plain C++. One thread, minimum of repeats, nanoseconds per gradient.
#include <fmt/format.h>

#include <Eigen/Core>
#include <chrono>
#include <cmath>
#include <unsupported/Eigen/AutoDiff>

#include "chaosgrad/chaosgrad.h"

namespace {

using namespace chaosgrad;

// A chain of q springs that stiffen, pulled by θ.
struct Chain {
  template <class T>
  T operator()(const std::vector<T>& x, const std::vector<T>& theta, const std::vector<T>&) const {
    using std::cosh, std::exp;
    T sum = 0.5 * x[0] * x[0];
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const T stretch = x[i + 1] - x[i];
      sum += cosh(stretch) + 0.1 * exp(0.2 * theta[0] * x[i]) - theta[1] * x[i + 1];
    }
    return sum;
  }
};

// Nanoseconds of one of `count` calls of work(), the fastest of some repeats.
double nanoseconds(Index count, const auto& work) {
  double best = infinity;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / static_cast<double>(count));
  }
  return best;
}

}  // namespace

int main() {
  using Scalar = Eigen::AutoDiffScalar<Vector>;
  const Chain f;
  fmt::print("|    q | value in C++ | formulas | AutoDiffScalar | ratio | largest difference |\n");
  for (const Index q : {2, 5, 10, 20, 50, 100}) {
    const FormulaProblem problem(traced(f, q, {Uniform{0, 1}, Uniform{0, 1}}));
    const Matrix x = Matrix::Random(block_size, q), theta = Matrix::Random(block_size, 2),
                 noise(block_size, 0);
    Matrix g(block_size, q), h(block_size, q);
    double sink = 0;
    const double value = nanoseconds(block_size, [&] {
      for (Index i = 0; i < block_size; ++i) {
        std::vector<double> point(static_cast<std::size_t>(q)), at = {theta(i, 0), theta(i, 1)};
        for (Index k = 0; k < q; ++k) point[static_cast<std::size_t>(k)] = x(i, k);
        sink += f(point, at, {});
      }
    });
    constexpr Index blocks = 20;
    const double formulas = nanoseconds(blocks * block_size, [&] {
      for (Index block = 0; block < blocks; ++block) problem.gradient(x, theta, noise, g);
    });
    const double forward = nanoseconds(block_size, [&] {
      for (Index i = 0; i < block_size; ++i) {
        std::vector<Scalar> point, at;
        for (Index k = 0; k < q; ++k) point.emplace_back(x(i, k), q, k);
        for (Index k = 0; k < 2; ++k) at.emplace_back(theta(i, k), Vector::Zero(q));
        h.row(i) = f(point, at, {}).derivatives().transpose();
      }
    });
    fmt::print("| {:4} | {:12.0f} | {:8.0f} | {:14.0f} | {:5.1f} | {:18.1e} |\n", q, value,
               formulas, forward, forward / formulas, (g - h).cwiseAbs().maxCoeff());
    if (sink == 1) fmt::print("\n");  // the values are not optimised away
  }
}
