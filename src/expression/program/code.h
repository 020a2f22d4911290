#pragma once
// A compiled program: instructions over registers of one block of samples.
#include "expression/expression.h"
#include "expression/kernels/kernels.h"

namespace chaosgrad::internal {

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

// Where the registers, an input or an output are.
struct Place {
  const double* data;
  Index column_stride;
  double* target;  // the same, if it may be written
};

// A run alternates between blocks of whole packs, which are used where they are, and a last block
// that is copied: one set of calls for each.
struct Program::Workspace::Calls {
  struct Resolved {
    std::shared_ptr<const Code> code;
    Index samples = 0;
    std::vector<Place> places;  // the registers, the inputs, the outputs
    std::vector<Call> calls;
  };
  Resolved in_place, copied;
};

struct Program::Code : std::enable_shared_from_this<Program::Code> {
  struct Input {
    int slot;
    Index column, columns;
  };
  std::vector<Instruction> instructions;
  std::vector<Input> inputs;
  std::vector<Index> output_columns;
  bool limited = false;        // one more output says which samples are inside of the domain
  Index register_columns = 0;  // all that is ever needed at once
  Index scratch_columns = 0;   // of the inputs and outputs together
  Vector packs;                // constants, each number filling a pack
  std::vector<double> matrices;

  using Resolved = Workspace::Calls::Resolved;
  void run(std::span<const Block> blocks, std::span<BlockOut> outputs, Workspace& workspace) const;
  // Makes the outputs of samples outside of the domain not a number.
  static void leave_out(const double* inside, Index samples, std::span<BlockOut> outputs);
  // Finds all places and from them the calls for blocks of `samples`, a multiple of the pack width.
  void resolve(std::span<const Block> blocks, std::span<BlockOut> outputs, bool in_place,
               Index samples, Workspace& workspace, Resolved& resolved) const;
  // Whether resolve() would find the same again.
  [[nodiscard]] bool fits(const Resolved& resolved, std::span<const Block> blocks,
                          std::span<BlockOut> outputs, bool in_place, Index samples,
                          const Workspace& workspace) const;
  [[nodiscard]] Call call(const Instruction& instruction, const Resolved& resolved) const;
  // Where an operand is; broadcast: for an instruction on `columns` components.
  [[nodiscard]] View view(const Argument& argument, Index columns,
                          const std::vector<Place>& places) const;

  std::shared_ptr<const Code>
      plain;  // the same without register reuse and fused instructions, for first_non_finite
};

// Program::Code is private to Program; this is its door for src/expression.
struct ProgramAccess {
  using Code = Program::Code;
};
[[nodiscard]] ProgramAccess::Code compile(const Graph& graph, std::span<const Node> outputs,
                                          std::span<const GivenNode> given, Node inside);

}  // namespace chaosgrad::internal
