#pragma once
// Constraints that Python functions define, beside linear ones.
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/constraints.h"
#include "core/calls.h"

namespace chaosgrad::python {

// c(x, θ) ≤ 0, or = 0 where it is affine: `rows` numbers per sample.
struct FunctionRows {
  std::string name;
  Index rows = 1;
  bool is_list = false, affine = false, equality = false;
  BlockFunction function, jacobian;      // B×rows, B×(rows q)
  std::optional<BlockFunction> hessian;  // of λ·c: h(x, θ, λ), B×q²; empty: by differences
};

// Bounds that depend on θ: B×q.
struct FunctionBounds {
  std::optional<BlockFunction> lower, upper;
};

// The components of x that a name stands for, in order.
struct VariableGroup {
  std::string name;
  Index count = 1;
  bool is_list = false;
};

class PythonConstraints final : public Constraints {
 public:
  PythonConstraints(LinearConstraints linear, FunctionBounds bounds,
                    std::vector<FunctionRows> functions, std::vector<Constraint> list)
      : linear_(std::move(linear)),
        bounds_(std::move(bounds)),
        functions_(std::move(functions)),
        list_(std::move(list)) {}

  [[nodiscard]] Index dimension() const override { return linear_.dimension(); }
  [[nodiscard]] Index rows() const override;
  [[nodiscard]] const std::vector<Constraint>& list() const override { return list_; }
  void evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const override;
  void curvature(const Block& x, const Block& theta, const Block& multipliers,
                 BlockOut h) const override;

 private:
  LinearConstraints linear_;
  FunctionBounds bounds_;
  std::vector<FunctionRows> functions_;
  std::vector<Constraint> list_;
};

// Constraints from all their parts; bounds are named after their variables. Where nothing is a
// function they are LinearConstraints, which a store can hold. Null where there are none.
[[nodiscard]] std::shared_ptr<const Constraints> make_constraints(
    const std::vector<VariableGroup>& variables, Vector lower, Vector upper,
    std::vector<LinearConstraints::Rows> linear, FunctionBounds bounds,
    std::vector<FunctionRows> functions);

}  // namespace chaosgrad::python
