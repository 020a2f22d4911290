#pragma once
// Optimal control of a one-dimensional diffusion whose coefficient is uncertain:
//   F(x, θ) = ½ |A(θ)⁻¹x − z|² + β/2 |x|²,  θ uniform on [−1, 1]^d.
// A(θ) is the finite-difference matrix of −(0.05 a(s, θ) u′)′ on (0, 1) with u(0) = u(1) = 0, at q
// inner points, with a(s, θ) = 1 + Σ_k θ_k 0.6/k² sin(kπs) at the q + 1 midpoints: positive, since
// Σ 0.6/k² < 0.6 π²/6 < 1. The target is z(s) = 2 s(1 − s) exp(s).
#include <string>
#include <vector>

#include "chaosgrad/coded_problem.h"

namespace chaosgrad {

class EllipticControl {
 public:
  EllipticControl(Index d, Index q, double beta);

  [[nodiscard]] Index dimension() const { return target_.size(); }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] ProblemFacts facts() const;
  [[nodiscard]] std::vector<std::string> parameter_names() const;
  [[nodiscard]] std::vector<VariableSpec> variables() const;

  void gradient(Block x, Block theta, Block noise, BlockOut g) const;
  void value(Block x, Block theta, Block noise, BlockOut values) const;
  void reference(Block theta, BlockOut x) const;

 private:
  struct Factors;  // A = (I + L) D (I + L)ᵀ of each sample
  [[nodiscard]] Matrix coefficient(Block theta) const;

  Measure parameters_;
  double beta_;
  Vector target_;  // z
  Matrix modes_;   // d × (q + 1): 0.05/h² · 0.6/k² sin(kπs) at the midpoints
  double base_;    // 0.05/h²
};

}  // namespace chaosgrad
