#include "basis/basis_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "basis/basis_axis.h"
#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

BasisAxis make_axis(const Family& family, Index degree) {
  BasisAxis axis;
  axis.fourier = family.kind() == Family::Kind::fourier;
  if (axis.fourier) {
    const double lower = family.distribution().lower(), upper = family.distribution().upper();
    axis.center = (lower + upper) / 2;
    axis.turns_per_unit = 1 / (upper - lower);
    axis.turns_per_unit_rest =
        std::fma(-axis.turns_per_unit, upper - lower, 1.0) * axis.turns_per_unit;
  } else if (family.distribution().is_discrete()) {
    axis.looked_up = family;
  } else {
    axis.recurrence = recurrence_kernel(family.recurrence(degree));
  }
  return axis;
}

std::vector<BasisAxis> make_axes(const std::vector<Family>& families, const IndexSet& indices) {
  const Index d = static_cast<Index>(families.size());
  if (d == 0) throw InputError("parameters", "a basis needs at least one dimension");
  if (indices.dimension() != d)
    throw InputError("index_set", "has dimension " + std::to_string(indices.dimension()) +
                                      ", but there are " + std::to_string(d) + " parameters");
  MultiIndex degree(families.size(), 0);
  for (const MultiIndex& index : indices.indices())
    for (std::size_t k = 0; k < degree.size(); ++k) degree[k] = std::max(degree[k], index[k]);
  std::vector<BasisAxis> axes;
  for (std::size_t k = 0; k < families.size(); ++k) {
    if (degree[k] > families[k].max_degree())
      throw InputError("index_set", "asks for degree " + std::to_string(degree[k]) +
                                        " in dimension " + std::to_string(k + 1) +
                                        ", where the functions end at " +
                                        std::to_string(families[k].max_degree()));
    axes.push_back(make_axis(families[k], degree[k]));
  }
  return axes;
}

// ν with only the dimensions begin … end − 1 kept.
MultiIndex restricted(const MultiIndex& index, std::size_t begin, std::size_t end) {
  MultiIndex result(index.size(), 0);
  for (std::size_t k = begin; k < end; ++k) result[k] = index[k];
  return result;
}

class Factoring {
 public:
  Factoring(const IndexSet& indices, BasisPlan& plan)
      : indices_(indices), plan_(plan), column_(static_cast<std::size_t>(indices.size()), -1) {}

  void run() {
    const auto d = static_cast<std::size_t>(indices_.dimension());
    // The split depends on d alone: functions have the same values in a larger basis.
    const std::size_t half = d / 2;
    std::vector<std::int32_t> group(static_cast<std::size_t>(indices_.size()), -1);
    for (Index i = 0; i < indices_.size(); ++i) {
      const MultiIndex& index = indices_[i];
      const std::int32_t left = column_of(restricted(index, 0, half), i);
      const std::int32_t right = column_of(restricted(index, half, d), i);
      plan_.left.push_back(left);
      plan_.right.push_back(right);
      if (left == 0 || right == 0) continue;
      std::int32_t& g = group[static_cast<std::size_t>(left)];
      if (g < 0) {
        g = static_cast<std::int32_t>(plan_.groups.size());
        plan_.groups.push_back({left, {}, {}});
      }
      plan_.groups[static_cast<std::size_t>(g)].columns.push_back(right);
      plan_.groups[static_cast<std::size_t>(g)].rows.push_back(static_cast<std::int32_t>(i));
    }
  }

 private:
  // Column of a function of one half, which is function i itself or an earlier one.
  std::int32_t column_of(const MultiIndex& index, Index i) {
    const Index position = indices_.position(index);
    std::int32_t& column = column_[static_cast<std::size_t>(position)];
    if (position == i && column < 0) {
      column = static_cast<std::int32_t>(plan_.table.size());
      add_column(index, i, column);
    }
    return column;
  }

  void add_column(const MultiIndex& index, Index i, std::int32_t column) {
    plan_.table.push_back(static_cast<std::int32_t>(i));
    std::size_t last = index.size();
    while (last > 0 && index[last - 1] == 0) --last;
    if (last == 0) {
      for (BasisAxis& axis : plan_.axes) axis.columns.push_back(column);
      return;
    }
    const std::int32_t left = column_of(restricted(index, 0, last - 1), i);
    std::vector<std::int32_t>& axis = plan_.axes[last - 1].columns;
    if (left == 0)
      axis.push_back(column);
    else
      plan_.products.push_back({column, left, axis[static_cast<std::size_t>(index[last - 1])]});
  }

  const IndexSet& indices_;
  BasisPlan& plan_;
  std::vector<std::int32_t> column_;  // per function: its column in the table, −1 if it has none
};

}  // namespace

Index BasisPlan::table_size(Index m) const {
  if (!single_fourier) return std::lower_bound(table.begin(), table.end(), m) - table.begin();
  const Index anchors = harmonic_groups(m);
  if (anchors == 0) return m;
  return harmonic_columns + 2 * anchors + std::max<Index>(0, m - harmonic_tail(anchors));
}

BasisPlan make_basis_plan(const std::vector<Family>& families, const IndexSet& indices) {
  BasisPlan plan;
  plan.axes = make_axes(families, indices);
  plan.single_fourier = families.size() == 1 && plan.axes[0].fourier;
  if (!plan.single_fourier) Factoring(indices, plan).run();
  return plan;
}

}  // namespace chaosgrad::internal
