#pragma once
// Constraints of every sort for tests: affine rows, ellipsoids, log-sum-exp rows and norms.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "chaosgrad/constraints.h"

namespace chaosgrad::testing {

// One row of c: its value, gradient and Hessian.
class Row {
 public:
  virtual ~Row() = default;
  [[nodiscard]] virtual double value(const Vector& x) const = 0;
  [[nodiscard]] virtual Vector gradient(const Vector& x) const = 0;
  [[nodiscard]] virtual Matrix hessian(const Vector& x) const = 0;
};

struct AffineRow final : Row {
  AffineRow(Vector normal, double limit) : a(std::move(normal)), b(limit) {}
  [[nodiscard]] double value(const Vector& x) const override { return a.dot(x) - b; }
  [[nodiscard]] Vector gradient(const Vector&) const override { return a; }
  [[nodiscard]] Matrix hessian(const Vector& x) const override {
    return Matrix::Zero(x.size(), x.size());
  }
  Vector a;
  double b;
};

// (x − centre)ᵀ P (x − centre) − size.
struct EllipsoidRow final : Row {
  EllipsoidRow(Matrix shape, Vector middle, double limit)
      : P(std::move(shape)), centre(std::move(middle)), size(limit) {}
  [[nodiscard]] double value(const Vector& x) const override {
    return (x - centre).dot(P * (x - centre)) - size;
  }
  [[nodiscard]] Vector gradient(const Vector& x) const override { return 2 * P * (x - centre); }
  [[nodiscard]] Matrix hessian(const Vector&) const override { return 2 * P; }
  Matrix P;
  Vector centre;
  double size;
};

// log Σ_k exp(A x)_k − b.
struct LogSumExpRow final : Row {
  LogSumExpRow(Matrix exponents, double limit) : A(std::move(exponents)), b(limit) {}
  [[nodiscard]] Vector shares(const Vector& x) const {
    const Vector t = A * x;
    const Vector e = (t.array() - t.maxCoeff()).exp();
    return e / e.sum();
  }
  [[nodiscard]] double value(const Vector& x) const override {
    const Vector t = A * x;
    return t.maxCoeff() + std::log((t.array() - t.maxCoeff()).exp().sum()) - b;
  }
  [[nodiscard]] Vector gradient(const Vector& x) const override {
    return A.transpose() * shares(x);
  }
  [[nodiscard]] Matrix hessian(const Vector& x) const override {
    const Vector s = shares(x), g = A.transpose() * s;
    return A.transpose() * s.asDiagonal() * A - g * g.transpose();
  }
  Matrix A;
  double b;
};

class CurvedConstraints final : public Constraints {
 public:
  explicit CurvedConstraints(Index dimension)
      : lower(Vector::Constant(dimension, -infinity)),
        upper(Vector::Constant(dimension, infinity)),
        dimension_(dimension) {}

  void add(std::shared_ptr<const Row> row, double least, double most) {
    const bool affine = dynamic_cast<const AffineRow*>(row.get()) != nullptr;
    const auto kind = std::isfinite(most)  ? Constraint::Kind::kink
                      : least == -infinity ? Constraint::Kind::equality
                                           : Constraint::Kind::inequality;
    list_.push_back({.name = "row" + std::to_string(list_.size()),
                     .kind = kind,
                     .first = rows(),
                     .affine = affine});
    push(std::move(row), least, most);
  }
  // weight |A x − b|₂.
  void add_norm(const Matrix& A, const Vector& b, double weight) {
    list_.push_back({.name = "norm" + std::to_string(list_.size()),
                     .kind = Constraint::Kind::kink,
                     .first = rows(),
                     .count = A.rows(),
                     .norm = true,
                     .is_list = true});
    for (Index i = 0; i < A.rows(); ++i)
      push(std::make_shared<AffineRow>(A.row(i).transpose(), b(i)), -weight, weight);
  }

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index rows() const override { return static_cast<Index>(rows_.size()); }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return list_; }
  void evaluate(const Block& x, const Block& /*theta*/, ConstraintBlock& at) const override {
    const Index n = x.rows(), p = rows(), q = dimension_;
    at.lower = lower.transpose().replicate(n, 1);
    at.upper = upper.transpose().replicate(n, 1);
    at.value.resize(n, p), at.least.resize(n, p), at.most.resize(n, p);
    at.jacobian.resize(n, p * q);
    for (Index b = 0; b < n; ++b) {
      for (Index i = 0; i < p; ++i) {
        const auto k = static_cast<std::size_t>(i);
        at.value(b, i) = rows_[k]->value(x.row(b));
        at.jacobian.row(b).segment(i * q, q) = rows_[k]->gradient(x.row(b)).transpose();
        at.least(b, i) = least_[k], at.most(b, i) = most_[k];
      }
    }
    evaluations += n;
  }
  void curvature(const Block& x, const Block& /*theta*/, const Block& multipliers,
                 BlockOut h) const override {
    h.setZero();
    for (Index b = 0; b < x.rows(); ++b) {
      Matrix sum = Matrix::Zero(dimension_, dimension_);
      for (Index i = 0; i < rows(); ++i)
        sum += multipliers(b, i) * rows_[static_cast<std::size_t>(i)]->hessian(x.row(b));
      h.row(b) = sum.reshaped().transpose();
    }
  }

  Vector lower, upper;
  mutable Index evaluations = 0;  // samples, of all calls

 private:
  void push(std::shared_ptr<const Row> row, double least, double most) {
    rows_.push_back(std::move(row));
    least_.push_back(least);
    most_.push_back(most);
  }
  Index dimension_;
  std::vector<std::shared_ptr<const Row>> rows_;
  std::vector<double> least_, most_;
  std::vector<Constraint> list_;
};

}  // namespace chaosgrad::testing
