#include "chaosgrad/options.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <memory>

#include "expression/expression.h"

namespace chaosgrad {
using namespace internal;

IndexOrder index_order(const IndexChoice& choice) {
  const auto* order = std::get_if<IndexOrder>(&choice);
  return order ? *order : IndexOrder{};
}

namespace {

constexpr std::array<std::string_view, 8> input_names = {"k", "m", "M", "Q", "mu", "L", "V", "VG"};

std::array<double, 8> values(const ScheduleInputs& in) {
  return {in.k, in.m, in.M, in.Q, in.mu, in.L, in.V, in.VG};
}

}  // namespace

Schedule::Schedule(double value)
    : function_([value](const ScheduleInputs&) { return value; }),
      text_(fmt::format("{}", value)) {}

Schedule::Schedule(std::function<double(const ScheduleInputs&)> function)
    : function_(std::move(function)), text_("function"), used_(~0U) {}

Schedule::Schedule(std::string_view formula, int text_id) : text_(formula) {
  Graph graph;
  Scope names;
  // Each input has a slot of its own, so that the graph can tell which are used.
  for (std::size_t i = 0; i < input_names.size(); ++i) {
    names.emplace(input_names[i], graph.input(static_cast<int>(i), 0));
  }
  const Node node = parse(graph, formula, names, text_id);
  if (!graph.shape(node).is_scalar()) {
    throw FormulaError("expected a number, found a vector",
                       {text_id, 0, static_cast<Index>(formula.size())});
  }
  for (std::size_t i = 0; i < input_names.size(); ++i) {
    if (graph.depends_on(node, static_cast<int>(i))) used_ |= 1U << i;
  }
  using Workspaces = tbb::enumerable_thread_specific<Program::Workspace>;
  function_ = [program = Program(graph, std::array{node}),
               workspaces = std::make_shared<Workspaces>()](const ScheduleInputs& in) {
    const std::array<double, 8> numbers = values(in);
    const Eigen::Map<const Eigen::Matrix<double, 1, 8>> row(numbers.data());
    const std::array<Block, 8> inputs = {row.col(0), row.col(1), row.col(2), row.col(3),
                                         row.col(4), row.col(5), row.col(6), row.col(7)};
    double value = 0;
    std::array<BlockOut, 1> outputs = {Eigen::Map<Matrix>(&value, 1, 1)};
    program.evaluate(inputs, outputs, workspaces->local());
    return value;
  };
}

bool Schedule::uses(std::string_view name) const {
  for (std::size_t i = 0; i < input_names.size(); ++i) {
    if (input_names[i] == name) return (used_ >> i & 1U) != 0;
  }
  return false;
}

}  // namespace chaosgrad
