#include "basis/kernels.h"

#include <algorithm>
#include <cassert>

#include "basis/basis_axis.h"
#include "basis/kernel_tiles.h"
#include "basis/portions.h"

namespace chaosgrad::internal {
namespace {

// What the coefficients of one group around an anchor become when the addition theorems are applied
// to them instead of to the functions: v(r, c) multiplies cos a · T_r and v(r, components + c)
// multiplies sin a · T_r, where T_r is the constant or √2 cos n, √2 sin n.
template <int components>
using TurnedRows = double[harmonic_columns + simd::width][2 * length(components)];

// Some components of a row, as a vector of fixed size.
template <int components>
using Part = Eigen::Map<Eigen::Array<double, components, 1>>;
template <int components>
using ConstPart = Eigen::Map<const Eigen::Array<double, components, 1>>;

// `rows`, `stride` apart, are those of cos(a − reach), sin(a − reach), …, sin(a + reach).
template <int components>
void turn_coefficients(const double* rows, Index stride, TurnedRows<components>& v) {
  const auto cos = [&](Index n) {
    return ConstPart<components>(rows + 2 * (harmonic_reach + n) * stride);
  };
  const auto sin = [&](Index n) {
    return ConstPart<components>(rows + (2 * (harmonic_reach + n) + 1) * stride);
  };
  const auto of_cos = [&](Index r) { return Part<components>(v[r]); };
  const auto of_sin = [&](Index r) { return Part<components>(v[r] + components); };
  of_cos(0) = sqrt2 * cos(0);
  of_sin(0) = sqrt2 * sin(0);
  for (Index n = 1; n <= harmonic_reach; ++n) {
    of_cos(2 * n - 1) = cos(n) + cos(-n);
    of_sin(2 * n - 1) = sin(n) + sin(-n);
    of_cos(2 * n) = sin(n) - sin(-n);
    of_sin(2 * n) = cos(-n) - cos(n);
  }
}

// The transpose: sums of g cos a · T_r and g sin a · T_r become those of the functions.
template <int components>
void turn_sums(const TurnedRows<components>& v, double* rows, Index stride) {
  const auto cos = [&](Index n) {
    return Part<components>(rows + 2 * (harmonic_reach + n) * stride);
  };
  const auto sin = [&](Index n) {
    return Part<components>(rows + (2 * (harmonic_reach + n) + 1) * stride);
  };
  const auto of_cos = [&](Index r) { return ConstPart<components>(v[r]); };
  const auto of_sin = [&](Index r) { return ConstPart<components>(v[r] + components); };
  cos(0) += sqrt2 * of_cos(0);
  sin(0) += sqrt2 * of_sin(0);
  for (Index n = 1; n <= harmonic_reach; ++n) {
    cos(n) += of_cos(2 * n - 1) - of_sin(2 * n);
    cos(-n) += of_cos(2 * n - 1) + of_sin(2 * n);
    sin(n) += of_sin(2 * n - 1) + of_cos(2 * n);
    sin(-n) += of_sin(2 * n - 1) - of_cos(2 * n);
  }
}

// Table columns and functions of the tabulated harmonics and of those after the last group; and the
// groups between them, g = 0, 1, …, of which the last may lack functions.
struct FourierTerms {
  Index m, groups;
  ConsecutiveTerms tabulated, tail;

