#include "chaosgrad/basis.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "basis/basis_axis.h"
#include "basis/basis_plan.h"
#include "basis/basis_supremum.h"

namespace chaosgrad {
using namespace internal;
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The table of a single trigonometric dimension: the tabulated harmonics, cos and sin of the
// anchors of the groups left to the kernels, then the functions after the last of them.
void fourier_table_strip(const BasisPlan& plan, const Strip& eta, Index m, double* table) {
  const Index groups = harmonic_groups(m);
  const Index gap = groups == 0 ? 0 : harmonic_tail(groups) - harmonic_columns - 2 * groups;
  const auto column = [&](Index n) {
    return table + (n < harmonic_columns ? n : n - gap) * BasisBlock::tile;
  };
  const auto anchor = [&](Index g, const Harmonic& value) {
    double* pair = table + (harmonic_columns + 2 * (g - 1)) * BasisBlock::tile;
    value.cos.store(pair);
    value.sin.store(pair + BasisBlock::tile);
  };
  fourier_strip(plan.axes[0], eta, m, groups, column, anchor);
}

// B_0 … B_{count−1} of a discrete distribution; column(n) is where B_n goes.
template <class Column>
void looked_up_strip(const Family& family, const Strip& eta, Index count, const Column& column) {
  alignas(64) double points[strip_samples];
  eta.store(points);
  Matrix values(strip_samples, count);
  family.values(points, strip_samples, values);
  for (Index n = 0; n < count; ++n) std::copy_n(values.col(n).data(), strip_samples, column(n));
}

void product_table_strip(const BasisPlan& plan, const Block& eta, Index first, Index columns,
                         double* table) {
  for (Index k = 0; k < eta.cols(); ++k) {
    const BasisAxis& axis = plan.axes[at(k)];
    const Strip strip = Strip::load_column(eta.data() + k * eta.outerStride(), eta.rows(), first);
    const auto end = axis.columns.back() < columns
                         ? axis.columns.end()
                         : std::lower_bound(axis.columns.begin(), axis.columns.end(), columns);
    const Index count = end - axis.columns.begin();
    const auto column = [&](Index n) { return table + axis.columns[at(n)] * BasisBlock::tile; };
    if (axis.looked_up)
      looked_up_strip(*axis.looked_up, strip, count, column);
    else if (axis.fourier)
      fourier_strip(axis, strip, count, 0, column, [](Index, const Harmonic&) {});
    else
      polynomial_strip(axis.recurrence, strip, count, column);
  }
  for (const TableProduct& product : plan.products) {
    if (product.column >= columns) break;
    const Strip left = Strip::load(table + product.left * BasisBlock::tile);
    const Strip right = Strip::load(table + product.right * BasisBlock::tile);
    (left * right).store(table + product.column * BasisBlock::tile);
  }
}

}  // namespace

void BasisBlock::resize(Index samples, Index functions,
                        const std::shared_ptr<const BasisPlan>& plan) {
  if (plan_ != plan) plan_ = plan;
  samples_ = samples;
  functions_ = functions;
  columns_ = plan->table_size(functions);
  const Index needed = tiles() * tile * columns_;
  if (table_.size() < needed) table_.resize(needed);
}

double BasisBlock::operator()(Index sample, Index i) const {
  const auto value = [&](Index c) { return column(sample / tile, c)[sample % tile]; };
  if (!plan_->single_fourier) return value(plan_->left[at(i)]) * value(plan_->right[at(i)]);
  const Index groups = harmonic_groups(functions_), tail = harmonic_tail(groups);
  if (i < harmonic_columns || groups == 0) return value(i);
  if (i >= tail) return value(harmonic_columns + 2 * groups + i - tail);
  const Index h = (i + 1) / 2, g = (h + harmonic_reach) / harmonic_span;
  const Index n = std::abs(h - g * harmonic_span);
  const double cos_a = value(harmonic_columns + 2 * g - 2),
               sin_a = value(harmonic_columns + 2 * g - 1);
  if (n == 0) return sqrt2 * (i % 2 == 1 ? cos_a : sin_a);
  const double cos_n = value(2 * n - 1),
               sin_n = h < g * harmonic_span ? -value(2 * n) : value(2 * n);
  return i % 2 == 1 ? simd::fma(cos_a, cos_n, -(sin_a * sin_n))
                    : simd::fma(sin_a, cos_n, cos_a * sin_n);
}

