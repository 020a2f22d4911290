#pragma once
// Constraints written as formulas: bounds, rows c(x, θ), their Jacobian, limits and curvature as
// programs over blocks of samples. What does not depend on x and θ is computed once.
#include <tbb/enumerable_thread_specific.h>

#include <vector>

#include "chaosgrad/constraints.h"
#include "expression/expression.h"

namespace chaosgrad::internal {

// What the programs are made of: nodes of one graph, which nothing else uses.
struct ConstraintFormulas {
  // Input slots of the graph; `multipliers` has a column per row.
  enum Slot : int { x = 0, theta = 1, multipliers = 2 };

  struct Bound {
    Index first = 0, count = 1;  // components of x
    Node value;                  // a number for all of them, or a vector
  };
  struct Rows {
    Constraint what;
    Node value;        // c: a number, or a vector of what.count
    Node least, most;  // a number for all rows, or a vector
    // ∂c_i/∂x as q numbers, where it is known beforehand; else it is derived.
    std::vector<std::vector<Node>> slopes = {};
    // Or, where it is the same everywhere, k×q.
    std::optional<Matrix> constant_slopes = {};
  };

  Graph graph;
  std::vector<Node> variables;  // inputs that fill the columns of slot x, in order
  std::vector<Bound> lower, upper;
  std::vector<Rows> rows;  // what.first counts them up
  std::vector<Constraint> bounds;
};

class FormulaConstraints final : public Constraints {
 public:
  // Fills in Constraint::affine from the derivatives.
  explicit FormulaConstraints(ConstraintFormulas formulas);

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return list_; }
  void evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const override;
  void curvature(const Block& x, const Block& theta, const Block& multipliers,
                 BlockOut h) const override;

  // The functions behind evaluate() and curvature(), for whoever writes them down elsewhere:
  // columns [first, first + size of the node) of a part, in the layout of ConstraintBlock. Columns
  // that no piece fills are 0, of lower and upper ∓∞.
  enum class Part { lower, upper, value, jacobian, least, most, curvature };
  struct Piece {
    Part part;
    Index first;
    Node node;
  };
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] Index columns(Part part) const;

 private:
  struct Scratch {
    Program::Workspace evaluation, curvature;
    std::vector<BlockOut> outputs;
  };

  void add_bounds(const std::vector<ConstraintFormulas::Bound>& bounds, Part part);
  void add_rows(const ConstraintFormulas::Rows& rows, bool& affine);
  void add_limit(Part part, const Constraint& what, Node limit);
  void add_curvature(const std::vector<ConstraintFormulas::Rows>& rows);
  void compile();

  Graph graph_;
  std::vector<Node> variables_;
  Index dimension_ = 0, rows_ = 0;
  std::vector<Constraint> list_;
  std::vector<Piece> pieces_;
  // Of pieces_: those with programs, in the order of the outputs. The others are constants.
  std::vector<Piece> evaluated_, curved_;
  // A row for each of the parts of ConstraintBlock, with its constants.
  std::vector<Vector> constants_;
  Program evaluation_, curvature_;
  mutable tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace chaosgrad::internal
