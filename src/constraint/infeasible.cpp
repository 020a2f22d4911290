#include "constraint/infeasible.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "constraint/projection.h"

namespace chaosgrad::internal {
namespace {

using Kind = Constraint::Kind;

// Some of the constraints: the others do not hold x back.
class SomeConstraints final : public Constraints {
 public:
  explicit SomeConstraints(const Constraints& all) : all_(all), kept(all.list().size(), true) {}

  [[nodiscard]] Index dimension() const override { return all_.dimension(); }
  [[nodiscard]] Index rows() const override { return all_.rows(); }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return all_.list(); }
  void evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const override {
    all_.evaluate(x, theta, at);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const Constraint& one = list()[k];
      if (kept[k]) continue;
      if (one.kind == Kind::lower) {
        at.lower.middleCols(one.first, one.count).setConstant(-infinity);
      } else if (one.kind == Kind::upper) {
        at.upper.middleCols(one.first, one.count).setConstant(infinity);
      } else {
        at.least.middleCols(one.first, one.count).setZero();
        at.most.middleCols(one.first, one.count).setZero();
      }
    }
  }
  void curvature(const Block& x, const Block& theta, const Block& multipliers,
                 BlockOut h) const override {
    all_.curvature(x, theta, multipliers, h);
  }

  [[nodiscard]] bool are_feasible(const Vector& theta) const {
    // C(θ) does not depend on the metric.
    const Index q = dimension();
    return project(*this, theta, Matrix::Identity(q, q), Vector::Zero(q)).outcome ==
           QuadraticSolution::Outcome::solved;
  }

 private:
  const Constraints& all_;

 public:
  std::vector<bool> kept;  // by place in the list
};

}  // namespace

// What is left after leaving out every constraint without which the others contradict each other
// still: each of the rest is part of it.
std::string contradiction(const Constraints& constraints, const Vector& theta) {
  SomeConstraints some(constraints);
  if (some.are_feasible(theta)) return {};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < some.kept.size(); ++k) {
    some.kept[k] = false;
    if (!some.are_feasible(theta)) continue;
    some.kept[k] = true;
    names.push_back("'" + constraints.list()[k].name + "'");
  }
  if (names.empty()) return "the nearest point that satisfies them was not found";
  if (names.size() == 1) return names[0] + " cannot be met";
  return fmt::format("{} contradict each other", fmt::join(names, ", "));
}

std::string why_infeasible(const Constraints& constraints, const Vector& theta) {
  const std::string names = contradiction(constraints, theta);
  return names.empty() ? names : "no x satisfies the constraints: " + names;
}

}  // namespace chaosgrad::internal
