// Where every value is kept: registers are reused as soon as their value is not needed any more.
#include <algorithm>

#include "expression/program/compilation.h"
#include "numeric/functions.h"

namespace chaosgrad::internal {

ProgramAccess::Code Compilation::place() {
  find_lifetimes();
  ending_.resize(drafts_.size());
  for (std::size_t t = 0; t < drafts_.size(); ++t) {
    Draft& draft = drafts_[t];
    for (const Node result : {draft.out, draft.second}) {
      if (result.id >= 0 && !value(owner(result)).placed) place_result(draft, t, result);
    }
    resolve(draft);
    code_.instructions.push_back(draft.instruction);
    if (!options_.reuse_registers) continue;
    for (const Node dead : ending_[t]) {
      registers_.release(value(dead).location.column, columns(dead));
    }
  }
  code_.register_columns = registers_.total();
  code_.packs = Eigen::Map<const Vector>(packs_.data(), static_cast<Index>(packs_.size()));
  return std::move(code_);
}

void Compilation::place_result(const Draft& draft, std::size_t t, Node result) {
  Value& target = value(owner(result));
  if (const Node dying = overwritable(draft, t); dying.id >= 0) {
    target.location = value(dying).location;
    std::erase(ending_[t], dying);
  } else {
    target.location = {0, registers_.allocate(columns(owner(result)))};
  }
  target.placed = true;
  ending_[target.last].push_back(owner(result));
}

void Compilation::find_lifetimes() {
  for (std::size_t t = 0; t < drafts_.size(); ++t) {
    const auto touch = [&](Node node) {
      if (node.id < 0 || !is_computed(node)) return;
      Value& touched = value(owner(node));
      touched.first = std::min(touched.first, t);
      touched.last = t;
    };
    for (int k = 0; k < drafts_[t].instruction.argument_count; ++k) {
      touch(root(drafts_[t].arguments[k]).first);
    }
    touch(drafts_[t].out);
    touch(drafts_[t].second);
  }
}

// An operand that is not needed any more and whose register the result may take over.
Node Compilation::overwritable(const Draft& draft, std::size_t t) {
  const Node out = draft.out;
  if (!options_.reuse_registers || !draft.in_place || owner(out) != out) return {};
  for (int k = 0; k < draft.instruction.argument_count; ++k) {
    const Node argument = draft.arguments[k];
    if (!is_computed(argument) || owner(argument) != argument) continue;
    if (op(argument) == Op::stack || columns(argument) != columns(out)) continue;
    if (value(argument).last != t || value(argument).location.place != 0) continue;
    if (is_only_name(draft, argument)) return argument;
  }
  return {};
}

// Whether no other operand is a part of this one: x·x[0] cannot overwrite x.
bool Compilation::is_only_name(const Draft& draft, Node argument) const {
  return std::all_of(
      draft.arguments, draft.arguments + draft.instruction.argument_count,
      [&](Node other) { return other == argument || root(other).first != argument; });
}

void Compilation::resolve(Draft& draft) {
  Instruction& instruction = draft.instruction;
  if (draft.out.id >= 0) instruction.out = located(draft.out, draft.out_column);
  if (draft.second.id >= 0) instruction.second = located(draft.second, 0);
  for (int k = 0; k < instruction.argument_count; ++k) {
    const Node node = draft.arguments[k];
    Argument& argument = instruction.arguments[k];
    argument.columns = columns(node);
    if (op(node) == Op::constant) {
      const bool is_matrix = instruction.matrix >= 0 && k == 0;
      argument.packs = is_matrix ? 0 : packs_of(node);
      continue;
    }
    const auto [held_by, column] = root(node);
    argument.location = located(held_by, column);
  }
}

Location Compilation::located(Node node, Index column) {
  const Location& location = value(owner(node)).location;
  return {location.place, location.column + value(node).home_column + column};
}

Index Compilation::packs_of(Node constant) {
  Value& known = value(constant);
  if (known.packs < 0) {
    known.packs = static_cast<Index>(packs_.size());
    const Matrix& entries = *data_.value(constant);
    for (Index i = 0; i < entries.size(); ++i) {
      packs_.insert(packs_.end(), static_cast<std::size_t>(simd::width), entries.data()[i]);
    }
  }
  return known.packs;
}

}  // namespace chaosgrad::internal
