#pragma once
// Random problems whose theory is known: ∇f in closed form, x*(θ), μ, L, V and V_G; and the
// truncated problem of a level, worked out by plain sums over a fine rule.
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#include "paper/theory.h"
#include "samples/sample_source.h"

namespace chaosgrad::testing {
using namespace internal;

// θ uniform on [−π, π] unless said otherwise.
struct TheoryProblem {
  std::string name;
  Index q = 1;
  TheoryConstants constants;
  std::function<Vector(const Vector& x, double theta)> mean_gradient = {};
  std::function<Vector(double theta)> optimum = {};
  // ∇F from ∇f and two uniform numbers; empty: no noise.
  std::function<Vector(const Vector& x, double theta, const Vector& noise)> noisy_gradient = {};
  Distribution distribution = Uniform{-std::numbers::pi, std::numbers::pi};
  Family::Kind kind = Family::Kind::fourier;

  [[nodiscard]] Index dimension() const { return q; }
  [[nodiscard]] Measure parameters() const { return Measure({distribution}); }
  [[nodiscard]] Index noise_dimension() const { return noisy_gradient ? 2 : 0; }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.strong_convexity = constants.mu;
    facts.smoothness = constants.L;
    facts.noise_variance = constants.V;
    facts.noise_growth = constants.VG;
    facts.bases = {kind};
    facts.reference = [this](Block theta, BlockOut x) {
      for (Index i = 0; i < theta.rows(); ++i) x.row(i) = optimum(theta(i, 0)).transpose();
    };
    return facts;
  }
  void gradient(Block x, Block theta, Block noise, BlockOut g) const {
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector at = x.row(i).transpose();
      g.row(i) = (noisy_gradient ? noisy_gradient(at, theta(i, 0), noise.row(i).transpose())
                                 : mean_gradient(at, theta(i, 0)))
                     .transpose();
    }
  }

  // ∇F = (1 + √growth ξ)∇f + sd ζ with ξ, ζ = ±1: V = q sd² and V_G = 1 + growth hold with
  // equality.
  void add_noise(double growth, double sd) {
    constants.VG = 1 + growth;
    constants.V = static_cast<double>(q) * sd * sd;
    noisy_gradient = [mean = mean_gradient, growth, sd](const Vector& x, double theta,
                                                        const Vector& noise) {
      const double xi = noise(0) < 0.5 ? -1 : 1, zeta = noise(1) < 0.5 ? -1 : 1;
      return Vector(((1 + std::sqrt(growth) * xi) * mean(x, theta)).array() + sd * zeta);
    };
  }
};

// ½(x − x*)ᵀH(θ)(x − x*), q = 2, eigenvalues μ = 1 and L = κ in axes that turn with θ by at most
// `turn`; x* a random trigonometric sum with decaying coefficients.
inline TheoryProblem random_quadratic(unsigned seed, double kappa, double turn) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Matrix waves(2, 17);
  for (Index j = 0; j < waves.cols(); ++j) {
    for (Index i = 0; i < 2; ++i) {
      waves(i, j) = normal(generator) / std::pow(1 + static_cast<double>((j + 1) / 2), 1.5);
    }
  }
  const double angle = 3 * normal(generator);
  TheoryProblem problem{.name = "quadratic", .q = 2, .constants = {1, kappa, 0, 1}};
  problem.optimum = [waves](double theta) {
    Vector x = waves.col(0);
    for (Index j = 1; j < waves.cols(); ++j) {
      const double wave = static_cast<double>((j + 1) / 2) * theta;
      x += waves.col(j) * (j % 2 == 1 ? std::cos(wave) : std::sin(wave));
    }
    return x;
  };
  problem.mean_gradient = [optimum = problem.optimum, kappa, turn, angle](const Vector& x,
                                                                          double theta) {
    const Vector d = x - optimum(theta);
    const double phi = angle + turn * std::sin(theta), c = std::cos(phi), s = std::sin(phi);
    const double a = c * d(0) + s * d(1), b = kappa * (-s * d(0) + c * d(1));
    Vector g(2);
    g << c * a - s * b, s * a + c * b;
    return g;
  };
  return problem;
}

