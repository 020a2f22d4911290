#pragma once
// A number that may change along a run: a constant, a formula in k, m, M, Q, mu, L, V, VG, or any
// function of them.
#include <functional>
#include <string>
#include <string_view>

#include "chaosgrad/expression.h"

namespace chaosgrad {

// What a schedule may depend on at iteration k.
struct ScheduleInputs {
  double k = 1;          // iteration, from 1
  double m = 1;          // basis size
  double M = 1;          // samples
  double Q = 1;          // sup Σ ψ_i², or m under Christoffel sampling
  double mu = 1, L = 1;  // strong convexity, smoothness
  double V = 0, VG = 1;  // noise: E|∇F|² ≤ V + V_G |∇f|²
};

class Schedule {
 public:
  Schedule(double value);  // NOLINT(google-explicit-constructor)
  Schedule(std::string_view formula,
           int text_id = -1);  // NOLINT(google-explicit-constructor): throws FormulaError
  Schedule(const char* formula)
      : Schedule(std::string_view(formula)) {}  // NOLINT(google-explicit-constructor)
  explicit Schedule(std::function<double(const ScheduleInputs&)> function);

  [[nodiscard]] double operator()(const ScheduleInputs& inputs) const { return function_(inputs); }
  [[nodiscard]] const std::string& text() const { return text_; }
  // Whether the value may depend on the input of this name; functions may depend on all.
  [[nodiscard]] bool uses(std::string_view name) const;

 private:
  std::function<double(const ScheduleInputs&)> function_;
  std::string text_;
  unsigned used_ = 0;  // bit i: input i
};

}  // namespace chaosgrad
