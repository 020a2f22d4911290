// Which instructions compute the needed nodes.
#include <algorithm>

#include "expression/program/compilation.h"

namespace chaosgrad::internal {

void Compilation::draft() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].needed && !values_[i].fused) draft_node(node(i));
  }
  draft_outputs();
}

void Compilation::draft_node(Node node) {
  if (!is_computed(node) || value(node).drafted) return;
  if (value(node).half.id >= 0) return draft_node(value(node).half);
  value(node).drafted = true;
  if (op(node) == Op::stack) return draft_stack(node);
  Draft draft;
  draft.out = node;
  draft.instruction.op = op(node);
  draft.instruction.columns = draft.instruction.out_columns = columns(node);
  std::ranges::copy(data_.arguments_of(node), draft.arguments);
  draft.instruction.argument_count = static_cast<int>(data_.entry(node).argument_count);
  draft.instruction.span = data_.entry(node).span;
  draft.instruction.derivative = data_.entry(node).derivative;
  choose_kernel(draft);
  drafts_.push_back(draft);
}

void Compilation::draft_stack(Node stack) {
  Index column = 0;
  for (const Node element : data_.arguments_of(stack)) {
    if (value(element).home != stack || value(element).home_column != column) {
      draft_copy(element, stack, column);
    }
    ++column;
  }
}

void Compilation::draft_copy(Node from, Node to, Index column) {
  Draft draft;
  draft.out = to;
  draft.out_column = column;
  draft.arguments[0] = from;
  draft.instruction.op = Op::stack;
  draft.instruction.kernel = kernels::copy;
  draft.instruction.argument_count = 1;
  draft.instruction.columns = draft.instruction.out_columns = columns(from);
  drafts_.push_back(draft);
}

void Compilation::choose_kernel(Draft& draft) {
  Instruction& instruction = draft.instruction;
  const Node a = draft.arguments[0], b = draft.arguments[1];
  draft.in_place = operation(instruction.op).elementwise && instruction.op != Op::normal_quantile;
  switch (instruction.op) {
    case Op::sin:
    case Op::cos:
      return choose_sincos(draft);
    case Op::add:
    case Op::subtract:
      if (instruction.kernel = elementwise_kernel(instruction.op); options_.fuse)
        fuse_product(draft);
      return;
    case Op::multiply:
    case Op::abs:
      if (instruction.kernel = elementwise_kernel(instruction.op); options_.fuse) fuse_sum(draft);
      return;
    case Op::power:
      if (const double exponent = data_.number(b); is_integer_power(exponent)) {
        instruction.kernel = kernels::integer_power;
        instruction.half_power = static_cast<int>(2 * exponent);
      } else {
        instruction.kernel = elementwise_kernel(Op::power);
      }
      return;
    case Op::sum:
      instruction.columns = columns(a);
      instruction.kernel = kernels::sum;
      return;
    case Op::norm2:
      instruction.columns = columns(a);
      instruction.kernel = kernels::norm2;
      return;
    case Op::lowest:
      instruction.columns = columns(a);
      instruction.kernel = kernels::lowest;
      return;
    case Op::same_piece:
      instruction.rows = data_.shape(a).rows;
      instruction.columns = columns(a);
      instruction.kernel = kernels::same_piece;
      return;
    case Op::dot:
      return choose_dot(draft);
    case Op::product:
      instruction.rows = data_.shape(a).rows;
      instruction.inner = data_.shape(a).cols;
      instruction.kernel = kernels::product;
      if (op(a) == Op::constant) use_matrix(draft);
      return;
    case Op::outer:
      instruction.rows = data_.shape(a).rows;
      instruction.kernel = kernels::outer;
      return;
    case Op::solve:
      instruction.rows = data_.shape(a).rows;
      instruction.kernel = kernels::solve;
      return;
    case Op::transpose:
      instruction.rows = data_.shape(a).rows;
      instruction.kernel = kernels::transpose;
      return;
    default:
      instruction.kernel = elementwise_kernel(instruction.op);
  }
}

