#pragma once
// A compiled program: instructions over registers of one block of samples.
#include "chaosgrad/expression.h"
#include "expression/kernels.h"

namespace chaosgrad {

// Component `column` of place number `place`: 0 the registers, then the inputs, then the outputs.
struct Location {
  std::size_t place = 0;
  Index column = 0;
};

struct Argument {
  Location location;
  Index columns = 1;  // its components; 1 in a wider instruction: used for every component
  Index packs = -1;   // a constant: offset of its packs in Code::packs
};

struct Instruction {
  Kernel kernel = nullptr;
  Location out, second;
  Argument arguments[3];
  int argument_count = 0;
  Index columns = 1, rows = 1, inner = 1;  // as in Call
  int half_power = 0;
  Index matrix = -1;  // offset in Code::matrices
  Index out_columns = 1;
  Op op = Op::constant;
  SourceSpan span;
  bool derivative = false;
};

struct Program::Code {
  struct Input {
    int slot;
    Index column, columns;
  };
  std::vector<Instruction> instructions;
  std::vector<Input> inputs;
  std::vector<Index> output_columns;
  Index register_columns = 0;  // all that is ever needed at once
  Index scratch_columns = 0;   // of the inputs and outputs together
  Vector packs;                // constants, each number filling a pack
  std::vector<double> matrices;

  void run(std::span<const Block> blocks, std::span<BlockOut> outputs, Workspace& workspace) const;
  // Where an operand was in the last run(); broadcast: for an instruction on `columns` components.
  [[nodiscard]] View view(const Argument& argument, Index columns,
                          const Workspace& workspace) const;

  std::shared_ptr<const Code>
      plain;  // the same without register reuse and fused instructions, for first_non_finite
};

// Program::Code is private to Program; this is its door for src/expression.
struct ProgramAccess {
  using Code = Program::Code;
};
[[nodiscard]] ProgramAccess::Code compile(const Graph& graph, std::span<const Node> outputs);

}  // namespace chaosgrad
