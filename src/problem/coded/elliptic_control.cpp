#include "problem/coded/problems.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace chaosgrad::internal {
namespace {

// With a_0, …, a_q the scaled coefficients, A has the diagonal a_j + a_{j+1} and beside it
// −a_{j+1}. LDLᵀ without pivoting: D_0 = a_0 + a_1, l_j = −a_j / D_{j−1}, D_j = a_j + a_{j+1} + l_j
// a_j.
struct Factors {
  explicit Factors(const Matrix& a)
      : lower(a.rows(), a.cols() - 1), inverse_pivot(a.rows(), a.cols() - 1) {
    lower.col(0).setZero();
    inverse_pivot.col(0) = (a.col(0) + a.col(1)).cwiseInverse();
    for (Index j = 1; j < lower.cols(); ++j) {
      lower.col(j) = -a.col(j).cwiseProduct(inverse_pivot.col(j - 1));
      inverse_pivot.col(j) =
          (a.col(j) + a.col(j + 1) + lower.col(j).cwiseProduct(a.col(j))).cwiseInverse();
    }
  }

  // y ← A⁻¹y in every row.
  void solve(BlockOut y) const {
    const Index q = lower.cols();
    for (Index j = 1; j < q; ++j) y.col(j) -= lower.col(j).cwiseProduct(y.col(j - 1));
    y.col(q - 1).array() *= inverse_pivot.col(q - 1).array();
    for (Index j = q - 1; j-- > 0;) {
      y.col(j) =
          y.col(j).cwiseProduct(inverse_pivot.col(j)) - lower.col(j + 1).cwiseProduct(y.col(j + 1));
    }
  }

  Matrix lower, inverse_pivot;  // B × q
};

// Optimal control of a one-dimensional diffusion whose coefficient is uncertain:
//   F(x, θ) = ½ |A(θ)⁻¹x − z|² + β/2 |x|²,  θ uniform on [−1, 1]^d.
// A(θ) is the finite-difference matrix of −(0.05 a(s, θ) u′)′ on (0, 1) with u(0) = u(1) = 0, at q
// inner points, with a(s, θ) = 1 + Σ_k θ_k 0.6/k² sin(kπs) at the q + 1 midpoints: positive, since
// Σ 0.6/k² < 0.6 π²/6 < 1. The target is z(s) = 2 s(1 − s) exp(s).
class EllipticControl {
 public:
  EllipticControl(Index d, Index q, double beta)
      : parameters_(std::vector<Distribution>(static_cast<std::size_t>(d), Uniform{-1, 1})),
        beta_(beta),
        target_(q),
        modes_(d, q + 1) {
    const double h = 1 / static_cast<double>(q + 1);
    base_ = 0.05 / (h * h);
    for (Index j = 0; j < q; ++j) {
      const double s = static_cast<double>(j + 1) * h;
      target_(j) = 2 * s * (1 - s) * std::exp(s);
    }
    for (Index j = 0; j <= q; ++j) {
      const double s = (static_cast<double>(j) + 0.5) * h;
      for (Index i = 0; i < d; ++i) {
        const auto k = static_cast<double>(i + 1);
        modes_(i, j) = base_ * 0.6 / (k * k) * std::sin(k * std::numbers::pi * s);
      }
    }
  }

  [[nodiscard]] Index dimension() const { return target_.size(); }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return 0; }

