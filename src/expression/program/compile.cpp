#include <algorithm>

#include "expression/program/compilation.h"

namespace chaosgrad::internal {

Compilation::Compilation(const Graph& graph, std::span<const Node> outputs,
                         std::span<const GivenNode> given, CompileOptions options)
    : data_(GraphAccess::data(graph)), outputs_(outputs), options_(options) {
  find_needed(given);
  if (options_.fuse) {
    choose_fusions();
    choose_doubles();
  }
  if (options_.reuse_registers) choose_homes();
}

void Compilation::find_needed(std::span<const GivenNode> given) {
  std::int32_t last = -1;
  for (const Node output : outputs_) last = std::max(last, output.id);
  values_.resize(static_cast<std::size_t>(last + 1));
  for (const GivenNode& known : given) {
    if (id(known.node) < values_.size()) value(known.node).given = &known;
  }
  for (const Node output : outputs_) {
    value(output).needed = value(output).is_output = true;
    code_.output_columns.push_back(columns(output));
    code_.scratch_columns += columns(output);
  }
  for (std::size_t i = values_.size(); i-- > 0;) {
    if (!values_[i].needed) continue;
    if (op(node(i)) == Op::input) {
      add_input(node(i));
      continue;
    }
    for (const Node argument : data_.arguments_of(node(i))) {
      value(argument).needed = true;
      ++value(argument).uses;
    }
    if (op(node(i)) == Op::sin || op(node(i)) == Op::cos) {
      sines_[{data_.argument(node(i), 0).id, op(node(i))}] = node(i);
    }
  }
}

void Compilation::add_input(Node input) {
  const GivenNode* given = value(input).given;
  code_.inputs.push_back({given ? given->slot : data_.entry(input).slot,
                          given ? given->column : data_.entry(input).detail, columns(input)});
  code_.scratch_columns += columns(input);
  value(input).location = {code_.inputs.size(), 0};
  value(input).placed = true;
}

// a·b + c in one instruction, where a·b is used nowhere else.
bool Compilation::can_fuse(Node product, Node into) {
  return op(product) == Op::multiply && value(product).uses == 1 && !value(product).is_output &&
         data_.shape(product) == data_.shape(into);
}
// (a ± b)·c and |a ± b| in one instruction, where a ± b is used nowhere else and has no product in
// it already.
bool Compilation::can_fuse_sum(Node sum, Node into) {
  return (op(sum) == Op::add || op(sum) == Op::subtract) && value(sum).uses == 1 &&
         !value(sum).is_output && data_.shape(sum) == data_.shape(into) &&
         std::ranges::none_of(data_.arguments_of(sum),
                              [&](Node argument) { return value(argument).fused; });
}
void Compilation::choose_fusions() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Node sum = node(i);
    if (!values_[i].needed || (op(sum) != Op::add && op(sum) != Op::subtract)) continue;
    for (const Node argument : data_.arguments_of(sum)) {
      if (!can_fuse(argument, sum)) continue;
      value(argument).fused = true;
      break;
    }
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Node into = node(i);
    if (!values_[i].needed || values_[i].fused || (op(into) != Op::multiply && op(into) != Op::abs))
      continue;
    for (const Node argument : data_.arguments_of(into)) {
      if (!can_fuse_sum(argument, into)) continue;
      value(argument).fused = true;
      break;
    }
  }
}

// sin 2a = 2 sin a cos a, within 3 ulp: where sin a is needed too, and no cosine, one instruction
// computes both, and 2a only for others.
void Compilation::choose_doubles() {
  const auto is_sine_only = [&](Node argument) {
    return sines_.contains({argument.id, Op::sin}) && !sines_.contains({argument.id, Op::cos});
  };
  for (const auto& [key, twice] : sines_) {
    const Node product{key.first};
    if (!is_sine_only(product) || op(product) != Op::multiply) continue;
    const Node a = data_.argument(product, 1);
    if (data_.number(data_.argument(product, 0)) != 2 || !is_sine_only(a)) continue;
    const Node sine = sines_.at({a.id, Op::sin});
    if (value(sine).half.id >= 0 || value(twice).doubled.id >= 0) continue;  // one of another pair
    value(sine).doubled = twice;
    value(twice).half = sine;
    if (value(product).uses == 1 && !value(product).is_output) value(product).fused = true;
  }
}

// The elements of a stack are computed in their place, unless they are outputs or elements of
// another stack already.
void Compilation::choose_homes() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i].needed || op(node(i)) != Op::stack) continue;
    Index column = 0;
    for (const Node element : data_.arguments_of(node(i))) {
      Value& part = value(element);
      if (is_computed(element) && !part.is_output && part.home.id < 0) {
        part.home = node(i);
        part.home_column = column;
      }
      ++column;
    }
  }
}

ProgramAccess::Code compile(const Graph& graph, std::span<const Node> outputs,
                            std::span<const GivenNode> given, Node inside) {
  std::vector<Node> all(outputs.begin(), outputs.end());
  if (inside.id >= 0) all.push_back(inside);
  const auto compiled = [&](CompileOptions options) {
    Compilation compilation(graph, all, given, options);
    compilation.draft();
    ProgramAccess::Code placed = compilation.place();
    placed.limited = inside.id >= 0;
    if (placed.limited) placed.output_columns.pop_back();
    return placed;
  };
  ProgramAccess::Code code = compiled({});
  code.plain = std::make_shared<const ProgramAccess::Code>(
      compiled({.reuse_registers = false, .fuse = false}));
  return code;
}

}  // namespace chaosgrad::internal
