#pragma once
// How a basis is kept and evaluated in factored form. The multivariate functions are products of
// two tabulated ones,
//   ψ_i = T_left · T_right,
// left depending on the first half of the dimensions and right on the others. The table T holds
// those functions of the basis that depend on one half only (about √m of them), so it stays in the
// first-level cache, and the products need never be formed:
//   Σ_i u_i ψ_i = Σ_left T_left Σ_right u T_right.
// A single trigonometric dimension is factored by the addition theorems instead: basis_axis.h.
#include <cstdint>
#include <optional>
#include <vector>

#include "basis/family/kernel.h"
#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// The one-dimensional functions B_n(η_k) of dimension k.
struct BasisAxis {
  bool fourier = false;
  RecurrenceKernel recurrence;  // polynomial families of continuous distributions
  // Discrete distributions: the family looks its values up. The recurrence would lose all digits at
  // outliers and near the last degree.
  std::optional<Family> looked_up;
  // Fourier: (η − center)·(turns_per_unit + turns_per_unit_rest) is the phase of B_1 in turns; the
  // second number is what the rounding of the first lost.
  double center = 0, turns_per_unit = 0, turns_per_unit_rest = 0;
  std::vector<std::int32_t> columns;  // columns[n]: where the table has B_n(η_k); ascending
};

// Functions that share their left factor: ψ_{rows[j]} = T_left · T_{columns[j]}; rows ascending.
struct FactorGroup {
  std::int32_t left = 0;
  std::vector<std::int32_t> columns, rows;
};

// T_column = T_left · T_right: without the last active dimension, and that dimension alone.
struct TableProduct {
  std::int32_t column, left, right;
};

struct BasisPlan {
  std::vector<BasisAxis> axes;
  bool single_fourier = false;  // d = 1, trigonometric: nothing below is used

  std::vector<std::int32_t> left, right;  // per function
  std::vector<std::int32_t> table;     // the functions in the table, ascending: T_c = ψ_{table[c]}
  std::vector<TableProduct> products;  // the columns that no axis writes, ascending
  std::vector<FactorGroup> groups;     // all functions that are not in the table

  // Columns of the table that the first m functions need.
  [[nodiscard]] Index table_size(Index m) const;
};

[[nodiscard]] BasisPlan make_basis_plan(const std::vector<Family>& families,
                                        const IndexSet& indices);

}  // namespace chaosgrad::internal
