#include <algorithm>
#include <cassert>
#include <cmath>

#include "expression/graph/operations.h"
#include "expression/program/code.h"
#include "numeric/functions.h"

namespace chaosgrad::internal {
namespace {

// A few hundred numbers at most: a call of memmove would cost as much again.
inline void copy_samples(const double* from, Index count, double* to) {
  Index i = 0;
  for (; i + simd::width <= count; i += simd::width) simd::store(to + i, simd::load(from + i));
  for (; i < count; ++i) to[i] = from[i];
}

// Columns of fewer samples than whole packs: the rest of the last pack repeats the first sample,
// which is harmless.
void pad_columns(const Block& from, Index column, Index columns, double* to, Index stride) {
  const Index samples = from.rows(), padded = stride;
  for (Index j = 0; j < columns; ++j, to += stride) {
    const double* source = from.data() + (column + j) * from.outerStride();
    copy_samples(source, samples, to);
    for (Index i = samples; i < padded; ++i) to[i] = source[0];
  }
}

}  // namespace

View Program::Code::view(const Argument& argument, Index columns,
                         const std::vector<Place>& places) const {
  const bool broadcast = argument.columns == 1 && columns > 1;
  if (argument.packs >= 0) {
    return {packs.data() + argument.packs, broadcast ? 0 : simd::width, 0};
  }
  const Place& place = places[argument.location.place];
  return {place.data + argument.location.column * place.column_stride,
          broadcast ? 0 : place.column_stride, simd::width};
}

Call Program::Code::call(const Instruction& instruction, const Resolved& resolved) const {
  const auto target = [&](const Location& location) -> Target {
    const Place& place = resolved.places[location.place];
    return {place.target + location.column * place.column_stride, place.column_stride};
  };
  const auto operand = [&](int k) {
    if (k >= instruction.argument_count) return View{};
    return view(instruction.arguments[k], instruction.columns, resolved.places);
  };
  return {.kernel = instruction.kernel,
          .out = target(instruction.out),
          .second = target(instruction.second),
          .a = operand(0),
          .b = operand(1),
          .c = operand(2),
          .columns = instruction.columns,
          .rows = instruction.rows,
          .inner = instruction.inner,
          .half_power = instruction.half_power,
          .matrix = matrices.data() + std::max<Index>(instruction.matrix, 0),
          .samples = resolved.samples};
}

void Program::Code::resolve(std::span<const Block> blocks, std::span<BlockOut> outputs,
                            bool in_place, Index samples, Workspace& workspace,
                            Resolved& resolved) const {
  const Index most = (register_columns + scratch_columns) * block_size;
  if (workspace.registers.size() < most) workspace.registers.resize(most);
  double* next = workspace.registers.data();
  const auto add_columns = [&](Index columns) {
    resolved.places.push_back({next, samples, next});
    next += columns * samples;
  };
  resolved.places.clear();
  add_columns(register_columns);
  for (const Input& input : inputs) {
    if (!in_place) {
      add_columns(input.columns);
      continue;
    }
    const Block& block = blocks[static_cast<std::size_t>(input.slot)];
    resolved.places.push_back(
        {block.data() + input.column * block.outerStride(), block.outerStride(), nullptr});
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!in_place)
      add_columns(output_columns[k]);
    else
      resolved.places.push_back({outputs[k].data(), outputs[k].outerStride(), outputs[k].data()});
  }
  if (limited) add_columns(1);
  resolved.code = shared_from_this();
  resolved.samples = samples;
  resolved.calls.clear();
  for (const Instruction& instruction : instructions)
    resolved.calls.push_back(call(instruction, resolved));
}

bool Program::Code::fits(const Resolved& resolved, std::span<const Block> blocks,
                         std::span<BlockOut> outputs, bool in_place, Index samples,
                         const Workspace& workspace) const {
  if (resolved.code.get() != this || resolved.samples != samples ||
      resolved.places[0].data != workspace.registers.data())
    return false;
  if (!in_place) return true;
  const Place* place = resolved.places.data() + 1;
  for (const Input& input : inputs) {
    const Block& block = blocks[static_cast<std::size_t>(input.slot)];
    if (place->data != block.data() + input.column * block.outerStride() ||
        place->column_stride != block.outerStride())
      return false;
    ++place;
  }
  for (const BlockOut& output : outputs) {
    if (place->data != output.data() || place->column_stride != output.outerStride()) return false;
    ++place;
  }
  return true;
}

