// Microseconds of one quadratic program, cold and from the working set of a program near by (y moved
// by a thousandth), and of projections on a ball and on groups. Usage: quadratic_program [--json]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "constraint/projection.h"
#include "constraint/quadratic_program.h"
#include "numeric/decompositions.h"
#include "random/random.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;

// Seconds of one call: the least of many, over at least `budget` seconds.
template <class Function>
double least_seconds(Function&& function, double budget = 0.5) {
  using clock = std::chrono::steady_clock;
  const auto seconds = [](auto d) { return std::chrono::duration<double>(d).count(); };
  double least = std::numeric_limits<double>::infinity();
  const auto start = clock::now();
  for (int repeat = 0; repeat < 3 || seconds(clock::now() - start) < budget; ++repeat) {
    const auto before = clock::now();
    function();
    least = std::min(least, seconds(clock::now() - before));
  }
  return least;
}

Matrix signed_numbers(std::uint64_t key, Index rows, Index columns) {
  Matrix numbers(rows, columns);
  fill_uniform(make_stream(1, Purpose::test, key), 0, numbers);
  return (2 * numbers.array() - 1).matrix();
}

// M = B Bᵀ / q + I / 10, as far from diagonal as metrics get.
Matrix metric_factor(Index q) {
  const Matrix B = signed_numbers(1, q, q);
  return cholesky_factor(B * B.transpose() / static_cast<double>(q) + 0.1 * Matrix::Identity(q, q));
}

struct Row {
  std::string program;
  Index q = 0, p = 0, active = 0;
  double cold = 0, warm = 0;  // seconds
};

// |x_j| ≤ width and p rows A x ≤ right, entries of y and A uniform on (−1, 1).
Row measure_program(const std::string& name, Index q, Index p, double width, double right) {
  const Matrix factor = metric_factor(q), A = signed_numbers(2, p, q);
  const Vector y = signed_numbers(3, q, 1), near = 1.001 * y;
  const Vector lower = Vector::Constant(q, -width), upper = Vector::Constant(q, width);
  const Vector b = Vector::Constant(p, right), least = Vector::Zero(p);
  const Vector most = Vector::Constant(p, infinity);
  const QuadraticSolution guess = solve({factor, near, lower, upper, A, b, least, most});
  const QuadraticProgram program{factor, y, lower, upper, A, b, least, most};
  const QuadraticSolution solution = solve(program);
  Row row{name, q, p};
  row.active = (solution.bound_multipliers.array() != 0).count() +
               (solution.row_multipliers.array() != 0).count();
  row.cold = least_seconds([&] { (void)solve(program); });
  row.warm = least_seconds([&] { (void)solve(program, guess.working); });
  return row;
}

// |x|² ≤ 1, and Σ |x_g| of groups of three: per sample of a block of 128.
class BallAndGroups final : public Constraints {
 public:
  BallAndGroups(Index q, bool ball) : q_(q), ball_(ball) {
    if (ball)
      list_ = {{.name = "ball", .affine = false}};
    else
      for (Index first = 0; first < q; first += 3)
        list_.push_back({.name = "group",
                         .kind = Constraint::Kind::kink,
                         .first = first,
                         .count = 3,
                         .norm = true});
  }
  [[nodiscard]] Index dimension() const override { return q_; }
  [[nodiscard]] Index rows() const override { return ball_ ? 1 : q_; }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return list_; }
  void evaluate(const Block& x, const Block& /*theta*/, ConstraintBlock& at) const override {
    const Index n = x.rows(), p = rows();
    at.lower = Matrix::Constant(n, q_, -infinity);
    at.upper = Matrix::Constant(n, q_, infinity);
    at.least = Matrix::Constant(n, p, ball_ ? 0 : -1);
    at.most = Matrix::Constant(n, p, ball_ ? infinity : 1);
    at.jacobian = Matrix::Zero(n, p * q_);
    if (ball_) {
      at.value = (x.rowwise().squaredNorm().array() - 1).matrix();
      at.jacobian = 2 * x;
    } else {
      at.value = x;
      for (Index j = 0; j < q_; ++j) at.jacobian.col(j * q_ + j).setOnes();
    }
  }
  void curvature(const Block& x, const Block& /*theta*/, const Block& multipliers,
                 BlockOut h) const override {
    h.setZero();
    for (Index b = 0; b < x.rows() && ball_; ++b)
      for (Index j = 0; j < q_; ++j) h(b, j * q_ + j) = 2 * multipliers(b, 0);
  }

 private:
  Index q_;
  bool ball_;
  std::vector<Constraint> list_;
};

Row measure_projections(const std::string& name, Index q, bool ball) {
  const BallAndGroups constraints(q, ball);
  const Matrix y = 2 * signed_numbers(3, block_size, q), theta = Matrix::Zero(block_size, 1);
  const std::vector<Matrix> factors{metric_factor(q)};
  Row row{name, q, constraints.rows()};
  row.warm = row.cold =
      least_seconds([&] { (void)project_block(constraints, theta, factors, y); }) / block_size;
  return row;
}

// |x_j| ≤ 1/2, per sample of a block in one metric.
Row measure_bounded_block(Index q) {
  const LinearConstraints constraints(q, Vector::Constant(q, -0.5), Vector::Constant(q, 0.5), {});
  const Index n = 16;
  const Matrix y = signed_numbers(3, n, q), theta = Matrix::Zero(n, 1);
  const std::vector<Matrix> factors{metric_factor(q)};
  Row row{"bounds, block in one metric", q};
  row.warm = row.cold =
      least_seconds([&] { (void)project_block(constraints, theta, factors, y); }) /
      static_cast<double>(n);
  return row;
}

void print_rows(const std::vector<Row>& rows, bool json) {
  if (json)
    std::printf("[");
  else
    std::printf("%-28s %5s %5s %7s %12s %12s\n", "microseconds", "q", "p", "active", "cold",
                "warm");
  for (const Row& r : rows)
    std::printf(json ? "%s\n  {\"program\": \"%s\", \"q\": %td, \"p\": %td, \"active\": %td, "
                       "\"cold\": %.4g, \"warm\": %.4g}"
                     : "%s%-28s %5td %5td %7td %12.2f %12.2f\n",
                json && &r != rows.data() ? "," : "", r.program.c_str(), r.q, r.p, r.active,
                1e6 * r.cold, 1e6 * r.warm);
  if (json) std::printf("]\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  print_rows({measure_program("bounds", 15, 0, 0.4, 0),
              measure_program("bounds and rows", 15, 5, 0.5, 0.1),
              measure_program("rows", 200, 100, infinity, 0.1),
              measure_program("bounds and rows", 200, 100, 0.5, 0.1),
              measure_program("bounds", 1000, 0, 0.5, 0), measure_program("bounds", 100, 0, 0.5, 0),
              measure_bounded_block(1000), measure_program("many rows", 5, 442, infinity, 0.3),
              measure_projections("projection on a ball", 15, true),
              measure_projections("projection with groups", 15, false)},
             json);
  return 0;
}