  // The Hessian is A⁻² + β, and with λ(A) ≤ 4 cos²(πh/2) max a,  μ = β + 1/λ² holds for every θ.
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    const double half_step = 0.5 / static_cast<double>(target_.size() + 1);
    const double cosine = std::cos(std::numbers::pi * half_step);
    const double largest = base_ + modes_.cwiseAbs().colwise().sum().maxCoeff();
    const double lambda = 4 * cosine * cosine * largest;
    facts.strong_convexity = beta_ + 1 / (lambda * lambda);
    facts.reference = [problem = *this](Block theta, BlockOut x) { problem.reference(theta, x); };
    // The coefficient takes 2d operations at q + 1 points, the factors 6 at each, a solve 5, and
    // there are two, with 4 around them.
    facts.operations = static_cast<double>(modes_.cols()) *
                       (2 * static_cast<double>(modes_.rows()) + 6 + 2 * 5 + 4);
    return facts;
  }

  [[nodiscard]] std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    for (Index k = 1; k <= modes_.rows(); ++k) names.push_back("theta" + std::to_string(k));
    return names;
  }

  [[nodiscard]] std::vector<VariableSpec> variables() const {
    return {{.name = "x", .is_vector = true, .start = Vector::Zero(dimension())}};
  }

  void gradient(Block x, Block theta, Block /*noise*/, BlockOut g) const {
    const Factors factors(coefficient(theta));
    g = x;
    factors.solve(g);
    g.rowwise() -= target_.transpose();
    factors.solve(g);
    g += beta_ * x;
  }

  void value(Block x, Block theta, Block /*noise*/, BlockOut values) const {
    const Factors factors(coefficient(theta));
    Matrix y = x;
    factors.solve(y);
    y.rowwise() -= target_.transpose();
    values.col(0) = 0.5 * y.rowwise().squaredNorm() + 0.5 * beta_ * x.rowwise().squaredNorm();
  }

  // A⁻² + β, column by column.
  void hessian(Block x, Block theta, Block /*noise*/, BlockOut h) const {
    const Factors factors(coefficient(theta));
    const Index q = dimension();
    for (Index i = 0; i < q; ++i) {
      Matrix column = Matrix::Zero(x.rows(), q);
      column.col(i).setOnes();
      factors.solve(column);
      factors.solve(column);
      column.col(i).array() += beta_;
      h.middleCols(i * q, q) = column;
    }
  }
  [[nodiscard]] bool has_hessian() const { return dimension() <= hessian_limit; }

  // (A⁻² + β) x = A⁻¹z means x = A (I + βA²)⁻¹ z. With s = √β and (I + isA)⁻¹ = (I − isA)(I +
  // βA²)⁻¹ this is −Im(w)/s, where (I + isA) w = z: a tridiagonal system whose elimination is
  // stable without pivoting, since its real and imaginary parts are positive definite.
  void reference(Block theta, BlockOut x) const {
    using Complex = std::complex<double>;
    const Matrix a = coefficient(theta);
    const Index q = dimension();
    const double s = std::sqrt(beta_);
    Eigen::VectorXcd pivot(q), w(q);
    for (Index i = 0; i < theta.rows(); ++i) {
      for (Index j = 0; j < q; ++j) {
        pivot(j) = Complex(1, s * (a(i, j) + a(i, j + 1)));
        w(j) = target_(j);
        if (j == 0) continue;
        const Complex beside(0, -s * a(i, j));
        pivot(j) -= beside * beside / pivot(j - 1);
        w(j) -= beside / pivot(j - 1) * w(j - 1);
      }
      w(q - 1) /= pivot(q - 1);
      for (Index j = q - 1; j-- > 0;) {
        w(j) = (w(j) - Complex(0, -s * a(i, j + 1)) * w(j + 1)) / pivot(j);
      }
      x.row(i) = -w.imag().transpose() / s;
    }
  }

 private:
  [[nodiscard]] Matrix coefficient(Block theta) const {
    Matrix a = Matrix::Constant(theta.rows(), modes_.cols(), base_);
    for (Index j = 0; j < modes_.cols(); ++j) {
      for (Index k = 0; k < modes_.rows(); ++k) a.col(j) += modes_(k, j) * theta.col(k);
    }
    return a;
  }

  Measure parameters_;
  double beta_;
  Vector target_;  // z
  Matrix modes_;   // d × (q + 1): 0.05/h² · 0.6/k² sin(kπs) at the midpoints
  double base_;    // 0.05/h²
};

}  // namespace

CodedProblem elliptic_control(Index d, Index q, double beta, const QuantitySpec& quantities) {
  return CodedProblem(EllipticControl(d, q, beta), quantities);
}

}  // namespace chaosgrad::internal
