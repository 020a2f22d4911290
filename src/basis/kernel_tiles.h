#pragma once
// The register-level loops of the two kernels: Σ_j T_{columns[j]} · row_j for a strip of samples,
// and Σ_samples T_{columns[j]} · weights for a few j at a time.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "basis/basis_plan.h"
#include "basis/strip.h"

namespace chaosgrad::internal {

// Array bounds from counts that are otherwise signed.
constexpr std::size_t length(Index n) { return static_cast<std::size_t>(n); }

// How many components (or components × functions) are worked on together: what the registers hold.
inline constexpr bool many_registers = simd::registers == 32;
inline constexpr int fourier_components = many_registers ? 2 : 1;
inline constexpr int expand_components = many_registers ? 4 : 2;
inline constexpr int project_components = many_registers ? 4 : 2;
constexpr int project_functions(int components) { return (many_registers ? 24 : 8) / components; }

// Splits 0..count into chunks of nearly equal size, at most `largest`, and calls
// function.operator()<size>(first).
template <int largest, class Function>
[[gnu::always_inline]] inline void with_size(Index size, const Function& function) {
  if (size == largest)
    function.template operator()<largest>();
  else if constexpr (largest > 1)
    with_size<largest - 1>(size, function);
}
template <int largest, class Function>
[[gnu::always_inline]] inline void in_chunks(Index count, const Function& function) {
  Index chunks = (count + largest - 1) / largest;
  for (Index first = 0; chunks > 0; --chunks) {
    const Index size = (count - first + chunks - 1) / chunks;
    with_size<largest>(size, [&]<int n>() { function.template operator()<n>(first); });
    first += size;
  }
}

// first, first + 1, …: known offsets instead of looked-up ones.
struct CountFrom {
  Index first = 0;
  Index operator[](Index j) const { return first + j; }
};
[[nodiscard]] inline CountFrom operator+(CountFrom count, Index j) { return {count.first + j}; }

// Table columns, and the rows of the coefficients that belong to them.
template <class Columns = const std::int32_t*, class Rows = const std::int32_t*>
struct Terms {
  Columns columns = {};
  Rows rows = {};
  Index count = 0;
};
using ConsecutiveTerms = Terms<CountFrom, CountFrom>;

// Those of the group among the first m functions.
[[nodiscard]] inline Terms<> terms_of(const FactorGroup& group, Index m) {
  const auto end = group.rows.back() < m
                       ? group.rows.end()
                       : std::lower_bound(group.rows.begin(), group.rows.end(), m);
  return {group.columns.data(), group.rows.data(), end - group.rows.begin()};
}

// Calls function(number of the strip, its part of table column 0) for every strip with samples.
template <class Function>
[[gnu::always_inline]] inline void for_each_strip(const BasisBlock& psi, const Function& function) {
  for (Index s = 0; s * strip_samples < psi.samples(); ++s) {
    const Index first = s * strip_samples;
    function(s, psi.column(first / BasisBlock::tile, 0) + first % BasisBlock::tile);
  }
}

// Some components of coefficients or sums of them, row by row.
template <class Number>
struct Rows {
  Number* data;
  Index stride;
  [[nodiscard]] Number* row(Index i) const { return data + i * stride; }
};

template <int components>
struct StripSums {
  Strip sum[length(components)];

  [[gnu::always_inline]] StripSums() {
#pragma GCC unroll 8
    for (int c = 0; c < components; ++c) sum[c] = Strip::constant(0);
  }

  // sum_c += Σ_j T_{columns[j]} · coefficients(rows[j], c).
  template <class Columns, class Rows>
  [[gnu::always_inline]] void add(const double* table, const Terms<Columns, Rows>& terms,
                                  const double* coefficients, Index stride) {
#pragma GCC unroll 1
    for (Index j = 0; j < terms.count; ++j) {
      const Strip value = Strip::load_to_registers(table + terms.columns[j] * BasisBlock::tile);
      const double* row = coefficients + terms.rows[j] * stride;
#pragma GCC unroll 8
      for (int c = 0; c < components; ++c) {
        const simd::Pack factor = simd::broadcast(row[c]);
#pragma GCC unroll 4
        for (int p = 0; p < strip_packs; ++p)
          sum[c].pack[p] = simd::fma(value.pack[p], factor, sum[c].pack[p]);
      }
    }
  }

  // sum_c += factor · other_{first + c}.
  template <int others>
  [[gnu::always_inline]] void add_times(const Strip& factor, const StripSums<others>& other,
                                        int first) {
#pragma GCC unroll 8
    for (int c = 0; c < components; ++c) sum[c] = fma(factor, other.sum[first + c], sum[c]);
  }

  [[gnu::always_inline]] void read(const BlockOut& x, Index first, Index column) {
#pragma GCC unroll 8
    for (int c = 0; c < components; ++c)
      sum[c] = Strip::load_column(x.data() + (column + c) * x.outerStride(), x.rows(), first);
  }
  [[gnu::always_inline]] void write(BlockOut& x, Index first, Index column) const {
#pragma GCC unroll 8
    for (int c = 0; c < components; ++c)
      sum[c].store_column(x.data() + (column + c) * x.outerStride(), x.rows(), first);
  }
};

// Columns of numbers per sample; zero past the last sample, so that padding contributes nothing.
template <int components>
struct Weights {
  alignas(64) double value[length(components)][block_size];

