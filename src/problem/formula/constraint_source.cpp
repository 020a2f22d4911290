#include "problem/formula/constraint_source.h"

#include <fmt/format.h>

#include <array>

#include "chaosgrad/error.h"
#include "problem/formula/formula_constraints.h"

namespace chaosgrad::internal {
namespace {

using Part = FormulaConstraints::Part;

constexpr std::array<const char*, 7> part_names = {"lower", "upper", "value",    "jacobian",
                                                   "least", "most",  "curvature"};

// The same constraints as formulas: they are affine in x, and the same for every θ.
FormulaConstraints as_formulas(const LinearConstraints& constraints) {
  const Index q = constraints.dimension(), p = constraints.rows();
  ConstraintBlock at;
  constraints.evaluate(Matrix::Zero(1, q), Matrix::Zero(1, 1), at);
  ConstraintFormulas formulas;
  Graph& graph = formulas.graph;
  formulas.variables = {graph.input(ConstraintFormulas::x, 0, {q, 1})};
  const auto column = [&](const Matrix& row) { return graph.constant(Matrix(row.transpose())); };
  formulas.lower = {{0, q, column(at.lower)}};
  formulas.upper = {{0, q, column(at.upper)}};
  if (p > 0) {
    const Matrix rows = at.jacobian.reshaped(q, p).transpose();
    const Node product =
        graph.apply(Op::product, std::array{graph.constant(rows), formulas.variables[0]});
    ConstraintFormulas::Rows all;
    all.what.count = p;
    all.value = graph.apply(Op::add, std::array{product, column(at.value)});
    all.least = column(at.least);
    all.most = column(at.most);
    all.constant_slopes = rows;
    formulas.rows.push_back(std::move(all));
  }
  return FormulaConstraints(std::move(formulas));
}

SourceFunction function_of(const FormulaConstraints& constraints, const std::string& name,
                           bool curvature) {
  SourceFunction function{name + (curvature ? "_curvature" : ""),
                          {{ConstraintFormulas::x, "x"}, {ConstraintFormulas::theta, "theta"}},
                          {}};
  if (curvature) function.inputs.emplace_back(ConstraintFormulas::multipliers, "multipliers");
  for (std::size_t k = 0; k < part_names.size(); ++k) {
    const Part part = static_cast<Part>(k);
    if ((part == Part::curvature) != curvature) continue;
    const double otherwise = part == Part::lower ? -infinity : part == Part::upper ? infinity : 0;
    SourceFunction::Output output{part_names[k], constraints.columns(part), otherwise, {}};
    for (const FormulaConstraints::Piece& piece : constraints.pieces()) {
      if (piece.part == part) output.parts.emplace_back(piece.first, piece.node);
    }
    function.outputs.push_back(std::move(output));
  }
  return function;
}

std::string written(const FormulaConstraints& constraints, const std::string& name,
                    SourceLanguage language) {
  const bool curved = !constraints.is_affine();
  const auto text = [&](bool curvature) {
    return source_code(constraints.graph(), function_of(constraints, name, curvature), language);
  };
  if (language == SourceLanguage::json)
    return fmt::format("{{\"evaluate\":{},\n\"curvature\":{}}}", text(false),
                       curved ? text(true) : "null");
  return curved ? text(false) + text(true) : text(false);
}

}  // namespace

std::string constraint_source(const Constraints& constraints, const std::string& name,
                              SourceLanguage language) {
  if (const auto* formulas = dynamic_cast<const FormulaConstraints*>(&constraints))
    return written(*formulas, name, language);
  if (const auto* linear = dynamic_cast<const LinearConstraints*>(&constraints))
    return written(as_formulas(*linear), name, language);
  throw InputError("export", "constraints that are coded cannot be written in other languages");
}

}  // namespace chaosgrad::internal
