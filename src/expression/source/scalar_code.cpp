#include "expression/source/scalar_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/graph/graph_data.h"
#include "expression/source/step_builder.h"
#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

using Steps = StepBuilder::Steps;  // the components of a node, column by column

class ScalarWriter {
 public:
  explicit ScalarWriter(const Graph& graph) : data_(GraphAccess::data(graph)) {}

  ScalarCode write(const SourceFunction& function) {
    find_needed(function);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (needed_[i]) values_[i] = components({static_cast<std::int32_t>(i)});
    }
    std::vector<Steps> outputs;
    for (const SourceFunction::Output& output : function.outputs) {
      Steps all(static_cast<std::size_t>(output.size));
      std::ranges::fill(all, build_.number(output.otherwise));
      for (const auto& [first, node] : output.parts)
        std::ranges::copy(of(node), all.begin() + static_cast<std::ptrdiff_t>(first));
      outputs.push_back(std::move(all));
    }
    return build_.in_use(std::move(outputs));
  }

 private:
  void find_needed(const SourceFunction& function) {
    for (const SourceFunction::Output& output : function.outputs) {
      for (const auto& [first, node] : output.parts) {
        if (values_.size() <= static_cast<std::size_t>(node.id))
          values_.resize(static_cast<std::size_t>(node.id) + 1);
      }
    }
    needed_.resize(values_.size());
    for (const SourceFunction::Output& output : function.outputs) {
      for (const auto& [first, node] : output.parts)
        needed_[static_cast<std::size_t>(node.id)] = true;
    }
    for (std::size_t i = needed_.size(); i-- > 0;) {
      if (!needed_[i]) continue;
      for (const Node argument : data_.arguments_of({static_cast<std::int32_t>(i)}))
        needed_[static_cast<std::size_t>(argument.id)] = true;
    }
  }

  const Steps& of(Node node) const { return values_[static_cast<std::size_t>(node.id)]; }
  Steps components(Node node) {
    const GraphAccess::Data::Entry& entry = data_.entry(node);
    const std::span<const Node> arguments = data_.arguments_of(node);
    Steps result;
    switch (entry.op) {
      case Op::constant: {
        const Matrix& value = *data_.value(node);
        for (Index i = 0; i < value.size(); ++i) result.push_back(build_.number(value.data()[i]));
        return result;
      }
      case Op::input:
        for (Index i = 0; i < entry.shape.size(); ++i)
          result.push_back(
              build_.add({.op = Op::input, .slot = entry.slot, .column = entry.detail + i}));
        return result;
      case Op::element:
        return {of(arguments[0])[static_cast<std::size_t>(entry.detail)]};
      case Op::stack:
        for (const Node part : arguments) result.push_back(of(part)[0]);
        return result;
      case Op::sum:
        return {build_.sum(of(arguments[0]))};
      case Op::dot:
        return {build_.dot(of(arguments[0]), of(arguments[1]))};
      case Op::norm2:
        return {build_.make(Op::sqrt, {build_.dot(of(arguments[0]), of(arguments[0]))})};
      case Op::lowest:
        return {build_.lowest(of(arguments[0]))};
      case Op::product:
        return build_.product(of(arguments[0]), data_.shape(arguments[0]), of(arguments[1]),
                              data_.shape(arguments[1]));
      case Op::outer:
        for (const std::size_t b : of(arguments[1])) {
          for (const std::size_t a : of(arguments[0]))
            result.push_back(build_.make(Op::multiply, {a, b}));
        }
        return result;
      case Op::transpose:
        return transposed(of(arguments[0]), data_.shape(arguments[0]));
      case Op::solve:
        return solved(arguments[0], arguments[1]);
      case Op::gamma_quantile:
      case Op::beta_quantile:
      case Op::normal_quantile:
      case Op::same_piece:
        throw InputError("export", fmt::format("'{}' cannot be written in other languages",
                                               operation(entry.op).name));
      default:
        return elementwise(node);
    }
  }

  Steps elementwise(Node node) {
    const GraphAccess::Data::Entry& entry = data_.entry(node);
    Steps result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(entry.shape.size()); ++i) {
      Steps parts;
      for (const Node argument : data_.arguments_of(node))
        parts.push_back(of(argument)[of(argument).size() == 1 ? 0 : i]);
      result.push_back(one_component(entry.op, std::move(parts)));
    }
    return result;
  }

  std::size_t one_component(Op op, Steps parts) {
    if (op == Op::masked_multiply)
      return build_.make(Op::select, {parts[0], build_.make(Op::multiply, {parts[0], parts[1]}),
                                      build_.number(0)});
    if (op == Op::huber) {  // m (|t| − m/2), m = min(|t|, δ)
      const std::size_t size = build_.make(Op::abs, {parts[0]});
      const std::size_t inner = build_.make(Op::min, {size, parts[1]});
      const std::size_t half = build_.make(Op::multiply, {build_.number(0.5), inner});
      return build_.make(Op::multiply, {inner, build_.make(Op::subtract, {size, half})});
    }
    return build_.make(op, std::move(parts));
  }

  static Steps transposed(const Steps& from, Shape shape) {
    Steps result;
    for (Index row = 0; row < shape.rows; ++row) {
      for (Index column = 0; column < shape.cols; ++column)
        result.push_back(from[static_cast<std::size_t>(row + column * shape.rows)]);
    }
    return result;
  }

  // Of a constant matrix with its inverse; else by elimination.
  Steps solved(Node matrix, Node right) {
    const Shape shape = data_.shape(matrix);
    if (const Matrix* value = data_.value(matrix)) {
      const Matrix inverse = solve_square(*value, Matrix::Identity(shape.rows, shape.rows));
      Steps entries;
      for (Index i = 0; i < inverse.size(); ++i)
        entries.push_back(build_.number(inverse.data()[i]));
      return build_.product(entries, shape, of(right), data_.shape(right));
    }
    return build_.eliminated(of(matrix), of(right), static_cast<std::size_t>(shape.rows));
  }

  const GraphAccess::Data& data_;
  std::vector<Steps> values_;  // by node
  std::vector<bool> needed_;
  StepBuilder build_;
};

}  // namespace

ScalarCode scalar_code(const Graph& graph, const SourceFunction& function) {
  return ScalarWriter(graph).write(function);
}

}  // namespace chaosgrad::internal