  Weights() = default;
  // Columns column, column + 1, … of g, row s times factors[s] unless that is null.
  Weights(const Block& g, const double* factors, Index column) {
    const Index rows = g.rows(), whole = rows / simd::width * simd::width;
    const Index padded = (rows + BasisBlock::tile - 1) / BasisBlock::tile * BasisBlock::tile;
    for (int c = 0; c < components; ++c) {
      const double* from = g.data() + (column + c) * g.outerStride();
      for (Index i = 0; i < whole; i += simd::width) {
        const simd::Pack pack = simd::load(from + i);
        simd::store(value[c] + i, factors ? pack * simd::load(factors + i) : pack);
      }
      for (Index i = whole; i < rows; ++i) value[c][i] = factors ? from[i] * factors[i] : from[i];
      for (Index i = rows; i < padded; ++i) value[c][i] = 0;
    }
  }
  // T_column · other.
  void set_product(const BasisBlock& psi, Index column, const Weights& other) {
    for (Index t = 0; t < psi.tiles(); ++t) {
      const double* factor = psi.column(t, column);
      for (int c = 0; c < components; ++c)
#pragma GCC unroll 4
        for (Index j = 0; j < BasisBlock::tile; j += simd::width) {
          const Index i = t * BasisBlock::tile + j;
          simd::store(value[c] + i, simd::load(factor + j) * simd::load(other.value[c] + i));
        }
    }
  }

  // Sample i, in row j of the tile whose columns start at `table`.
  [[gnu::always_inline]] void read(Index i, const double*, Index,
                                   simd::Pack (&weight)[length(components)]) const {
#pragma GCC unroll 8
    for (int c = 0; c < components; ++c) weight[c] = simd::load(value[c] + i);
  }
};

// The products of all `weights` with T_column, then with the next column, …, kept as they are read.
template <int factors, int components>
struct ProductWeights {
  const Weights<components>& weights;
  Index column;
  Weights<factors * components>& products;

  [[gnu::always_inline]] void read(Index i, const double* table, Index j,
                                   simd::Pack (&weight)[length(factors * components)]) const {
    simd::Pack single[length(components)];
    weights.read(i, table, j, single);
#pragma GCC unroll 2
    for (int f = 0; f < factors; ++f) {
      const simd::Pack factor = simd::load(table + (column + f) * BasisBlock::tile + j);
#pragma GCC unroll 8
      for (int c = 0; c < components; ++c) {
        const int k = f * components + c;
        weight[k] = factor * single[c];
        simd::store(products.value[k] + i, weight[k]);
      }
    }
  }
};

// out(f, c) = Σ_samples T_{columns[f]} · weights_c; out has room for a whole number of packs.
template <int functions, int components, class Columns, class Source>
[[gnu::always_inline]] inline void project_tile(const BasisBlock& psi, const Columns& columns,
                                                const Source& weights, double* out) {
  constexpr int count = functions * components;
  constexpr int padded = (count + simd::width - 1) / simd::width * simd::width;
  simd::Pack sum[length(padded)];
#pragma GCC unroll 32
  for (int s = 0; s < padded; ++s) sum[s] = simd::Pack{};
  Index offset[length(functions)];
  for (int f = 0; f < functions; ++f) offset[f] = columns[f] * BasisBlock::tile;
  for (Index t = 0; t < psi.tiles(); ++t) {
    const double* table = psi.column(t, 0);
#pragma GCC unroll 2
    for (Index j = 0; j < BasisBlock::tile; j += simd::width) {
      simd::Pack weight[length(components)];
      weights.read(t * BasisBlock::tile + j, table, j, weight);
#pragma GCC unroll 24
      for (int f = 0; f < functions; ++f) {
        const simd::Pack value = simd::in_register(simd::load(table + offset[f] + j));
#pragma GCC unroll 8
        for (int c = 0; c < components; ++c)
          sum[f * components + c] = simd::fma(value, weight[c], sum[f * components + c]);
      }
    }
  }
#pragma GCC unroll 24
  for (int s = 0; s < padded; s += simd::width) simd::store(out + s, simd::sums_of_lanes(sum + s));
}

// out(j, k) = Σ_samples T_j · product_k, first ≤ j < end; out has room for one pack more.
template <int end, int factors, int components, int first = 0, class Source>
void project_first(const BasisBlock& psi, const Source& source,
                   const Weights<factors * components>& products, double* out) {
  constexpr int columns = factors * components;
  constexpr int largest = project_functions(columns), count = end - first;
  constexpr int chunks = (count + largest - 1) / largest, size = (count + chunks - 1) / chunks;
  project_tile<size, columns>(psi, CountFrom{first}, source, out + first * columns);
  if constexpr (size < count)
    project_first<end, factors, components, first + size>(psi, products, products, out);
}

// sums(rows[j], c) += Σ_samples T_{columns[j]} · weights_c.
template <int components, class Columns, class TermRows>
void project_terms(const BasisBlock& psi, const Terms<Columns, TermRows>& terms,
                   const Weights<components>& weights, const Rows<double>& sums) {
  constexpr int functions = project_functions(components);
  in_chunks<functions>(terms.count, [&]<int size>(Index first) {
    alignas(64) double total[length(size * components + simd::width)];
    project_tile<size, components>(psi, terms.columns + first, weights, total);
    if constexpr (std::is_same_v<TermRows, CountFrom>) {
      if (sums.stride == components) {  // one after the other
        double* rows = sums.row(terms.rows[first]);
        for (int k = 0; k < size * components; ++k) rows[k] += total[k];
        return;
      }
    }
    for (int f = 0; f < size; ++f) {
      double* row = sums.row(terms.rows[first + f]);
      for (int c = 0; c < components; ++c) row[c] += total[f * components + c];
    }
  });
}

}  // namespace chaosgrad::internal