Index BasisBlock::column_of(Index k, Index degree) const {
  if (plan_->single_fourier) {
    const Index tabulated = harmonic_groups(functions_) == 0 ? functions_ : harmonic_columns;
    return degree < tabulated ? degree : -1;
  }
  const std::vector<std::int32_t>& columns = plan_->axes[at(k)].columns;
  return at(degree) < columns.size() && columns[at(degree)] < columns_ ? columns[at(degree)] : -1;
}

Basis::Basis(std::vector<Family> families, IndexSet indices)
    : families_(std::move(families)),
      indices_(std::move(indices)),
      plan_(std::make_shared<const BasisPlan>(make_basis_plan(families_, indices_))),
      supremum_(std::make_shared<BasisSupremum>()) {}

void Basis::evaluate(const Block& eta, Index m, BasisBlock& psi) const {
  assert(eta.cols() == dimension() && 0 < m && m <= size());
  psi.resize(eta.rows(), m, plan_);
  for (Index first = 0; first < psi.tiles() * BasisBlock::tile; first += strip_samples) {
    double* strip = psi.column(first / BasisBlock::tile, 0) + first % BasisBlock::tile;
    if (plan_->single_fourier)
      fourier_table_strip(*plan_, Strip::load_column(eta.data(), eta.rows(), first), m, strip);
    else
      product_table_strip(*plan_, eta, first, psi.columns_, strip);
  }
}

Matrix Basis::gradient(const Vector& eta, Index m) const {
  assert(eta.size() == dimension() && 0 < m && m <= size());
  const Index d = dimension();
  std::vector<Matrix> values(families_.size()), derivatives(families_.size());
  for (Index k = 0; k < d; ++k) {
    int degree = 0;
    for (Index i = 0; i < m; ++i) degree = std::max(degree, indices_[i][at(k)]);
    values[at(k)].resize(1, degree + 1);
    derivatives[at(k)].resize(1, degree + 1);
    families_[at(k)].values(&eta[k], 1, values[at(k)]);
    families_[at(k)].derivatives(&eta[k], 1, derivatives[at(k)]);
  }
  Matrix result(m, d);
  Vector after(d + 1);  // after[k] = Π_{l ≥ k} B_{ν_l}
  for (Index i = 0; i < m; ++i) {
    const MultiIndex& index = indices_[i];
    after[d] = 1;
    for (Index k = d - 1; k >= 0; --k) after[k] = after[k + 1] * values[at(k)](0, index[at(k)]);
    double before = 1;
    for (Index k = 0; k < d; ++k) {
      result(i, k) = before * derivatives[at(k)](0, index[at(k)]) * after[k + 1];
      before *= values[at(k)](0, index[at(k)]);
    }
  }
  return result;
}

double Basis::Q(Index m) const {
  assert(0 < m && m <= size());
  return supremum_->value(families_, indices_, m);
}

void Basis::christoffel_sample(const Block& u, Index m, BlockOut eta) const {
  assert(u.cols() == dimension() + 1 && eta.cols() == dimension() && eta.rows() == u.rows());
  assert(0 < m && m <= size());
  for (Index s = 0; s < u.rows(); ++s) {
    const double pick = u(s, dimension()) * static_cast<double>(m);
    const MultiIndex& index = indices_[std::min(static_cast<Index>(pick), m - 1)];
    for (Index k = 0; k < dimension(); ++k)
      eta(s, k) = families_[at(k)].induced_quantile(index[at(k)], u(s, k));
  }
}

double function_count(const std::vector<Family>& families) {
  double count = 1;
  for (const Family& family : families) count *= static_cast<double>(family.max_degree() + 1);
  return count;
}

IndexOrder limited_order(const std::vector<Family>& families, IndexOrder order) {
  order.max_degree.clear();
  for (const Family& family : families) {
    order.max_degree.push_back(static_cast<int>(std::min<Index>(family.max_degree(), 1 << 20)));
  }
  return order;
}

}  // namespace chaosgrad
