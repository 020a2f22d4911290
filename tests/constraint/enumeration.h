#pragma once
// Small quadratic programs by trying everything: independent of how they are solved.
#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "constraint/random_program.h"

namespace chaosgrad::testing {

// The x of least norm with the rows of B equal to b; empty if there is none.
inline Vector least_norm_point(const Matrix& B, const Vector& b) {
  if (B.rows() == 0) return Vector::Zero(B.cols());
  const Vector x = B.completeOrthogonalDecomposition().solve(b);
  return (B * x - b).norm() <= 1e-9 * (1 + b.norm()) ? x : Vector();
}

// Some x meets the bounds and the rows that have an unlimited multiplier: the point of least norm
// among them has that property among the points that meet some of them with equality.
class FeasibilityByEnumeration {
 public:
  explicit FeasibilityByEnumeration(const OwnProgram& program) {
    const Index q = program.y.size();
    for (Index i = 0; i < program.rows.rows(); ++i) {
      if (program.most(i) == infinity) add(program.rows.row(i), program.right(i));
      if (program.least(i) == -infinity) add(-program.rows.row(i), -program.right(i));
    }
    for (Index j = 0; j < q; ++j) {
      if (program.upper(j) < infinity) add(Matrix::Identity(q, q).row(j), program.upper(j));
      if (program.lower(j) > -infinity) add(-Matrix::Identity(q, q).row(j), -program.lower(j));
    }
    normals_.conservativeResize(right_.size(), q);
  }
  [[nodiscard]] Index size() const { return right_.size(); }
  [[nodiscard]] bool operator()() const {
    for (Index set = 0; set < Index{1} << size(); ++set) {
      std::vector<Index> members;
      for (Index i = 0; i < size(); ++i)
        if (set >> i & 1) members.push_back(i);
      if (static_cast<Index>(members.size()) > normals_.cols()) continue;
      const Vector x = least_norm_point(normals_(members, Eigen::all), right_(members));
      if (x.size() > 0 && (size() == 0 || (normals_ * x - right_).maxCoeff() <= 1e-9)) return true;
    }
    return false;
  }

 private:
  void add(const Eigen::RowVectorXd& normal, double right) {
    normals_.conservativeResize(size() + 1, normal.size());
    normals_.row(size()) = normal;
    right_.conservativeResize(size() + 1);
    right_(size() - 1) = right;
  }
  Matrix normals_;
  Vector right_;
};

// All states of all rows and bounds, by the equations of each: 3^(p + q) linear systems.
class OptimumByEnumeration {
 public:
  explicit OptimumByEnumeration(const OwnProgram& program)
      : program_(program), p_(program.rows.rows()), q_(program.y.size()) {}
  // Of the x that meet the bounds and hard rows the one of the least objective; empty: none.
  [[nodiscard]] Vector operator()() {
    Index states = 1;
    for (Index i = 0; i < p_ + q_; ++i) states *= 3;
    for (Index state = 0; state < states; ++state) consider(state);
    return best_;
  }

 private:
  // Digit i of the state: row i at its least multiplier, at its greatest, or met with equality.
  void consider(Index state) {
    Vector force = program_.M * program_.y;
    Matrix B(0, q_);
    Vector b(0);
    const auto meet = [&](const Eigen::RowVectorXd& normal, double right) {
      B.conservativeResize(B.rows() + 1, q_);
      B.bottomRows(1) = normal;
      b.conservativeResize(b.size() + 1);
      b(b.size() - 1) = right;
    };
    for (Index i = 0; i < p_ + q_; ++i, state /= 3) {
      const Index digit = state % 3;
      if (i < p_ && digit == 2) meet(program_.rows.row(i), program_.right(i));
      if (i < p_ && digit < 2) {
        const double limit = digit == 0 ? program_.least(i) : program_.most(i);
        if (std::isinf(limit)) return;
        force -= limit * program_.rows.row(i).transpose();
      }
      if (i >= p_ && digit > 0) {
        const double bound = digit == 1 ? program_.lower(i - p_) : program_.upper(i - p_);
        if (std::isinf(bound)) return;
        meet(Matrix::Identity(q_, q_).row(i - p_), bound);
      }
    }
    solve_equations(B, b, force);
  }
  void solve_equations(const Matrix& B, const Vector& b, const Vector& force) {
    const Index k = b.size();
    Matrix K = Matrix::Zero(q_ + k, q_ + k);
    K.topLeftCorner(q_, q_) = program_.M;
    K.topRightCorner(q_, k) = B.transpose();
    K.bottomLeftCorner(k, q_) = B;
    Vector right(q_ + k);
    right << force, b;
    const Vector x = K.completeOrthogonalDecomposition().solve(right).head(q_);
    if (k > 0 && (B * x - b).norm() > 1e-9 * (1 + b.norm())) return;
    const double value = objective(x);
    if (best_.size() > 0 && !(value < objective_)) return;
    if (value == infinity) return;
    best_ = x;
    objective_ = value;
  }
  [[nodiscard]] double objective(const Vector& x) const {
    constexpr double met = 1e-9;
    if ((program_.lower - x).maxCoeff() > met || (x - program_.upper).maxCoeff() > met)
      return infinity;
    double sum = 0.5 * (x - program_.y).dot(program_.M * (x - program_.y));
    for (Index i = 0; i < p_; ++i) {
      const double c = program_.rows.row(i).dot(x) - program_.right(i);
      const double limit = c > 0 ? program_.most(i) : program_.least(i);
      if (std::isfinite(limit)) sum += limit * c;
      if (std::isinf(limit) && std::abs(c) > met) return infinity;
    }
    return sum;
  }

  const OwnProgram& program_;
  Index p_, q_;
  Vector best_;
  double objective_ = infinity;
};

}  // namespace chaosgrad::testing
