#pragma once
// Many parameters of which few matter, with a known optimum:
//   F(x, θ) = ½ Σ_i h_i (x_i − a_i(θ))²,  h_i from 1 to `condition` in equal ratios,
//   a_i(θ) = exp(Σ_k cos(i + k)/(2k) · θ_{j(k)}),  k = 1 … active,
// θ uniform on [−1, 1]^d. The active parameters are spread evenly: j(k) = ⌊(k − 1) d/active⌋.
#include <string>
#include <vector>

#include "chaosgrad/coded_problem.h"

namespace chaosgrad {

class Quadratic {
 public:
  Quadratic(Index d, Index active, Index q, double condition);

  [[nodiscard]] Index dimension() const { return curvature_.size(); }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] ProblemFacts facts() const;
  [[nodiscard]] std::vector<std::string> parameter_names() const;
  [[nodiscard]] std::vector<VariableSpec> variables() const;

  void gradient(Block x, Block theta, Block noise, BlockOut g) const;
  void value(Block x, Block theta, Block noise, BlockOut values) const;
  void reference(Block theta, BlockOut x) const;

 private:
  Measure parameters_;
  Vector curvature_;    // h
  Matrix sensitivity_;  // active × q: cos(i + k)/(2k)
};

}  // namespace chaosgrad
