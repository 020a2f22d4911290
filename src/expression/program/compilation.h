#pragma once
// The work table of the compiler: the needed nodes, and the instructions that compute them while
// their registers are not known.
#include <limits>

#include "expression/graph/graph_data.h"
#include "expression/program/code.h"
#include "expression/program/registers.h"

namespace chaosgrad::internal {

struct CompileOptions {
  bool reuse_registers = true;  // also: results straight into the outputs
  bool fuse = true;
};

// An instruction and the nodes it works on.
struct Draft {
  Instruction instruction;
  Node out, second;
  Index out_column = 0;
  Node arguments[3];
  bool in_place = false;  // may overwrite its own operands
};

class Compilation {
 public:
  // Finds what the outputs need, which products are fused into sums, and which numbers are computed
  // inside their vector.
  Compilation(const Graph& graph, std::span<const Node> outputs, std::span<const GivenNode> given,
              CompileOptions options);

  void draft();                 // choose the instructions, in order
  ProgramAccess::Code place();  // give every value its place

 private:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  struct Value {
    bool needed = false, is_output = false;
    const GivenNode* given = nullptr;  // an input, whatever it is in the graph
    bool fused = false;                // part of the instruction that uses it
    bool drafted = false;
    Node doubled, half;  // of sin a: the node sin 2a computed with it; of sin 2a: the node sin a
    std::size_t uses = 0;
    Node home;  // the stack it is computed into, if any
    Index home_column = 0;
    bool placed = false;
    Location location;
    std::size_t first = never, last = 0;  // drafts that write it first and touch it last
    Index packs = -1, matrix = -1;        // of a constant: where it is in the code
  };

  static std::size_t id(Node node) { return static_cast<std::size_t>(node.id); }
  static Node node(std::size_t i) { return {static_cast<std::int32_t>(i)}; }
  Value& value(Node node) { return values_[id(node)]; }
  Index columns(Node node) const { return data_.shape(node).size(); }
  Op op(Node node) const { return values_[id(node)].given ? Op::input : data_.op(node); }

  // Another name for (a part of) its argument: no instruction.
  bool is_alias(Node node) const {
    const Shape shape = data_.shape(node);
    return op(node) == Op::element ||
           (op(node) == Op::transpose && (shape.rows == 1 || shape.cols == 1));
  }
  bool is_computed(Node node) const {
    return op(node) != Op::constant && op(node) != Op::input && !is_alias(node);
  }
  // The node whose memory holds this one, and the column there.
  std::pair<Node, Index> root(Node node) const {
    Index column = 0;
    for (; is_alias(node); node = data_.argument(node, 0)) column += data_.entry(node).detail;
    return {node, column};
  }
  // The node that owns the memory of a computed node: itself, or the stack it is an element of.
  Node owner(Node node) { return value(node).home.id < 0 ? node : value(node).home; }

  void find_needed(std::span<const GivenNode> given);
  void add_input(Node input);
  bool can_fuse(Node product, Node into);
  bool can_fuse_sum(Node sum, Node into);
  void choose_fusions();
  void choose_doubles();
  void choose_homes();

  void draft_node(Node node);
  void draft_stack(Node stack);
  void draft_copy(Node from, Node to, Index column);
  void draft_outputs();
  void choose_kernel(Draft& draft);
  void choose_dot(Draft& draft);
  void choose_sincos(Draft& draft);
  void fuse_product(Draft& draft);
  void fuse_sum(Draft& draft);
  void use_matrix(Draft& draft);

  void find_lifetimes();
  void place_result(const Draft& draft, std::size_t t, Node result);
  Node overwritable(const Draft& draft, std::size_t t);
  bool is_only_name(const Draft& draft, Node argument) const;
  void resolve(Draft& draft);
  Location located(Node node, Index column);
  Index packs_of(Node constant);

  const GraphAccess::Data& data_;
  std::span<const Node> outputs_;
  CompileOptions options_;
  std::vector<Value> values_;  // by node
  std::vector<Draft> drafts_;
  std::map<std::pair<std::int32_t, Op>, Node> sines_;  // needed sin and cos nodes, by argument
  Registers registers_;
  std::vector<std::vector<Node>> ending_;  // register values, by the draft that touches them last
  std::vector<double> packs_;
  ProgramAccess::Code code_;
};

}  // namespace chaosgrad::internal
