#include "expression/source/step_builder.h"

#include <algorithm>
#include <bit>

namespace chaosgrad::internal {
namespace {

constexpr std::size_t longest_sum = 64;

}  // namespace

std::size_t StepBuilder::add(ScalarStep step) {
  auto key = std::tuple(step.op, std::bit_cast<std::uint64_t>(step.number), step.slot, step.column,
                        step.arguments);
  const auto [found, is_new] = known_.emplace(std::move(key), steps_.size());
  if (is_new) steps_.push_back(std::move(step));
  return found->second;
}

std::size_t StepBuilder::make(Op op, Steps arguments) {
  if (op == Op::multiply) {
    if (is_number(arguments[0], 1)) return arguments[1];
    if (is_number(arguments[1], 1)) return arguments[0];
  }
  if (op == Op::add && is_number(arguments[0], 0)) return arguments[1];
  if ((op == Op::add || op == Op::subtract) && is_number(arguments[1], 0)) return arguments[0];
  return add({.op = op, .arguments = std::move(arguments)});
}

std::size_t StepBuilder::sum(Steps terms) {
  std::erase_if(terms, [&](std::size_t term) { return is_number(term, 0); });
  if (terms.empty()) return number(0);
  if (terms.size() == 1) return terms[0];
  if (terms.size() <= longest_sum) return add({.op = Op::sum, .arguments = std::move(terms)});
  Steps parts;
  for (auto begin = terms.begin(); begin != terms.end();) {
    const auto end = begin + std::min<std::ptrdiff_t>(longest_sum, terms.end() - begin);
    parts.push_back(sum(Steps(begin, end)));
    begin = end;
  }
  return sum(std::move(parts));
}

std::size_t StepBuilder::dot(const Steps& a, const Steps& b) {
  Steps parts, pairs;
  bool plain = true;  // all factors are 1
  const auto finish = [&] {
    if (pairs.empty()) return;
    Steps terms;
    for (std::size_t k = 0; k < pairs.size(); k += 2)
      terms.push_back(is_number(pairs[k], 1) ? pairs[k + 1] : pairs[k]);
    parts.push_back(pairs.size() == 2 ? make(Op::multiply, pairs)
                    : plain           ? sum(terms)
                                      : add({.op = Op::dot, .arguments = pairs}));
    pairs.clear();
    plain = true;
  };
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (is_number(a[k], 0) || is_number(b[k], 0)) continue;
    plain = plain && (is_number(a[k], 1) || is_number(b[k], 1));
    pairs.push_back(a[k]);
    pairs.push_back(b[k]);
    if (pairs.size() == 2 * longest_sum) finish();
  }
  finish();
  return sum(std::move(parts));
}

std::size_t StepBuilder::lowest(const Steps& parts) {
  std::size_t least = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) least = make(Op::min, {least, parts[i]});
  return least;
}

StepBuilder::Steps StepBuilder::product(const Steps& a, Shape left, const Steps& b, Shape right) {
  Steps result;
  for (Index column = 0; column < right.cols; ++column) {
    const auto begin = b.begin() + static_cast<std::ptrdiff_t>(column * right.rows);
    const Steps with(begin, begin + static_cast<std::ptrdiff_t>(right.rows));
    for (Index row = 0; row < left.rows; ++row) {
      Steps entries;
      for (Index k = 0; k < left.cols; ++k)
        entries.push_back(a[static_cast<std::size_t>(row + k * left.rows)]);
      result.push_back(dot(entries, with));
    }
  }
  return result;
}

StepBuilder::Steps StepBuilder::eliminated(const Steps& a, const Steps& b, std::size_t n) {
  std::vector<Steps> rows(n);  // of A, then of B
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i; k < a.size(); k += n) rows[i].push_back(a[k]);
    for (std::size_t k = i; k < b.size(); k += n) rows[i].push_back(b[k]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) exchange_if_larger(rows[k], rows[i], k);
    for (std::size_t i = k + 1; i < n; ++i) subtract_row(rows[k], rows[i], k);
  }
  return substituted_back(rows, n);
}

void StepBuilder::exchange_if_larger(Steps& upper, Steps& lower, std::size_t column) {
  const std::size_t larger =
      make(Op::less, {make(Op::abs, {upper[column]}), make(Op::abs, {lower[column]})});
  for (std::size_t j = column; j < upper.size(); ++j) {
    const std::size_t above = upper[j], below = lower[j];
    upper[j] = make(Op::select, {larger, below, above});
    lower[j] = make(Op::select, {larger, above, below});
  }
}

void StepBuilder::subtract_row(const Steps& upper, Steps& lower, std::size_t column) {
  const std::size_t factor = make(Op::divide, {lower[column], upper[column]});
  for (std::size_t j = column + 1; j < upper.size(); ++j)
    lower[j] = make(Op::subtract, {lower[j], make(Op::multiply, {factor, upper[j]})});
}

StepBuilder::Steps StepBuilder::substituted_back(const std::vector<Steps>& rows, std::size_t n) {
  const std::size_t columns = rows[0].size() - n;
  Steps result(n * columns);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = n; i-- > 0;) {
      std::size_t rest = rows[i][n + c];
      for (std::size_t j = i + 1; j < n; ++j)
        rest = make(Op::subtract, {rest, make(Op::multiply, {rows[i][j], result[c * n + j]})});
      result[c * n + i] = make(Op::divide, {rest, rows[i][i]});
    }
  }
  return result;
}

ScalarCode StepBuilder::in_use(std::vector<Steps> outputs) const {
  std::vector<bool> used(steps_.size());
  for (const Steps& output : outputs) {
    for (const std::size_t i : output) used[i] = true;
  }
  for (std::size_t i = used.size(); i-- > 0;) {
    if (!used[i]) continue;
    for (const std::size_t argument : steps_[i].arguments) used[argument] = true;
  }
  ScalarCode result;
  Steps now(used.size());
  const auto renumber = [&](Steps& steps) {
    for (std::size_t& i : steps) i = now[i];
  };
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    now[i] = result.steps.size();
    result.steps.push_back(steps_[i]);
    renumber(result.steps.back().arguments);
  }
  for (Steps& output : outputs) renumber(output);
  result.outputs = std::move(outputs);
  return result;
}

}  // namespace chaosgrad::internal
