// Who made the first value that is not finite? All values of one sample are computed, then followed
// back from the outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expression/graph/operations.h"
#include "expression/program/code.h"

namespace chaosgrad::internal {
namespace {

bool is_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

class Detective {
 public:
  Detective(const ProgramAccess::Code& code, const std::vector<Place>& places)
      : code_(code), places_(places), makers_(static_cast<std::size_t>(code.register_columns)) {
    for (std::size_t t = 0; t < code.instructions.size(); ++t) {
      const Instruction& instruction = code.instructions[t];
      if (instruction.out.place > 0) continue;
      for (Index j = 0; j < instruction.out_columns; ++j) {
        makers_[static_cast<std::size_t>(instruction.out.column + j)] = t;
      }
    }
  }

  std::optional<Program::NonFinite> find() {
    std::vector<bool> suspect(code_.instructions.size());
    std::optional<Program::NonFinite> first;
    for (std::size_t t = suspect.size(); t-- > 0;) {
      const Instruction& instruction = code_.instructions[t];
      const bool is_output = instruction.out.place > code_.inputs.size();
      if ((!suspect[t] && !is_output) || is_finite(result(instruction))) continue;
      bool inherited = false;
      for (int k = 0; k < instruction.argument_count; ++k) {
        const Argument& argument = instruction.arguments[k];
        if (is_ignored(instruction, k) || is_finite(values(argument))) continue;
        if (argument.packs >= 0) continue;
        inherited = true;
        if (argument.location.place > 0) return bad_input(argument);
        for (Index j = 0; j < argument.columns; ++j) {
          suspect[makers_[static_cast<std::size_t>(argument.location.column + j)]] = true;
        }
      }
      if (!inherited) first = Program::NonFinite{instruction.span, reason(instruction)};
    }
    return first;
  }

 private:
  std::vector<double> values(const Argument& argument) const {
    const View view = code_.view(argument, argument.columns, places_);
    std::vector<double> result;
    for (Index j = 0; j < argument.columns; ++j) {
      result.push_back(view.data[j * view.column_stride]);
    }
    return result;
  }

  std::vector<double> result(const Instruction& instruction) const {
    return values({instruction.out, instruction.out_columns, -1});
  }

  // The branch of an if that is not taken, and constants that are part of the instruction.
  bool is_ignored(const Instruction& instruction, int k) const {
    if (k == 0 && instruction.matrix >= 0) return true;
    if (instruction.op != Op::select || k == 0) return false;
    const std::vector<double> condition = values(instruction.arguments[0]);
    const bool holds = std::ranges::all_of(condition, [](double c) { return c != 0; });
    const bool fails = std::ranges::all_of(condition, [](double c) { return c == 0; });
    return k == 1 ? fails : holds;
  }

  Program::NonFinite bad_input(const Argument& argument) const {
    for (const double value : values(argument)) {
      if (!std::isfinite(value)) return {{}, fmt::format("an input is not finite ({:g})", value)};
    }
    return {};
  }

  std::string reason(const Instruction& instruction) const {
    const std::string where = instruction.derivative ? " in the derivative" : "";
    if (!operation(instruction.op).elementwise) return why_not_finite(instruction.op, {}) + where;
    const std::vector<double> out = result(instruction);
    const auto bad = std::ranges::find_if_not(out, [](double v) { return std::isfinite(v); });
    std::vector<double> operands;
    for (int k = 0; k < instruction.argument_count; ++k) {
      const std::vector<double> all = values(instruction.arguments[k]);
      operands.push_back(all.size() == 1 ? all[0]
                                         : all[static_cast<std::size_t>(bad - out.begin())]);
    }
    return why_not_finite(instruction.op, operands) + where;
  }

  const ProgramAccess::Code& code_;
  const std::vector<Place>& places_;
  std::vector<std::size_t> makers_;  // of each register column: the instruction that wrote it
};

}  // namespace

std::optional<Program::NonFinite> Program::first_non_finite(std::span<const Block> inputs) const {
  if (!code_) return std::nullopt;
  const Code& code = *code_->plain;
  std::vector<Matrix> results;
  for (const Index columns : code.output_columns) results.emplace_back(1, columns);
  std::vector<BlockOut> outputs(results.begin(), results.end());
  Workspace workspace;
  code.run(inputs, outputs, workspace);
  const auto finite = [](const Matrix& m) {
    return is_finite({m.data(), static_cast<std::size_t>(m.size())});
  };
  if (std::ranges::all_of(results, finite)) return std::nullopt;
  return Detective(code, workspace.calls->copied.places).find();
}

}  // namespace chaosgrad::internal
