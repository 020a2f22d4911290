#include <fmt/format.h>

#include "chaosgrad/lift.h"

namespace chaosgrad {

std::vector<std::string> multiplier_names(const Constraints& constraints) {
  std::vector<std::string> names;
  for (const Constraint& one : constraints.list()) {
    if (one.kind == Constraint::Kind::kink) continue;
    for (Index i = 0; i < one.count; ++i)
      names.push_back(one.is_list ? fmt::format("{}[{}]", one.name, i) : one.name);
  }
  return names;
}

Matrix multipliers(const Constraints& constraints, const LiftedBlock& at) {
  using enum Constraint::Kind;
  // NaN stays what it is.
  const auto upwards = [](double force) { return force <= 0 ? 0 : force; };
  const auto downwards = [](double force) { return force >= 0 ? 0 : -force; };
  Index columns = 0;
  for (const Constraint& one : constraints.list()) columns += one.kind == kink ? 0 : one.count;
  Matrix result(at.x.rows(), columns);
  Index column = 0;
  for (const Constraint& one : constraints.list()) {
    if (one.kind == kink) continue;
    auto part = result.middleCols(column, one.count);
    column += one.count;
    if (one.kind == lower) {
      part = at.bound_multipliers.middleCols(one.first, one.count).unaryExpr(downwards);
    } else if (one.kind == upper) {
      part = at.bound_multipliers.middleCols(one.first, one.count).unaryExpr(upwards);
    } else {
      part = at.row_multipliers.middleCols(one.first, one.count);
    }
  }
  return result;
}

}  // namespace chaosgrad
