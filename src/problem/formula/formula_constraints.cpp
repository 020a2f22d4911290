#include "problem/formula/formula_constraints.h"

#include <array>

namespace chaosgrad::internal {
namespace {

using Part = FormulaConstraints::Part;

constexpr std::array evaluated_parts = {Part::lower,    Part::upper, Part::value,
                                        Part::jacobian, Part::least, Part::most};

Matrix& matrix_of(Part part, ConstraintBlock& at) {
  switch (part) {
    case Part::lower:
      return at.lower;
    case Part::upper:
      return at.upper;
    case Part::value:
      return at.value;
    case Part::jacobian:
      return at.jacobian;
    case Part::least:
      return at.least;
    default:
      return at.most;
  }
}

double otherwise(Part part) {
  return part == Part::lower ? -infinity : part == Part::upper ? infinity : 0;
}

// A number as a vector of equal components.
Node filled(Graph& graph, Node node, Index count) {
  if (graph.shape(node).size() == count) return node;
  if (const auto value = graph.constant_value(node))
    return graph.constant(Matrix(Matrix::Constant(count, 1, (*value)(0, 0))));
  const Node ones = graph.constant(Matrix(Matrix::Ones(count, 1)));
  return graph.apply(Op::multiply, std::array{node, ones});
}

}  // namespace

FormulaConstraints::FormulaConstraints(ConstraintFormulas formulas)
    : graph_(std::move(formulas.graph)),
      variables_(std::move(formulas.variables)),
      list_(std::move(formulas.bounds)) {
  for (const Node variable : variables_) dimension_ += graph_.shape(variable).size();
  add_bounds(formulas.lower, Part::lower);
  add_bounds(formulas.upper, Part::upper);
  for (ConstraintFormulas::Rows& rows : formulas.rows) {
    rows_ += rows.what.count;
    add_rows(rows, rows.what.affine);
    list_.push_back(rows.what);
  }
  add_curvature(formulas.rows);
  compile();
}

Index FormulaConstraints::columns(Part part) const {
  if (part == Part::lower || part == Part::upper) return dimension_;
  if (part == Part::jacobian) return rows_ * dimension_;
  return part == Part::curvature ? dimension_ * dimension_ : rows_;
}

void FormulaConstraints::add_bounds(const std::vector<ConstraintFormulas::Bound>& bounds,
                                    Part part) {
  for (const ConstraintFormulas::Bound& bound : bounds)
    pieces_.push_back({part, bound.first, filled(graph_, bound.value, bound.count)});
}

void FormulaConstraints::add_limit(Part part, const Constraint& what, Node limit) {
  pieces_.push_back({part, what.first, filled(graph_, limit, what.count)});
}

void FormulaConstraints::add_rows(const ConstraintFormulas::Rows& rows, bool& affine) {
  const Constraint& what = rows.what;
  pieces_.push_back({Part::value, what.first, rows.value});
  add_limit(Part::least, what, rows.least);
  add_limit(Part::most, what, rows.most);
  affine = true;
  for (Index i = 0; i < what.count; ++i) {
    std::vector<Node> slopes;
    if (rows.constant_slopes)
      slopes = {graph_.constant(Matrix(rows.constant_slopes->row(i).transpose()))};
    else if (!rows.slopes.empty())
      slopes = rows.slopes[static_cast<std::size_t>(i)];
    else
      slopes = gradient(graph_, graph_.element(rows.value, i), variables_);
    Index column = (what.first + i) * dimension_;
    for (const Node slope : slopes) {
      pieces_.push_back({Part::jacobian, column, slope});
      column += graph_.shape(slope).size();
      affine = affine && !graph_.depends_on(slope, ConstraintFormulas::x);
    }
  }
}

// ∇² of Σ λ_i c_i over the rows that are not affine.
void FormulaConstraints::add_curvature(const std::vector<ConstraintFormulas::Rows>& rows) {
  Node lagrangian;
  for (const ConstraintFormulas::Rows& part : rows) {
    if (part.what.affine) continue;
    const Node lambda =
        graph_.input(ConstraintFormulas::multipliers, part.what.first, {part.what.count, 1});
    const Node term = graph_.apply(Op::dot, std::array{lambda, part.value});
    lagrangian = lagrangian.id < 0 ? term : graph_.apply(Op::add, std::array{lagrangian, term});
  }
  if (lagrangian.id < 0) return;
  Index column = 0;
  for (const Node part : gradient(graph_, lagrangian, variables_)) {
    for (Index i = 0; i < graph_.shape(part).size(); ++i) {
      for (const Node entry : gradient(graph_, graph_.element(part, i), variables_)) {
        pieces_.push_back({Part::curvature, column, entry});
        column += graph_.shape(entry).size();
      }
    }
  }
}

void FormulaConstraints::compile() {
  for (const Part part : evaluated_parts)
    constants_.push_back(Vector::Constant(columns(part), otherwise(part)));
  std::vector<Node> evaluated, curved;
  for (const Piece& piece : pieces_) {
    const auto value = graph_.constant_value(piece.node);
    if (value && piece.part != Part::curvature) {
      constants_[static_cast<std::size_t>(piece.part)].segment(piece.first, value->size()) =
          value->reshaped();
    } else if (!(value && value->isZero(0))) {
      const bool is_curvature = piece.part == Part::curvature;
      (is_curvature ? curved_ : evaluated_).push_back(piece);
      (is_curvature ? curved : evaluated).push_back(piece.node);
    }
  }
  evaluation_ = Program(graph_, evaluated);
  curvature_ = Program(graph_, curved);
}

void FormulaConstraints::evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const {
  const Index count = theta.rows();
  for (const Part part : evaluated_parts) {
    Matrix& matrix = matrix_of(part, at);
    const Vector& constants = constants_[static_cast<std::size_t>(part)];
    matrix.resize(count, constants.size());
    matrix.rowwise() = constants.transpose();
  }
  if (evaluated_.empty()) return;
  Scratch& local = scratch_.local();
  local.outputs.clear();
  for (const Piece& piece : evaluated_)
    local.outputs.emplace_back(
        matrix_of(piece.part, at).middleCols(piece.first, graph_.shape(piece.node).size()));
  const std::array<Block, 3> inputs = {x, theta, theta};
  evaluation_.evaluate(inputs, local.outputs, local.evaluation);
}

void FormulaConstraints::curvature(const Block& x, const Block& theta, const Block& multipliers,
                                   BlockOut h) const {
  h.setZero();
  if (curved_.empty()) return;
  Scratch& local = scratch_.local();
  local.outputs.clear();
  for (const Piece& piece : curved_)
    local.outputs.emplace_back(h.middleCols(piece.first, graph_.shape(piece.node).size()));
  const std::array<Block, 3> inputs = {x, theta, multipliers};
  curvature_.evaluate(inputs, local.outputs, local.curvature);
}

}  // namespace chaosgrad::internal
