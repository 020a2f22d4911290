#pragma once
// Formulas: parsed into one shared graph, simplified, differentiated in reverse mode (the
// derivative is again a graph), and evaluated a block of samples at a time.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/error.h"
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct Shape {
  Index rows = 1, cols = 1;  // a vector is n × 1
  [[nodiscard]] Index size() const { return rows * cols; }
  [[nodiscard]] bool is_scalar() const { return rows == 1 && cols == 1; }
  bool operator==(const Shape&) const = default;
};

struct Node {
  std::int32_t id = -1;
  bool operator==(const Node&) const = default;
};

// clang-format off
enum class Op : std::uint8_t {
  constant, input,
  // Element-wise, scalars are broadcast. Comparisons and logic give 0 or 1; select is if(c, a, b).
  add, subtract, multiply, divide, negate, power,
  less, less_equal, greater, greater_equal, equal, not_equal, logical_and, logical_or, logical_not,
  select,
  sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, sign, min, max,
  floor, ceil, erf, normcdf, normal_pdf, logistic, softplus,
  normal_quantile, gamma_quantile, beta_quantile,  // of (p), (p, shape), (p, alpha, beta)
  sum, dot, norm2,              // of all components; norm2 is the Euclidean norm, not squared
  product, transpose, outer,    // product: matrix·matrix or matrix·vector
  solve,                        // solve(A, b) = A⁻¹b for a square matrix A
  element, stack,               // x[i]; stack(a, b, …) = [a, b, …]
  masked_multiply,              // a·b, but 0 where a = 0 whatever b: derivatives of branches not taken
  lowest,                       // the smallest of all components
  same_piece,                   // of matrices A, B: 1 if A is regular as B is (see kernels.h), else 0
  huber                         // of (t, δ): t²/2 where |t| ≤ δ, else δ (|t| − δ/2)
};
// clang-format on

// Names a formula may use.
using Scope = std::map<std::string, Node, std::less<>>;

// The graph. Nodes are shared (equal sub-expressions are one node) and simplified when made. Shapes
// are checked: FormulaError with the span of the operation.
class Graph {
 public:
  Graph();
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  Node constant(double value);
  Node constant(const Matrix& value);
  // Columns [column, column + shape.size()) of input block `slot` (a matrix is stored column by
  // column).
  Node input(int slot, Index column, Shape shape = {});
  Node apply(Op op, std::span<const Node> arguments, SourceSpan span = {});
  Node element(Node vector, Index i, SourceSpan span = {});

  [[nodiscard]] Index size() const;
  [[nodiscard]] Shape shape(Node node) const;
  [[nodiscard]] SourceSpan span(Node node) const;
  [[nodiscard]] bool depends_on(Node node, int slot) const;
  [[nodiscard]] std::optional<Matrix> constant_value(Node node) const;  // if the node is constant

 private:
  friend class Program;
  friend struct GraphAccess;  // src/expression only
  struct Data;
  std::unique_ptr<Data> data_;
};

// Grammar: + − * / ^ (right associative, binds tighter than unary minus), comparisons, and/or/not
// (also && || !), parentheses, if(c, a, b), indexing x[0], vector literals [a, b, c], calls,
// numbers, names, pi. Throws FormulaError.
[[nodiscard]] Node parse(Graph& graph, std::string_view text, const Scope& names, int text_id = -1);

// "formula <= formula", with any comparison, whose sides are kept apart.
struct Relation {
  Node left, right;
  Op op;            // less, less_equal, …, as written
  SourceSpan sign;  // of the comparison
};
[[nodiscard]] Relation parse_relation(Graph& graph, std::string_view text, const Scope& names,
                                      int text_id = -1);

// ∂ scalar / ∂ input for each input node (same shape as the input): reverse mode on the graph. At
// kinks of abs, max, min, if the derivative of the branch taken is used; norm2 has derivative 0 at
// 0.
[[nodiscard]] std::vector<Node> gradient(Graph& graph, Node scalar, std::span<const Node> inputs);

// Places where the expression may fail to be differentiable (or continuous) in the inputs of
// `slot`: abs, min, max, if, sign, floor, ceil, norm2, sqrt at 0 whose argument depends on `slot`.
// `switching` is a scalar node that is zero exactly at the kink.
struct Kink {
  Node switching;
  SourceSpan span;
  bool is_tip = false;   // of norm2 or sqrt: of a cone, at a point
  bool is_many = false;  // of floor or ceil: one at every whole number
};
// Of the first derivative or a jump; or of any: where huber changes its formula, too.
enum class KinkOrder { first, any };
[[nodiscard]] std::vector<Kink> kinks(Graph& graph, Node node, int slot,
                                      KinkOrder order = KinkOrder::first);

// The degree of `node` as a polynomial in `variable`, which is the scalar `input` itself or a
// function of it, for every value of the other inputs; empty if it is none, or depends on `input`
// otherwise. Never too small; too large where terms cancel.
[[nodiscard]] std::optional<int> polynomial_degree(const Graph& graph, Node node, Node input,
                                                   Node variable);
// The same between kinks: the largest degree of the branches of if, abs, min, max.
[[nodiscard]] std::optional<int> piecewise_degree(const Graph& graph, Node node, Node input,
                                                  Node variable);