// μ/2|x|² + mean of log(1 + exp(−a_i(θ)·x)) over three a_i of length at most 2.
inline TheoryProblem logistic() {
  TheoryProblem problem{.name = "logistic", .q = 2, .constants = {0.25, 0.25 + 1, 0, 1}};
  using Pair = std::array<double, 2>;
  const auto direction = [](int i, double theta) -> Pair {
    const double phi = 2 * i + std::sin(theta + i);
    return {2 * std::cos(phi), (1 + std::cos(theta)) * std::sin(phi)};
  };
  problem.mean_gradient = [direction](const Vector& x, double theta) {
    Vector g = 0.25 * x;
    for (int i = 0; i < 3; ++i) {
      const Pair a = direction(i, theta);
      const double p = 1 / (1 + std::exp(a[0] * x(0) + a[1] * x(1)));
      g(0) -= a[0] * p / 3;
      g(1) -= a[1] * p / 3;
    }
    return g;
  };
  problem.optimum = [direction, gradient = problem.mean_gradient](double theta) {
    Vector x = Vector::Zero(2);
    for (int step = 0; step < 12; ++step) {  // Newton
      double h00 = 0.25, h01 = 0, h11 = 0.25;
      for (int i = 0; i < 3; ++i) {
        const Pair a = direction(i, theta);
        const double p = 1 / (1 + std::exp(a[0] * x(0) + a[1] * x(1))), w = p * (1 - p) / 3;
        h00 += w * a[0] * a[0];
        h01 += w * a[0] * a[1];
        h11 += w * a[1] * a[1];
      }
      const Vector g = gradient(x, theta);
      const double determinant = h00 * h11 - h01 * h01;
      x(0) -= (h11 * g(0) - h01 * g(1)) / determinant;
      x(1) -= (h00 * g(1) - h01 * g(0)) / determinant;
    }
    return x;
  };
  return problem;
}

// The 0.8-expectile of v uniform on [c − s, c + s], c = sin θ, s = exp(cos θ)/2. ∇F
// is 1.6-Lipschitz in v, so V = 1.6² max s²/3 and V_G = 1.
inline TheoryProblem expectile() {
  const double widest = std::exp(2.0) / 4;
  TheoryProblem problem{.name = "expectile", .constants = {0.4, 1.6, 2.56 * widest / 3, 1}};
  const auto scale = [](double theta) { return 0.5 * std::exp(std::cos(theta)); };
  problem.mean_gradient = [scale](const Vector& x, double theta) {
    const double s = scale(theta), t = (x(0) - std::sin(theta)) / s;
    double g = t < 0 ? 1.6 * s * t : 0.4 * s * t;
    if (std::abs(t) < 1) g = s * (0.2 * (1 + t) * (1 + t) - 0.8 * (1 - t) * (1 - t)) / 2;
    return Vector(Vector::Constant(1, g));
  };
  problem.optimum = [scale](double theta) {
    return Vector(Vector::Constant(1, std::sin(theta) + scale(theta) / 3));
  };
  problem.noisy_gradient = [scale](const Vector& x, double theta, const Vector& noise) {
    const double v = std::sin(theta) + scale(theta) * (2 * noise(0) - 1);
    return Vector(Vector::Constant(1, 2 * (v < x(0) ? 0.2 : 0.8) * (x(0) - v)));
  };
  return problem;
}

// H(θ) is μ or L, θ on two points with the weights that make the remainder lemma an equality.
inline TheoryProblem two_valued(double kappa) {
  const double p = kappa / (kappa + 1);  // probability of the curvature μ = 1
  TheoryProblem problem{.name = "two values", .constants = {1, kappa, 0, 1}};
  problem.optimum = [p](double theta) {
    return Vector(
        Vector::Constant(1, theta < 0.5 ? std::sqrt((1 - p) / p) : -std::sqrt(p / (1 - p))));
  };
  problem.mean_gradient = [optimum = problem.optimum, kappa](const Vector& x, double theta) {
    return Vector((theta < 0.5 ? 1 : kappa) * (x - optimum(theta)));
  };
  problem.distribution = Discrete{{0, 1}, {p, 1 - p}};
  problem.kind = Family::Kind::polynomial;
  return problem;
}

