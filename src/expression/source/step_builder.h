#pragma once
// Makes the steps of scalar code; equal ones are made once.
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "expression/source/scalar_code.h"

namespace chaosgrad::internal {

class StepBuilder {
 public:
  using Steps = std::vector<std::size_t>;

  std::size_t add(ScalarStep step);
  std::size_t number(double value) { return add({.op = Op::constant, .number = value}); }
  // An operation, but for products with 1 and sums with 0.
  std::size_t make(Op op, Steps arguments);

  // Zeros are left out, as those of sparse matrices. Long sums are made of shorter ones, which
  // compilers like better.
  std::size_t sum(Steps terms);
  std::size_t dot(const Steps& a, const Steps& b);  // Σ a_k b_k
  std::size_t lowest(const Steps& parts);
  // Matrices column by column.
  Steps product(const Steps& a, Shape left, const Steps& b, Shape right);
  // A⁻¹B by elimination, A of n rows. A row with a larger pivot is exchanged for the upper one
  // number by number, so that there are no branches.
  Steps eliminated(const Steps& a, const Steps& b, std::size_t n);

  // All that the outputs need, and no more.
  [[nodiscard]] ScalarCode in_use(std::vector<Steps> outputs) const;

 private:
  [[nodiscard]] bool is_number(std::size_t i, double value) const {
    return steps_[i].op == Op::constant && steps_[i].number == value;
  }
  void exchange_if_larger(Steps& upper, Steps& lower, std::size_t column);
  void subtract_row(const Steps& upper, Steps& lower, std::size_t column);
  Steps substituted_back(const std::vector<Steps>& rows, std::size_t n);

  std::vector<ScalarStep> steps_;
  std::map<std::tuple<Op, std::uint64_t, int, Index, Steps>, std::size_t> known_;
};

}  // namespace chaosgrad::internal
