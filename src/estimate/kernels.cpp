#include "estimate/kernels.h"

#include <algorithm>
#include <cassert>

#include "basis/basis_axis.h"
#include "estimate/kernel_tiles.h"

namespace chaosgrad {
namespace {

// What the coefficients of one group around an anchor become when the addition theorems are applied
// to them instead of to the functions: v(r, c) multiplies cos a · T_r and v(r, components + c)
// multiplies sin a · T_r, where T_r is the constant or √2 cos n, √2 sin n.
template <int components>
using TurnedRows = double[harmonic_columns + simd::width][2 * length(components)];

template <int components>
void turn_coefficients(const Coefficients& u, Index column, Index a, TurnedRows<components>& v) {
  const auto row = [&](Index h) { return u.data() + (2 * h - 1) * u.cols() + column; };
  const Index q = u.cols();
  for (int c = 0; c < components; ++c) {
    v[0][c] = sqrt2 * row(a)[c];
    v[0][components + c] = sqrt2 * row(a)[q + c];
  }
  for (Index n = 1; n <= harmonic_reach; ++n) {
    const double *plus = row(a + n), *minus = row(a - n);
    for (int c = 0; c < components; ++c) {
      v[2 * n - 1][c] = plus[c] + minus[c];
      v[2 * n - 1][components + c] = plus[q + c] + minus[q + c];
      v[2 * n][c] = plus[q + c] - minus[q + c];
      v[2 * n][components + c] = minus[c] - plus[c];
    }
  }
}

// The transpose: sums of g cos a · T_r and g sin a · T_r become those of the functions.
template <int components>
void turn_sums(const TurnedRows<components>& v, Index column, Index a, Coefficients& sums) {
  const auto row = [&](Index h) { return sums.data() + (2 * h - 1) * sums.cols() + column; };
  const Index q = sums.cols();
  for (int c = 0; c < components; ++c) {
    row(a)[c] += sqrt2 * v[0][c];
    row(a)[q + c] += sqrt2 * v[0][components + c];
  }
  for (Index n = 1; n <= harmonic_reach; ++n) {
    double *plus = row(a + n), *minus = row(a - n);
    for (int c = 0; c < components; ++c) {
      plus[c] += v[2 * n - 1][c] - v[2 * n][components + c];
      minus[c] += v[2 * n - 1][c] + v[2 * n][components + c];
      plus[q + c] += v[2 * n - 1][components + c] + v[2 * n][c];
      minus[q + c] += v[2 * n - 1][components + c] - v[2 * n][c];
    }
  }
}

// Table columns and functions of the tabulated harmonics and of those after the last whole group.
struct FourierTerms {
  Terms tabulated, tail;
  Index groups;

