#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (std::rotl(hash, 5) ^ value) * 0x9e3779b97f4a7c15u;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data(),
                    [](double x, double y) { return bits(x) == bits(y); });
}

// "sqrt(-1) is not a real number": the first component that is not finite.
[[noreturn]] void throw_not_finite(Op op, std::span<const Matrix* const> arguments,
                                   const Matrix& result, SourceSpan span) {
  const double* bad = std::find_if_not(result.data(), result.data() + result.size(),
                                       [](double value) { return std::isfinite(value); });
  if (!operation(op).elementwise) {
    const std::string why = why_not_finite(op, {});
    throw FormulaError(
        why != "overflow" ? why : fmt::format("'{}' is too large for a number", operation(op).name),
        span);
  }
  std::vector<double> values;
  for (const Matrix* argument : arguments) {
    values.push_back(argument->data()[argument->size() == 1 ? 0 : bad - result.data()]);
  }
  const bool overflow = why_not_finite(op, values) == "overflow";
  throw FormulaError(
      written(op, values) + (overflow ? " is too large for a number" : " is not a real number"),
      span);
}

}  // namespace

const Matrix* Graph::Data::value(Node node) const {
  const Entry& e = entry(node);
  return e.op == Op::constant ? &constants[static_cast<std::size_t>(e.detail)] : nullptr;
}

double Graph::Data::number(Node node) const {
  const Matrix* constant = value(node);
  return constant && constant->size() == 1 ? (*constant)(0, 0)
                                           : std::numeric_limits<double>::quiet_NaN();
}

Node Graph::Data::intern(Entry entry, std::span<const Node> node_arguments) {
  std::uint64_t hash =
      mixed(static_cast<std::uint64_t>(entry.op) + 1, static_cast<std::uint64_t>(entry.detail));
  hash = mixed(hash, static_cast<std::uint64_t>(entry.slot) + 1);
  hash = mixed(hash, static_cast<std::uint64_t>(entry.shape.rows));
  for (const Node node : node_arguments) hash = mixed(hash, static_cast<std::uint64_t>(node.id));
  for (auto [it, last] = by_hash.equal_range(hash); it != last; ++it) {
    const Node candidate{it->second};
    Entry& old = entries[static_cast<std::size_t>(it->second)];
    if (old.op == entry.op && old.detail == entry.detail && old.slot == entry.slot &&
        old.shape == entry.shape && std::ranges::equal(arguments_of(candidate), node_arguments)) {
      if (old.span.text < 0) old.span = entry.span;
      return candidate;
    }
  }
  entry.derivative = in_derivative;
  if (in_derivative && entry.span.text < 0) entry.span = derivative_span;
  entry.first_argument = arguments.size();
  entry.argument_count = node_arguments.size();
  for (const Node node : node_arguments) entry.slots |= this->entry(node).slots;
  arguments.insert(arguments.end(), node_arguments.begin(), node_arguments.end());
  const Node made{static_cast<std::int32_t>(entries.size())};
  entries.push_back(entry);
  by_hash.emplace(hash, made.id);
  return made;
}

Node Graph::Data::intern_constant(const Matrix& value) {
  std::uint64_t hash = mixed(0, static_cast<std::uint64_t>(value.rows()));
  for (Index i = 0; i < value.size(); ++i) hash = mixed(hash, bits(value.data()[i]));
  for (auto [it, last] = by_hash.equal_range(hash); it != last; ++it) {
    const Matrix* old = this->value({it->second});
    if (old && same_bits(*old, value)) return {it->second};
  }
  const Node made{static_cast<std::int32_t>(entries.size())};
  Entry entry;
  entry.shape = {value.rows(), value.cols()};
  entry.detail = static_cast<Index>(constants.size());
  entries.push_back(entry);
  constants.push_back(value);
  by_hash.emplace(hash, made.id);
  return made;
}