// The problem on the first m functions, by a Gauss rule.
class Truncated {
 public:
  Truncated(const TheoryProblem& problem, Index m, Index nodes = 160)
      : problem_(problem),
        basis_({Family(problem.distribution, problem.kind)}, IndexSet::first(1, m)) {
    const Family& family = basis_.families()[0];
    const Quadrature rule = family.max_degree() < 4 ? family.gauss(family.max_degree() + 1)
                                                    : piecewise_rule(family, {}, nodes);
    nodes_ = rule.nodes;
    weights_ = rule.weights;
    psi_.resize(nodes_.size(), m);
    BasisBlock block;
    for (Index j = 0; j < nodes_.size(); ++j) {
      basis_.evaluate(nodes_.segment(j, 1), m, block);
      for (Index i = 0; i < m; ++i) psi_(j, i) = block(0, i);
    }
    projection_ = coefficients(star());
    optimum_ = projection_;
    const double step = 2 / (problem.constants.mu + problem.constants.L);
    for (int k = 0; k < 20000; ++k) {
      const Coefficients d = D(optimum_);
      if (d.norm() < 1e-13 * (1 + optimum_.norm())) break;
      optimum_ -= step * d;
    }
  }

  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] const Coefficients& projection() const { return projection_; }  // P_m u*
  [[nodiscard]] const Coefficients& optimum() const { return optimum_; }        // u*_m
  [[nodiscard]] Matrix values(const Coefficients& u) const { return psi_ * u; }
  [[nodiscard]] Matrix star() const {
    Matrix x(nodes_.size(), problem_.q);
    for (Index j = 0; j < x.rows(); ++j) x.row(j) = problem_.optimum(nodes_(j)).transpose();
    return x;
  }
  [[nodiscard]] Matrix gradient(const Matrix& x) const {
    Matrix g(x.rows(), x.cols());
    for (Index j = 0; j < x.rows(); ++j) {
      g.row(j) = problem_.mean_gradient(x.row(j).transpose(), nodes_(j)).transpose();
    }
    return g;
  }
  [[nodiscard]] Coefficients coefficients(const Matrix& g) const {
    return psi_.transpose() * weights_.asDiagonal() * g;
  }
  [[nodiscard]] Coefficients D(const Coefficients& u) const {
    return coefficients(gradient(values(u)));
  }
  [[nodiscard]] double inner(const Matrix& a, const Matrix& b) const {
    return weights_.dot(a.cwiseProduct(b).rowwise().sum());
  }
  // ‖R_m u*‖² and ‖∇f(x_u)‖²_π.
  [[nodiscard]] double remainder_squared() const {
    const Matrix rest = star() - values(projection_);
    return inner(rest, rest);
  }
  [[nodiscard]] double gradient_squared(const Coefficients& u) const {
    const Matrix g = gradient(values(u));
    return inner(g, g);
  }
  // h(u) = E_π[f(x_u) − f(x*_m)] = ∫₀¹ ⟨D(u*_m + t δ), δ⟩ dt, δ = u − u*_m.
  [[nodiscard]] double excess(const Coefficients& u) const {
    const Quadrature rule = gauss_legendre(5, 0, 1);
    const Coefficients delta = u - optimum_;
    double sum = 0;
    for (Index t = 0; t < rule.nodes.size(); ++t) {
      sum += rule.weights(t) * D(optimum_ + rule.nodes(t) * delta).cwiseProduct(delta).sum();
    }
    return sum;
  }

 private:
  const TheoryProblem& problem_;
  Basis basis_;
  Vector nodes_, weights_;
  Matrix psi_;
  Coefficients projection_, optimum_;
};

// Mean and standard error.
struct Sample {
  double sum = 0, squares = 0;
  Index count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  [[nodiscard]] double error() const {
    const auto n = static_cast<double>(count);
    return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / (n - 1));
  }
};

}  // namespace chaosgrad::testing