  explicit FourierTerms(const BasisBlock& psi) : m(psi.functions()), groups(harmonic_groups(m)) {
    const Index after = harmonic_tail(groups);
    tabulated = {{0}, {0}, groups == 0 ? m : harmonic_columns};
    if (groups > 0 && after < m) tail = {{harmonic_columns + 2 * groups}, {after}, m - after};
  }
  [[nodiscard]] static Index first(Index g) { return harmonic_tail(g); }
  [[nodiscard]] Index present(Index g) const { return std::min(2 * harmonic_span, m - first(g)); }
  [[nodiscard]] static Index anchor(Index g) { return harmonic_columns + 2 * g; }  // its column
};

// The coefficients of a group, filled up with zeros.
template <int components>
using GroupRows = Eigen::Matrix<double, 2 * harmonic_span, components,
                                components == 1 ? Eigen::ColMajor : Eigen::RowMajor>;

template <int components>
void turn_group(const FourierTerms& terms, Index g, const Coefficients& u, Index column,
                TurnedRows<components>& v) {
  const Index first = terms.first(g), present = terms.present(g);
  if (present == 2 * harmonic_span)
    return turn_coefficients<components>(u.data() + first * u.cols() + column, u.cols(), v);
  GroupRows<components> rows = GroupRows<components>::Zero();
  rows.topRows(present) = u.block(first, column, present, components);
  turn_coefficients<components>(rows.data(), components, v);
}

template <int components>
void turn_group_sums(const FourierTerms& terms, Index g, const TurnedRows<components>& v,
                     Index column, Coefficients& sums) {
  const Index first = terms.first(g), present = terms.present(g);
  if (present == 2 * harmonic_span)
    return turn_sums<components>(v, sums.data() + first * sums.cols() + column, sums.cols());
  GroupRows<components> rows = GroupRows<components>::Zero();
  turn_sums<components>(v, rows.data(), components);
  sums.block(first, column, present, components) += rows.topRows(present);
}

template <int components>
void expand_fourier(const BasisBlock& psi, const Coefficients& u, Index column, BlockOut& x) {
  // Groups whose coefficients are turned together: what a strip has summed up stays in registers
  // from one of them to the next, and is kept in x from one batch to the next.
  constexpr Index batch = 8;
  alignas(64) TurnedRows<components> v[batch];
  const FourierTerms terms(psi);
  constexpr ConsecutiveTerms right{{0}, {0}, harmonic_columns};
  Index begin = 0;
  do {
    const Index end = std::min(begin + batch, terms.groups);
    for (Index g = begin; g < end; ++g) turn_group<components>(terms, g, u, column, v[g - begin]);
    for_each_strip(psi, [&](Index s, const double* table) {
      StripSums<components> sum;
      if (begin == 0) {
        sum.add(table, terms.tabulated, u.data() + column, u.cols());
        sum.add(table, terms.tail, u.data() + column, u.cols());
      } else {
        sum.read(x, s * strip_samples, column);
      }
      const double* anchor = table + terms.anchor(begin) * BasisBlock::tile;
      for (Index g = begin; g < end; ++g, anchor += 2 * BasisBlock::tile) {
        StripSums<2 * components> inner;
        inner.add(table, right, &v[g - begin][0][0], 2 * components);
        sum.add_times(Strip::load(anchor), inner, 0);
        sum.add_times(Strip::load(anchor + BasisBlock::tile), inner, components);
      }
      sum.write(x, s * strip_samples, column);
    });
    begin = end;
  } while (begin < terms.groups);
}

template <int components>
void expand_products(const BasisBlock& psi, const Coefficients& u, Index column, BlockOut& x) {
  const BasisPlan& plan = psi.plan();
  const double* rows = u.data() + column;
  const Index m = psi.functions();
  const Terms<CountFrom> tabulated{{0}, plan.table.data(), plan.table_size(m)};
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
  const Rows<double> rows{sums.data() + column, sums.cols()};
  project_terms(psi, terms.tabulated, weights, rows);
  project_terms(psi, terms.tail, weights, rows);
  for (Index group = 0; group < terms.groups; ++group) {
    Weights<2 * components> turned;
    alignas(64) TurnedRows<components> v;
    project_first<harmonic_columns, 2, components>(
        psi, ProductWeights<2, components>{weights, terms.anchor(group), turned}, turned, &v[0][0]);
    turn_group_sums<components>(terms, group, v, column, sums);
  }
}

template <int components>
void project_products(const BasisBlock& psi, const Block& g, const double* factors, Index column,
                      Coefficients& sums) {
  const BasisPlan& plan = psi.plan();
  const Index m = psi.functions();
  const Weights<components> weights(g, factors, column);
  const Rows<double> rows{sums.data() + column, sums.cols()};
  project_terms(psi, Terms<CountFrom>{{0}, plan.table.data(), plan.table_size(m)}, weights, rows);
  for (const FactorGroup& group : plan.groups) {
    if (group.rows.front() >= m) break;
    Weights<components> product;
    product.set_product(psi, group.left, weights);
    project_terms(psi, terms_of(group, m), product, rows);
  }
}

}  // namespace

void expand(const BasisBlock& psi, const Coefficients& u, BlockOut x) {
  assert(x.rows() == psi.samples() && u.rows() >= psi.functions() && u.cols() == x.cols());
  if (psi.plan().single_fourier)
    in_chunks<fourier_components>(x.cols(), [&]<int components>(Index column) {
      expand_fourier<components>(psi, u, column, x);
    });
  else if (in_portions(psi.functions(), x.cols(), expand_components))
    expand_portions<expand_components>(psi, u, x);
  else
    in_chunks<expand_components>(x.cols(), [&]<int components>(Index column) {
      expand_products<components>(psi, u, column, x);
    });
}

void project(const BasisBlock& psi, const Block& g, Coefficients& sums) {
  project(psi, g, nullptr, sums);
}

void project(const BasisBlock& psi, const Block& g, const double* weights, Coefficients& sums) {
  assert(g.rows() == psi.samples() && sums.rows() >= psi.functions() && sums.cols() == g.cols());
  if (psi.plan().single_fourier)
    in_chunks<fourier_components>(g.cols(), [&]<int components>(Index column) {
      project_fourier<components>(psi, g, weights, column, sums);
    });
  else if (in_portions(psi.functions(), g.cols(), project_components))
    project_portions<project_components>(psi, g, weights, sums);
  else
    in_chunks<project_components>(g.cols(), [&]<int components>(Index column) {
      project_products<components>(psi, g, weights, column, sums);
    });
}

void read_column(const BasisBlock& psi, Index column, double factor, double* values) {
  for_each_strip(psi, [&](Index s, const double* table) {
    (Strip::load(table + column * BasisBlock::tile) * factor)
        .store_column(values, psi.samples(), s * strip_samples);
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
  const auto sum = [](const double* table, const auto& terms) {
    Strip result = Strip::constant(0);
    for (Index j = 0; j < terms.count; ++j) {
      const Strip value = Strip::load(table + terms.columns[j] * BasisBlock::tile);
      result = fma(value, value, result);
    }
    return result;
  };
  for_each_strip(psi, [&](Index s, const double* table) {
    Strip result = sum(table, Terms<CountFrom>{{0}, plan.table.data(), plan.table_size(m)});
    for (const FactorGroup& group : plan.groups) {
      if (group.rows.front() >= m) break;
      const Strip left = Strip::load(table + group.left * BasisBlock::tile);
      result = fma(left * left, sum(table, terms_of(group, m)), result);
    }
    result.store_column(squares, psi.samples(), s * strip_samples);
  });
}

}  // namespace chaosgrad::internal
