#pragma once
// What a FormulaProblem is made of. Input slots of its graph: x, θ, the uniform noise numbers,
// noise that is looked up in tables, and functions of the basis.
#include <tbb/enumerable_thread_specific.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chaosgrad/formula.h"
#include "expression/expression.h"
#include "problem/formula/noise.h"

namespace chaosgrad::internal {

enum Slot : int { slot_x = 0, slot_theta = 1, slot_noise = 2, slot_table = 3, slot_known = 4 };

// A kink of the objective in x that no noise smooths. Outputs of `switching`: the node that is zero
// at the kink, and its gradient.
struct KinkProgram {
  SourceSpan span;
  Program switching;
};

// The same of a row c: the other outputs of `row` are c and its gradient.
struct RowKinkProgram {
  std::size_t row_nodes = 0;  // which of them
  Program switching, row;
};

// A condition of the domain with what is said where it is violated.
struct NamedCondition {
  DomainCondition condition;
  std::string text = {};                // the argument as written; empty if it has no text
  bool is_variable = false;             // it is a variable, or a component of one
  Shape shape = {};                     // of the argument
  std::vector<Index> variables = {};    // components of x that it depends on
  std::vector<std::size_t> noise = {};  // and named noise numbers
};

// A bound of some components of x: a number for all of them, or a vector.
struct BoundNode {
  Index first = 0, count = 1;
  Node value;
  std::vector<SourceSpan> spans = {};  // one for all, or one for each
};

// Rows c(x, θ) under one name, with the limits of their multipliers (see constraints.h).
struct RowNodes {
  Constraint what;
  Node value;        // a number, or what.count components
  Node least, most;  // a number for all of them, or as many
  SourceSpan span;
  bool is_convex = false;     // known from the rules
  bool check_weight = false;  // whether most ≥ 0 is not known yet
  // Kinks over noise on finitely many cases: a row for each (see case_rows.h).
  Matrix case_table = {};    // cases × columns of slot_table
  Vector case_weights = {};  // their probabilities; empty: no noise
  // How many times the rows are there.
  [[nodiscard]] Index case_count(const Graph& graph) const {
    return graph.depends_on(value, slot_table) ? case_weights.size() : 1;
  }
};

// Whether F is the formula of the spec, or computed elsewhere (see external_problem.h): then a
// quadratic one stands in for it, whose gradient nobody asks for.
enum class ObjectiveKind { formula, external };

struct FormulaData {
  explicit FormulaData(const FormulaSpec& spec, ObjectiveKind kind = ObjectiveKind::formula);

  mutable Graph graph;  // grows when a Hessian is made
  mutable std::mutex graph_grows;
  Measure measure;
  Index dimension = 0;
  Index noise_dimension = 0;
  ProblemFacts facts;
  std::vector<std::string> component_names, parameter_names, quantity_names;
  SourceSpan objective_span;

  // Noise on finitely many values: column j of slot_table is its quantile at noise column
  // finite_source[j].
  std::vector<Distribution> finite;
  std::vector<Index> finite_source;
  Matrix rows;            // the table's rows, appended to slot_table after the finite ones
  Index row_source = -1;  // the noise column that picks the row

  std::vector<BoundNode> lower, upper;
  Vector least_x, most_x;  // between which the bounds leave x, whatever θ is
  std::vector<RowNodes> row_nodes;

  Node objective;  // its smooth part, where some of the rows are kinks
  Domain domain;   // of the objective as a function of x
  std::vector<NamedCondition> conditions;
  std::vector<std::pair<std::string, Node>> noise_numbers;  // by name
  Program noise_program;                                    // their values, where F is external
  std::vector<Node> noise_values;         // of each noise column; id −1 if it chooses among cases
  std::optional<NoiseShape> noise_shape;  // see noise_facts.h
  Program switching_program;              // the functions of its kinks
  Program condition_program;              // its outputs: see formula_domain.cpp
  std::vector<Index> condition_widths;    // and their sizes
  std::vector<Node> gradient;             // one per variable, of the variable's shape
  std::vector<Node> variables;
  std::vector<PositiveArgument> positive;
  std::vector<Program> positive_programs;
  std::vector<KinkProgram> kink_programs;
  std::vector<RowKinkProgram> row_kink_programs;
  bool has_reference = false;
  Program value_program, gradient_program, reference_program, quantity_program;
  Program known_gradient_program;  // with facts.known given

  // ∇²F, row by row; made when it is first asked for. Not for more variables than hessian_limit.
  static constexpr Index hessian_limit = 50;
  [[nodiscard]] const Program& hessian_program() const;
  mutable std::once_flag hessian_made;
  mutable Program hessian_code;

  // The objective as a mean over its noise, where it is known (see noise_facts.h).
  struct Expected {
    Node objective;
    std::vector<Node> gradient;
    Program value_program, gradient_program;
  };
  std::optional<Expected> expected;
  [[nodiscard]] const Program& expected_hessian_program() const;
  mutable std::once_flag expected_hessian_made;
  mutable Program expected_hessian_code;
  [[nodiscard]] std::vector<Index> hessian_widths() const;  // of the outputs of both

  struct Scratch {
    Program::Workspace workspace;
    Matrix table;
    std::vector<BlockOut> outputs;
  };
  mutable tbb::enumerable_thread_specific<Scratch> scratch;

  // Runs a program on a block; `outputs` are consecutive column ranges of `out`, one per output of
  // the program.
  void run(const Program& program, const std::vector<Index>& widths, const Block& x,
           const Block& theta, const Block& noise, const Block& known, BlockOut& out) const;
  void fill_table(const Block& noise, Matrix& table) const;
  // The noise column that a column of slot_noise or slot_table comes from; −1 for other slots.
  [[nodiscard]] Index noise_number(int slot, Index column) const {
    if (slot == slot_noise) return column;
    if (slot != slot_table) return -1;
    const auto count = static_cast<Index>(finite.size());
    return column < count ? finite_source[static_cast<std::size_t>(column)] : row_source;
  }
  [[nodiscard]] Index table_columns() const {
    return static_cast<Index>(finite.size()) + rows.cols();
  }

  std::vector<Index> variable_widths, quantity_widths;
};

// x*(θ) where has_reference.
[[nodiscard]] std::function<void(Block, BlockOut)> reference_of(
    std::shared_ptr<const FormulaData> data);

}  // namespace chaosgrad::internal