Graph::Graph() : data_(std::make_unique<Data>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Node Graph::constant(double value) { return data_->intern_constant(Matrix::Constant(1, 1, value)); }

Node Graph::constant(const Matrix& value) { return data_->intern_constant(value); }

Node Graph::input(int slot, Index column, Shape shape) {
  if (slot < 0 || slot >= 64) throw std::invalid_argument("input slots are numbered 0 to 63");
  Data::Entry entry;
  entry.op = Op::input;
  entry.shape = shape;
  entry.slots = std::uint64_t{1} << slot;
  entry.slot = slot;
  entry.detail = column;
  return data_->intern(entry, {});
}

Node Graph::apply(Op op, std::span<const Node> arguments, SourceSpan span) {
  const Operation& known = operation(op);
  if (op == Op::constant || op == Op::input || op == Op::element ||
      (known.arguments >= 0 && arguments.size() != static_cast<std::size_t>(known.arguments))) {
    throw std::invalid_argument(
        fmt::format("Graph::apply cannot make '{}' of {} arguments", known.name, arguments.size()));
  }
  std::vector<Shape> shapes;
  std::vector<const Matrix*> values;
  for (const Node node : arguments) {
    shapes.push_back(shape(node));
    if (const Matrix* value = data_->value(node)) values.push_back(value);
  }
  Data::Entry entry;
  entry.op = op;
  entry.span = span;
  entry.shape = result_shape(op, shapes, span);
  if (op == Op::stack) return stack_as(*this, arguments, entry.shape, span);
  if (values.size() == arguments.size()) {
    const Matrix result = constant_result(op, values, entry.shape);
    if (!result.allFinite() && !data_->in_derivative) throw_not_finite(op, values, result, span);
    return data_->intern_constant(result);
  }
  if (const std::optional<Node> simpler = simplified(*this, op, arguments, span)) return *simpler;
  if (!known.commutative) return data_->intern(entry, arguments);
  // Constants first, then by age.
  Node ordered[] = {arguments[0], arguments[1]};
  std::ranges::sort(ordered, {},
                    [&](Node node) { return std::pair(data_->op(node) != Op::constant, node.id); });
  return data_->intern(entry, ordered);
}

Node Graph::element(Node vector, Index i, SourceSpan span) {
  const Shape whole = shape(vector);
  if (i < 0 || i >= whole.size()) {
    throw FormulaError(fmt::format("index {} is out of range: {} has the elements 0 to {}", i,
                                   in_words(whole), whole.size() - 1),
                       span);
  }
  if (whole.is_scalar()) return vector;
  if (const Matrix* value = data_->value(vector)) return constant(value->data()[i]);
  if (data_->op(vector) == Op::stack) return data_->argument(vector, static_cast<std::size_t>(i));
  Data::Entry entry;
  entry.op = Op::element;
  entry.span = span;
  entry.detail = i;
  return data_->intern(entry, std::span(&vector, 1));
}

Node stack_as(Graph& graph, std::span<const Node> numbers, Shape shape, SourceSpan span) {
  if (shape.is_scalar()) return numbers[0];
  GraphAccess::Data& data = GraphAccess::data(graph);
  Matrix constants(shape.rows, shape.cols);
  bool all_constant = true, all_elements = true;  // of one vector, in order
  const Node first = numbers[0];
  const Node whole = data.op(first) == Op::element ? data.argument(first, 0) : Node{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const GraphAccess::Data::Entry& entry = data.entry(numbers[i]);
    all_constant = all_constant && entry.op == Op::constant;
    all_elements = all_elements && entry.op == Op::element &&
                   entry.detail == static_cast<Index>(i) && data.argument(numbers[i], 0) == whole;
    if (all_constant) constants.data()[i] = data.number(numbers[i]);
  }
  if (all_constant) return graph.constant(constants);
  if (all_elements && graph.shape(whole) == shape) return whole;
  GraphAccess::Data::Entry entry;
  entry.op = Op::stack;
  entry.span = span;
  entry.shape = shape;
  return data.intern(entry, numbers);
}

Index Graph::size() const { return static_cast<Index>(data_->entries.size()); }
Shape Graph::shape(Node node) const { return data_->shape(node); }
SourceSpan Graph::span(Node node) const { return data_->entry(node).span; }
bool Graph::depends_on(Node node, int slot) const {
  return slot >= 0 && slot < 64 && (data_->entry(node).slots >> slot & 1) != 0;
}
std::optional<Matrix> Graph::constant_value(Node node) const {
  const Matrix* value = data_->value(node);
  return value ? std::optional(*value) : std::nullopt;
}

}  // namespace chaosgrad::internal