// How inputs come together in a node: it is a sum of functions of the inputs of one set each, and
// of inputs that do not count. Sets of labels, disjoint, each sorted; label(slot, column) is −1 for
// inputs that do not count.
using InputLabel = std::function<Index(int slot, Index column)>;
[[nodiscard]] std::vector<std::vector<Index>> coupled_inputs(const Graph& graph,
                                                             std::span<const Node> nodes,
                                                             const InputLabel& label);

// E of a number over random inputs of `slot`, as a formula in the other inputs; empty unless it is a
// polynomial in them with at most `most_terms` terms on the way. moment(columns) = E of the product
// of these columns of the slot, ascending, each as often as its power.
[[nodiscard]] std::optional<Node> expected_polynomial(
    Graph& graph, Node scalar, int slot,
    const std::function<double(const std::vector<Index>& columns)>& moment, Index most_terms);

// Bounds on all components of a node, and whether none of them can be 0.
struct Range {
  double lower = -infinity, upper = infinity;
  bool nonzero = false;
  [[nodiscard]] bool positive() const { return lower > 0 || (lower == 0 && nonzero); }
  [[nodiscard]] bool negative() const { return upper < 0 || (upper == 0 && nonzero); }
};
// The range of `count` columns of an input slot from `column` on.
using InputRange = std::function<Range(int slot, Index column, Index count)>;

// Something that must hold for a formula to be defined: log w needs w > 0. Where a pole divides the
// domain (1/w, solve, tan) the domain is the piece that the start lies in.
struct DomainCondition {
  Op op;               // the operation with the limited domain
  SourceSpan span;     // and its place
  Node argument;       // what is limited: a number, or the components of a vector
  Node at_start;       // the argument at the start, where the domain is the start's piece
  Node exponent;       // of a power
  Node margin;         // the condition: this is > 0, or ≥ 0 if not strict, in all components
  bool strict = true;  // whether the border is outside
};
struct Domain {
  std::vector<DomainCondition> conditions;  // inner operations first
  Node inside;  // 1 where all of them hold, else 0; id −1: no conditions
};
// The domain of a number as a function of the inputs of `slot`, whose values at the start are
// given. Conditions that always hold, or do not depend on `slot`, are left out; operations in
// branches not taken need not be defined, nor those whose result is only compared.
[[nodiscard]] Domain find_domain(Graph& graph, Node scalar, int slot, const Vector& start,
                                 const InputRange& range);

// What a node is computed from: components of inputs (slot, column), and the nodes on the way to
// them, itself included, each in order.
struct Dependence {
  std::vector<std::pair<int, Index>> inputs;
  std::vector<std::int32_t> nodes;
};
[[nodiscard]] Dependence dependence(const Graph& graph, Node node);

// The sines and cosines of multiples of a scalar node that the outputs are computed from.
struct Trigonometric {
  Node node;  // sin or cos of factor · angle
  bool sine = false;
  double factor = 1;
};
[[nodiscard]] std::vector<Trigonometric> trigonometric_functions(const Graph& graph,
                                                                 std::span<const Node> outputs,
                                                                 Node angle);

// A node whose value a program is given, in column `column` of the input slot `slot`.
struct GivenNode {
  Node node;
  int slot = 0;
  Index column = 0;
};

// A compiled evaluation of some nodes. Immutable and thread-safe; every thread brings its own
// Workspace.
class Program {
 public:
  struct Workspace {
    Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    ~Workspace();

    struct Calls;  // the instructions with their operands found, for places that come again
    Eigen::Matrix<double, Eigen::Dynamic, 1> registers;
    std::unique_ptr<Calls> calls;
  };

  Program() = default;
  // inside: 1 or 0; samples where it is 0 are outside of the domain, and all their outputs are not a
  // number.
  Program(const Graph& graph, std::span<const Node> outputs, std::span<const GivenNode> given = {},
          Node inside = {});

  // inputs[slot] is B × (columns of that slot), B ≤ block_size. outputs[i] is overwritten, B ×
  // shape(i).size(); shapes are asserted in debug builds. A slot that no output depends on may be
  // an empty block. Outputs must not overlap inputs. The values of a sample do not depend on B or
  // on its row: same bits. Allocates only while a workspace is new to the program.
  void evaluate(std::span<const Block> inputs, std::span<BlockOut> outputs,
                Workspace& workspace) const;

  // The first operation (in evaluation order) whose value is not finite at one sample, with a
  // readable reason, e.g. "log of a negative number (−5)". Inputs are 1-row blocks. Empty if all
  // values are finite.
  struct NonFinite {
    SourceSpan span;
    std::string reason;
  };
  [[nodiscard]] std::optional<NonFinite> first_non_finite(std::span<const Block> inputs) const;

  [[nodiscard]] Index instruction_count() const;
  // About how many floating-point operations a sample takes.
  [[nodiscard]] double operations() const;

 private:
  friend struct ProgramAccess;  // src/expression only
  struct Code;
  std::shared_ptr<const Code> code_;
};

// The nearest of `candidates` to `name` by edit distance, if near enough to be a slip of the pen.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

}  // namespace chaosgrad::internal
