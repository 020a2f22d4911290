#pragma once
// A problem as files describe it: written as formulas, coded in C++, or computed elsewhere. One
// interface to all.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chaosgrad/formula.h"
#include "problem/coded_problem.h"
#include "problem/external_problem.h"

namespace chaosgrad::internal {

// Satisfies Problem. A cheap value: copies share what they hold.
class AnyProblem {
 public:
  // NOLINTBEGIN(google-explicit-constructor): all kinds are problems
  AnyProblem(FormulaProblem problem) : problem_(std::move(problem)) {}
  AnyProblem(CodedProblem problem) : problem_(std::move(problem)) {}
  AnyProblem(ExternalProblem problem) : problem_(std::move(problem)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] Index dimension() const {
    return std::visit([](const auto& p) { return p.dimension(); }, problem_);
  }
  [[nodiscard]] const Measure& parameters() const {
    return std::visit([](const auto& p) -> const Measure& { return p.parameters(); }, problem_);
  }
  [[nodiscard]] Index noise_dimension() const {
    return std::visit([](const auto& p) { return p.noise_dimension(); }, problem_);
  }
  [[nodiscard]] ProblemFacts facts() const {
    return std::visit([](const auto& p) { return p.facts(); }, problem_);
  }
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const {
    std::visit([&](const auto& p) { p.gradient(x, theta, noise, g); }, problem_);
  }
  void gradient(const Block& x, const Block& theta, const Block& noise, const Block& known,
                BlockOut g) const {
    std::visit([&](const auto& p) { p.gradient(x, theta, noise, known, g); }, problem_);
  }

  // Whether F is computed elsewhere, and every evaluation has its price.
  [[nodiscard]] bool is_external() const {
    return std::holds_alternative<ExternalProblem>(problem_);
  }
  // A coded problem may have a gradient only.
  [[nodiscard]] bool has_value() const {
    return std::visit([](const auto& p) { return p.has_value(); }, problem_);
  }
  // values(i, 0) = F at row i, where has_value().
  void value(Block x, Block theta, Block noise, BlockOut values) const {
    std::visit([&](const auto& p) { p.value(x, theta, noise, values); }, problem_);
  }
  [[nodiscard]] bool has_hessian() const {
    return std::visit([](const auto& p) { return p.has_hessian(); }, problem_);
  }
  // Row i of h = ∇²F at row i, where has_hessian().
  void hessian(Block x, Block theta, Block noise, BlockOut h) const {
    std::visit([&](const auto& p) { p.hessian(x, theta, noise, h); }, problem_);
  }
  // Why F or ∇F is not finite at one row; empty if that cannot be told.
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const {
    return std::visit([&](const auto& p) { return p.explain(x, theta, noise); }, problem_);
  }
  // values(i, j) = quantity j at row i.
  void quantities(Block x, Block theta, Block noise, BlockOut values) const {
    std::visit([&](const auto& p) { p.quantities(x, theta, noise, values); }, problem_);
  }
  [[nodiscard]] const std::vector<std::string>& quantity_names() const {
    return std::visit(
        [](const auto& p) -> const auto& { return p.quantity_names(); }, problem_);
  }
  // One name per component of x: "x", or "w[0]", "w[1]", … for a vector.
  [[nodiscard]] const std::vector<std::string>& component_names() const {
    return std::visit(
        [](const auto& p) -> const auto& { return p.component_names(); }, problem_);
  }
  [[nodiscard]] const std::vector<std::string>& parameter_names() const {
    return std::visit(
        [](const auto& p) -> const auto& { return p.parameter_names(); }, problem_);
  }

  // Looks for what no solver could survive, at `points` samples; throws FormulaError or InputError.
  void validate(Index points = 32) const {
    std::visit([&](const auto& p) { p.validate(points); }, problem_);
  }

 private:
  std::variant<FormulaProblem, CodedProblem, ExternalProblem> problem_;
};

}  // namespace chaosgrad::internal