void Compilation::choose_dot(Draft& draft) {
  Instruction& instruction = draft.instruction;
  if (op(draft.arguments[0]) != Op::constant) {
    instruction.columns = columns(draft.arguments[0]);
    instruction.kernel = kernels::dot;
    return;
  }
  instruction.inner = columns(draft.arguments[0]);  // aᵀb with the row aᵀ
  use_matrix(draft);
}

void Compilation::use_matrix(Draft& draft) {
  const Node matrix = draft.arguments[0];
  if (value(matrix).matrix < 0) {
    value(matrix).matrix = static_cast<Index>(code_.matrices.size());
    const Matrix& entries = *data_.value(matrix);
    code_.matrices.insert(code_.matrices.end(), entries.data(), entries.data() + entries.size());
  }
  draft.instruction.matrix = value(matrix).matrix;
  draft.instruction.kernel = kernels::constant_product;
}

// sin and cos of the same argument together cost little more than one of them.
void Compilation::choose_sincos(Draft& draft) {
  const Op other = draft.instruction.op == Op::sin ? Op::cos : Op::sin;
  draft.instruction.kernel = elementwise_kernel(draft.instruction.op);
  if (!options_.fuse) return;
  const auto pair_with = [&](Node partner, Kernel kernel) {
    value(partner).drafted = true;
    draft.in_place = false;
    draft.second = partner;
    draft.instruction.kernel = kernel;
  };
  if (value(draft.out).doubled.id >= 0) {
    pair_with(value(draft.out).doubled, kernels::double_sine);
  } else if (const auto found = sines_.find({draft.arguments[0].id, other});
             found != sines_.end()) {
    pair_with(found->second, kernels::sincos);
    if (other == Op::sin) std::swap(draft.out, draft.second);
  }
}

void Compilation::fuse_product(Draft& draft) {
  const Node a = draft.arguments[0], b = draft.arguments[1];
  const bool first = value(a).fused && can_fuse(a, draft.out);
  if (!first && !(value(b).fused && can_fuse(b, draft.out))) return;
  const Node product = first ? a : b, rest = first ? b : a;
  const bool is_sum = draft.instruction.op == Op::add;
  draft.instruction.kernel = is_sum  ? kernels::multiply_add
                             : first ? kernels::multiply_subtract
                                     : kernels::subtract_product;
  draft.instruction.argument_count = 3;
  draft.arguments[0] = data_.argument(product, 0);
  draft.arguments[1] = data_.argument(product, 1);
  draft.arguments[2] = rest;
}

void Compilation::fuse_sum(Draft& draft) {
  const bool absolute = draft.instruction.op == Op::abs;
  const Node a = draft.arguments[0], b = draft.arguments[1];
  const auto is_part = [&](Node sum) { return value(sum).fused && can_fuse_sum(sum, draft.out); };
  const bool first = is_part(a);
  if (!first && (absolute || !is_part(b))) return;
  const Node sum = first ? a : b, rest = first ? b : a;
  const bool plus = op(sum) == Op::add;
  draft.instruction.kernel = absolute ? (plus ? kernels::add_abs : kernels::subtract_abs)
                                      : (plus ? kernels::add_multiply : kernels::subtract_multiply);
  draft.instruction.argument_count = absolute ? 2 : 3;
  draft.arguments[0] = data_.argument(sum, 0);
  draft.arguments[1] = data_.argument(sum, 1);
  if (!absolute) draft.arguments[2] = rest;
}

// A result goes straight to its output; other names for it, inputs and constants are copied there
// at the end. Whether the sample is inside of the domain is one more output, of the program's own.
void Compilation::draft_outputs() {
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const Node output = outputs_[k];
    const Location location{1 + code_.inputs.size() + k, 0};
    if (options_.reuse_registers && is_computed(output) && !value(output).placed) {
      value(output).location = location;
      value(output).placed = true;
      continue;
    }
    draft_copy(output, Node{}, 0);
    drafts_.back().instruction.out = location;
  }
}

}  // namespace chaosgrad::internal