  explicit FourierTerms(const BasisBlock& psi) : groups(harmonic_groups(psi.functions())) {
    const Index m = psi.functions(), after = harmonic_tail(groups);
    const std::int32_t* count = psi.plan().count.data();
    tabulated = {count, count, groups == 0 ? m : harmonic_columns};
    if (groups > 0) tail = {count + harmonic_columns + 2 * groups, count + after, m - after};
  }
};

template <int components>
void expand_fourier(const BasisBlock& psi, const Coefficients& u, Index column, BlockOut& x) {
  const FourierTerms terms(psi);
  StripSums<components> sums[block_size / strip_samples];
  for_each_strip(psi, [&](Index s, const double* table) {
    StripSums<components> sum;
    sum.add(table, terms.tabulated, u.data() + column, u.cols());
    sum.add(table, terms.tail, u.data() + column, u.cols());
    sums[s] = sum;
  });
  for (Index g = 1; g <= terms.groups; ++g) {
    alignas(64) TurnedRows<components> v;
    turn_coefficients<components>(u, column, g * harmonic_span, v);
    const Terms right{psi.plan().count.data(), psi.plan().count.data(), harmonic_columns};
    for_each_strip(psi, [&](Index s, const double* table) {
      StripSums<2 * components> inner;
      inner.add(table, right, &v[0][0], 2 * components);
      const double* anchor = table + (harmonic_columns + 2 * (g - 1)) * BasisBlock::tile;
      sums[s].add_times(Strip::load(anchor), inner, 0);
      sums[s].add_times(Strip::load(anchor + BasisBlock::tile), inner, components);
    });
  }
  for_each_strip(psi, [&](Index s, const double*) { sums[s].write(x, s * strip_samples, column); });
}

template <int components>
void expand_products(const BasisBlock& psi, const Coefficients& u, Index column, BlockOut& x) {
  const BasisPlan& plan = psi.plan();
  const double* rows = u.data() + column;
  const Index m = psi.functions();
  const Terms tabulated{plan.count.data(), plan.table.data(), plan.table_size(m)};
  for_each_strip(psi, [&](Index s, const double* table) {
    StripSums<components> sums;
    sums.add(table, tabulated, rows, u.cols());
    for (const FactorGroup& group : plan.groups) {
      if (group.rows.front() >= m) break;
      StripSums<components> inner;
      inner.add(table, terms_of(group, m), rows, u.cols());
      sums.add_times(Strip::load(table + group.left * BasisBlock::tile), inner, 0);
    }
    sums.write(x, s * strip_samples, column);
  });
}

template <int components>
void project_fourier(const BasisBlock& psi, const Block& g, const double* factors, Index column,
                     Coefficients& sums) {
  const FourierTerms terms(psi);
  const Weights<components> weights(g, factors, column);
  project_terms<components>(psi, terms.tabulated, weights, column, sums);
  project_terms<components>(psi, terms.tail, weights, column, sums);
  for (Index group = 1; group <= terms.groups; ++group) {
    const Index anchor = harmonic_columns + 2 * (group - 1);
    Weights<2 * components> turned;
    turned.set_product(psi, anchor, weights, 0);
    turned.set_product(psi, anchor + 1, weights, components);
    alignas(64) TurnedRows<components> v;
    project_first<harmonic_columns>(psi, turned, &v[0][0]);
    turn_sums<components>(v, column, group * harmonic_span, sums);
  }
}

template <int components>
void project_products(const BasisBlock& psi, const Block& g, const double* factors, Index column,
                      Coefficients& sums) {
  const BasisPlan& plan = psi.plan();
  const Index m = psi.functions();
  const Weights<components> weights(g, factors, column);
  project_terms<components>(psi, {plan.count.data(), plan.table.data(), plan.table_size(m)},
                            weights, column, sums);
  for (const FactorGroup& group : plan.groups) {
    if (group.rows.front() >= m) break;
    Weights<components> product;
    product.set_product(psi, group.left, weights, 0);
    project_terms<components>(psi, terms_of(group, m), product, column, sums);
  }
}

}  // namespace

void expand(const BasisBlock& psi, const Coefficients& u, BlockOut x) {
  assert(x.rows() == psi.samples() && u.rows() >= psi.functions() && u.cols() == x.cols());
  if (psi.plan().single_fourier)
    in_chunks<fourier_components>(x.cols(), [&]<int components>(Index column) {
      expand_fourier<components>(psi, u, column, x);
    });
  else
    in_chunks<expand_components>(x.cols(), [&]<int components>(Index column) {
      expand_products<components>(psi, u, column, x);
    });
}

void project(const BasisBlock& psi, Block g, Coefficients& sums) { project(psi, g, nullptr, sums); }

void project(const BasisBlock& psi, Block g, const double* weights, Coefficients& sums) {
  assert(g.rows() == psi.samples() && sums.rows() >= psi.functions() && sums.cols() == g.cols());
  if (psi.plan().single_fourier)
    in_chunks<fourier_components>(g.cols(), [&]<int components>(Index column) {
      project_fourier<components>(psi, g, weights, column, sums);
    });
  else
    in_chunks<project_components>(g.cols(), [&]<int components>(Index column) {
      project_products<components>(psi, g, weights, column, sums);
    });
}

void sum_of_squares(const BasisBlock& psi, double* squares) {
  const BasisPlan& plan = psi.plan();
  const Index m = psi.functions();
  if (plan.single_fourier) {  // cos² + sin² = 1, and perhaps a cosine without its sine
    for (Index s = 0; s < psi.samples(); ++s) {
      const double last = m % 2 == 0 ? psi(s, m - 1) : 1;
      squares[s] = static_cast<double>(m - 1) + last * last;
    }
    return;
  }
  const auto sum = [](const double* table, const Terms& terms) {
    Strip result = Strip::constant(0);
    for (Index j = 0; j < terms.count; ++j) {
      const Strip value = Strip::load(table + terms.columns[j] * BasisBlock::tile);
      result = fma(value, value, result);
    }
    return result;
  };
  for_each_strip(psi, [&](Index s, const double* table) {
    Strip result = sum(table, {plan.count.data(), plan.table.data(), plan.table_size(m)});
    for (const FactorGroup& group : plan.groups) {
      if (group.rows.front() >= m) break;
      const Strip left = Strip::load(table + group.left * BasisBlock::tile);
      result = fma(left * left, sum(table, terms_of(group, m)), result);
    }
    result.store_column(squares, psi.samples(), s * strip_samples);
  });
}

}  // namespace chaosgrad