void Program::Code::run(std::span<const Block> blocks, std::span<BlockOut> outputs,
                        Workspace& workspace) const {
  if (outputs.empty() || outputs[0].rows() == 0) return;
  const Index samples = outputs[0].rows();
  const Index padded = (samples + simd::width - 1) / simd::width * simd::width;
  const bool in_place = samples == padded;
  assert(samples <= block_size && outputs.size() == output_columns.size());
  if (!workspace.calls) workspace.calls = std::make_unique<Workspace::Calls>();
  Resolved& resolved = in_place ? workspace.calls->in_place : workspace.calls->copied;
  if (!fits(resolved, blocks, outputs, in_place, padded, workspace))
    resolve(blocks, outputs, in_place, padded, workspace, resolved);

  const Place* place = resolved.places.data() + 1;
  for (const Input& input : inputs) {
    const Block& block = blocks[static_cast<std::size_t>(input.slot)];
    assert(block.rows() == samples && block.cols() >= input.column + input.columns);
    if (!in_place) pad_columns(block, input.column, input.columns, place->target, padded);
    ++place;
  }
  for (const Call& call : resolved.calls) call.kernel(call);
  for (std::size_t k = 0; k < outputs.size(); ++k, ++place) {
    assert(outputs[k].rows() == samples && outputs[k].cols() == output_columns[k]);
    for (Index j = 0; !in_place && j < output_columns[k]; ++j)
      copy_samples(place->data + j * padded, samples,
                   outputs[k].data() + j * outputs[k].outerStride());
  }
  if (limited) leave_out(place->data, samples, outputs);
}

// `inside` is in whole packs; nearly always all of it is 1.
void Program::Code::leave_out(const double* inside, Index samples, std::span<BlockOut> outputs) {
  for (Index first = 0; first < samples; first += simd::width) {
    if (simd::all_less(simd::broadcast(0), simd::load(inside + first))) [[likely]]
      continue;
    for (Index i = first; i < std::min(first + simd::width, samples); ++i) {
      if (inside[i] != 0) continue;
      for (BlockOut& output : outputs) output.row(i).setConstant(std::nan(""));
    }
  }
}

Program::Workspace::Workspace() = default;
Program::Workspace::Workspace(Workspace&&) noexcept = default;
Program::Workspace& Program::Workspace::operator=(Workspace&&) noexcept = default;
Program::Workspace::~Workspace() = default;

Program::Program(const Graph& graph, std::span<const Node> outputs,
                 std::span<const GivenNode> given, Node inside)
    : code_(std::make_shared<const Code>(compile(graph, outputs, given, inside))) {}

void Program::evaluate(std::span<const Block> inputs, std::span<BlockOut> outputs,
                       Workspace& workspace) const {
  if (code_) code_->run(inputs, outputs, workspace);
}

double Program::operations() const {
  // A function is a range reduction and a polynomial; quantiles without a closed form iterate.
  constexpr double function = 20, iteration = 1000;
  const auto of = [](const Instruction& instruction) {
    const auto columns = static_cast<double>(instruction.columns);
    const auto n = static_cast<double>(instruction.rows);
    switch (instruction.op) {
      case Op::sum:
      case Op::lowest:
        return columns;
      case Op::norm2:
        return 2 * columns;
      case Op::dot:
      case Op::product:
        return 2 * columns * static_cast<double>(instruction.inner);
      case Op::solve:
        return 2 * n * n * (n / 3 + columns / n);
      case Op::same_piece:
        return 2 * n * n * n / 3;
      case Op::gamma_quantile:
      case Op::beta_quantile:
        return iteration * columns;
      default:
        break;
    }
    const bool simple = instruction.op < Op::sin || instruction.op >= Op::stack ||
                        instruction.op == Op::abs || instruction.op == Op::sign ||
                        instruction.op == Op::min || instruction.op == Op::max ||
                        instruction.op == Op::floor || instruction.op == Op::ceil ||
                        instruction.op == Op::sqrt || !operation(instruction.op).elementwise;
    return simple && instruction.op != Op::power ? columns : function * columns;
  };
  double total = 0;
  if (code_) {
    for (const Instruction& instruction : code_->instructions) total += of(instruction);
  }
  return total;
}

Index Program::instruction_count() const {
  return code_ ? static_cast<Index>(code_->instructions.size()) : 0;
}

}  // namespace chaosgrad::internal
