#pragma once
// A problem whose gradient is a Python function, as the solvers see it.
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chaosgrad/problem.h"
#include "core/calls.h"

namespace chaosgrad::python {

// v: independent numbers, or rows of a table of which each is as likely.
using Noise = std::variant<std::vector<Distribution>, Matrix>;

struct ProblemParts {
  std::optional<BlockFunction> gradient, value, hessian;
  Measure parameters;
  Noise noise;
  ProblemFacts facts;
};

// Satisfies Problem. May be called from any thread that does not hold the interpreter.
class PythonProblem {
 public:
  explicit PythonProblem(ProblemParts parts);

  [[nodiscard]] Index dimension() const { return parts_.facts.start.size(); }
  [[nodiscard]] const Measure& parameters() const { return parts_.parameters; }
  [[nodiscard]] Index noise_dimension() const;
  [[nodiscard]] ProblemFacts facts() const { return parts_.facts; }
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const;
  [[nodiscard]] bool has_value() const { return parts_.value.has_value(); }
  void value(const Block& x, const Block& theta, const Block& noise, BlockOut f) const;
  [[nodiscard]] bool has_hessian() const { return parts_.hessian.has_value(); }
  void hessian(const Block& x, const Block& theta, const Block& noise, BlockOut h) const;

  // What gradient() asks before it begins, for the time of a solve; it may throw.
  void watch(std::function<void()> before_gradient) {
    before_gradient_ = std::move(before_gradient);
  }

 private:
  void call(const BlockFunction& function, const Block& x, const Block& theta, const Block& noise,
            BlockOut& out) const;
  // v from the uniform numbers that drive it.
  [[nodiscard]] Matrix noise_values(const Block& noise) const;

  ProblemParts parts_;
  std::function<void()> before_gradient_ = {};
};

}  // namespace chaosgrad::python
