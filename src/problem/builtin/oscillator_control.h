#pragma once
// Bringing a damped oscillator to rest: m y″ + c y′ + k y = x(t), y(0) = 1, y′(0) = 0, with
// uncertain mass, damping and stiffness. The control x is constant on each of q intervals of length
// h = horizon/q; the state s = (y, y′) moves by the implicit midpoint rule, s_{j+1} = Φs_j + Γx_j:
//   F(x, θ) = h/2 Σ_{j=1}^{q} |s_j|² + hρ/2 Σ_{j=0}^{q−1} x_j².
#include <string>
#include <vector>

#include "chaosgrad/coded_problem.h"

namespace chaosgrad {

class OscillatorControl {
 public:
  OscillatorControl(Index q, double horizon, double weight);

  [[nodiscard]] Index dimension() const { return q_; }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] ProblemFacts facts() const;
  [[nodiscard]] std::vector<std::string> parameter_names() const;
  [[nodiscard]] std::vector<VariableSpec> variables() const;

  void gradient(Block x, Block theta, Block noise, BlockOut g) const;
  void value(Block x, Block theta, Block noise, BlockOut values) const;
  void reference(Block theta, BlockOut x) const;

 private:
  struct Motion;  // Φ and Γ of each sample
  Measure parameters_;
  Index q_;
  double step_, weight_;  // h, ρ
};

}  // namespace chaosgrad
