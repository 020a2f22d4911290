#include <algorithm>
#include <cassert>

#include "expression/code.h"
#include "expression/vector_math.h"

namespace chaosgrad {
namespace {

using Place = Program::Workspace::Place;

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
                         const Workspace& workspace) const {
  const bool broadcast = argument.columns == 1 && columns > 1;
  if (argument.packs >= 0) {
    return {packs.data() + argument.packs, broadcast ? 0 : simd::width, 0};
  }
  const Place& place = workspace.places[argument.location.place];
  return {place.data + argument.location.column * place.column_stride,
          broadcast ? 0 : place.column_stride, simd::width};
}

void Program::Code::run(std::span<const Block> blocks, std::span<BlockOut> outputs,
                        Workspace& workspace) const {
  if (outputs.empty() || outputs[0].rows() == 0) return;
  const Index samples = outputs[0].rows();
  const Index padded = (samples + simd::width - 1) / simd::width * simd::width;
  const bool whole_packs = samples == padded;
  assert(samples <= block_size && outputs.size() == output_columns.size());
  const Index most = (register_columns + scratch_columns) * block_size;
  if (workspace.registers.size() < most) workspace.registers.resize(most);

  // Inputs and outputs of whole packs are used where they are, others in padded copies behind the
  // registers.
  workspace.places.clear();
  const auto add_place = [&](const double* data, Index stride, double* target) {
    workspace.places.push_back({data, stride, target});
  };
  add_place(workspace.registers.data(), padded, workspace.registers.data());
  double* scratch = workspace.registers.data() + register_columns * padded;
  for (const Input& input : inputs) {
    const Block& block = blocks[static_cast<std::size_t>(input.slot)];
    assert(block.rows() == samples && block.cols() >= input.column + input.columns);
    if (whole_packs) {
      add_place(block.data() + input.column * block.outerStride(), block.outerStride(), nullptr);
      continue;
    }
    pad_columns(block, input.column, input.columns, scratch, padded);
    add_place(scratch, padded, nullptr);
    scratch += input.columns * padded;
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    assert(outputs[k].rows() == samples && outputs[k].cols() == output_columns[k]);
    if (whole_packs) {
      add_place(outputs[k].data(), outputs[k].outerStride(), outputs[k].data());
      continue;
    }
    add_place(scratch, padded, scratch);
    scratch += output_columns[k] * padded;
  }

  Call call;
  call.samples = padded;
  for (const Instruction& instruction : instructions) {
    const Place& out = workspace.places[instruction.out.place];
    const Place& second = workspace.places[instruction.second.place];
    call.out = {out.target + instruction.out.column * out.column_stride, out.column_stride};
    call.second = {second.target + instruction.second.column * second.column_stride,
                   second.column_stride};
    const Index columns = instruction.columns;
    call.a = view(instruction.arguments[0], columns, workspace);
    if (instruction.argument_count > 1) call.b = view(instruction.arguments[1], columns, workspace);
    if (instruction.argument_count > 2) call.c = view(instruction.arguments[2], columns, workspace);
    call.columns = columns;
    call.rows = instruction.rows;
    call.inner = instruction.inner;
    call.half_power = instruction.half_power;
    call.matrix = matrices.data() + std::max<Index>(instruction.matrix, 0);
    instruction.kernel(call);
  }
  if (whole_packs) return;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Place& place = workspace.places[1 + inputs.size() + k];
    for (Index j = 0; j < output_columns[k]; ++j) {
      const double* from = place.data + j * place.column_stride;
      copy_samples(from, samples, outputs[k].data() + j * outputs[k].outerStride());
    }
  }
}

Program::Program(const Graph& graph, std::span<const Node> outputs)
    : code_(std::make_shared<const Code>(compile(graph, outputs))) {}

void Program::evaluate(std::span<const Block> inputs, std::span<BlockOut> outputs,
                       Workspace& workspace) const {
  if (code_) code_->run(inputs, outputs, workspace);
}

Index Program::instruction_count() const {
  return code_ ? static_cast<Index>(code_->instructions.size()) : 0;
}

}  // namespace chaosgrad
