#include "problem/coded/problems.h"

#include <cmath>

namespace chaosgrad::internal {
namespace {

// Many parameters of which few matter, with a known optimum:
//   F(x, θ) = ½ Σ_i h_i (x_i − a_i(θ))²,  h_i from 1 to `condition` in equal ratios,
//   a_i(θ) = exp(Σ_k cos(i + k)/(2k) · θ_{j(k)}),  k = 1 … active,
// θ uniform on [−1, 1]^d. The active parameters are spread evenly: j(k) = ⌊(k − 1) d/active⌋.
class Quadratic {
 public:
  Quadratic(Index d, Index active, Index q, double condition)
      : parameters_(std::vector<Distribution>(static_cast<std::size_t>(d), Uniform{-1, 1})),
        curvature_(q),
        sensitivity_(active, q) {
    for (Index i = 0; i < q; ++i) {
      const double share = q > 1 ? static_cast<double>(i) / static_cast<double>(q - 1) : 0;
      curvature_(i) = std::pow(condition, share);
      for (Index k = 1; k <= active; ++k) {
        sensitivity_(k - 1, i) = std::cos(static_cast<double>(i + k)) / static_cast<double>(2 * k);
      }
    }
  }

  [[nodiscard]] Index dimension() const { return curvature_.size(); }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return 0; }

  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.strong_convexity = curvature_.minCoeff();
    facts.smoothness = curvature_.maxCoeff();
    facts.reference = [problem = *this](Block theta, BlockOut x) { problem.reference(theta, x); };
    // Each a_i is a sum of 2·active operations and an exponential (about 20); then h_i (x_i − a_i).
    facts.operations =
        static_cast<double>(dimension()) * (2 * static_cast<double>(sensitivity_.rows()) + 22);
    return facts;
  }

  [[nodiscard]] std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    for (Index k = 1; k <= parameters_.dimension(); ++k)
      names.push_back("theta" + std::to_string(k));
    return names;
  }

  [[nodiscard]] std::vector<VariableSpec> variables() const {
    return {{.name = "x", .is_vector = true, .start = Vector::Zero(dimension())}};
  }

  void reference(Block theta, BlockOut x) const {
    const Index d = parameters_.dimension(), active = sensitivity_.rows();
    x.setZero();
    for (Index i = 0; i < dimension(); ++i) {
      for (Index k = 0; k < active; ++k) x.col(i) += sensitivity_(k, i) * theta.col(k * d / active);
      x.col(i) = x.col(i).array().exp();
    }
  }

  void gradient(Block x, Block theta, Block /*noise*/, BlockOut g) const {
    reference(theta, g);
    g = (x - g) * curvature_.asDiagonal();
  }

  void value(Block x, Block theta, Block /*noise*/, BlockOut values) const {
    Matrix difference(x.rows(), x.cols());
    reference(theta, difference);
    difference = x - difference;
    values.col(0) = 0.5 * difference.cwiseAbs2() * curvature_;
  }

  // diag(h) at every row.
  void hessian(Block /*x*/, Block /*theta*/, Block /*noise*/, BlockOut h) const {
    const Index q = dimension();
    h.setZero();
    for (Index i = 0; i < q; ++i) h.col(i * q + i).setConstant(curvature_(i));
  }
  [[nodiscard]] bool has_hessian() const { return dimension() <= hessian_limit; }

 private:
  Measure parameters_;
  Vector curvature_;    // h
  Matrix sensitivity_;  // active × q: cos(i + k)/(2k)
};

}  // namespace

CodedProblem quadratic(Index d, Index active, Index q, double condition,
                       const QuantitySpec& quantities) {
  return CodedProblem(Quadratic(d, active, q, condition), quantities);
}

}  // namespace chaosgrad::internal
