// Kernels over components: sum, lowest, dot, norm2, products. The order of the additions is the
// order of the components, for every sample alike. (A library product would choose it by the size
// of the block.)
#include "expression/kernels/kernels.h"
#include "numeric/functions.h"

namespace chaosgrad::internal::kernels {
namespace {

using simd::broadcast, simd::load, simd::Pack, simd::store, simd::width;

// Runs body(first sample, packs) over the samples, `wide` packs at a time while possible: several
// sums in flight.
constexpr int wide = 4;
template <class Body>
void over_packs(Index samples, Body body) {
  Index i = 0;
  for (; i + wide * width <= samples; i += wide * width) {
    body(i, std::integral_constant<int, wide>());
  }
  for (; i < samples; i += width) body(i, std::integral_constant<int, 1>());
}

Index sample_offset(const View& view, Index i) { return view.step == 0 ? 0 : i; }

// out = finish(Σⱼ term(accumulator, j, pack offsets))
template <class Finish>
void inner_product(const Call& call, const View& a, const View& b, Finish finish) {
  over_packs(call.samples, [&](Index i, auto packs) {
    Pack total[packs()] = {};
    const double* left = a.data + sample_offset(a, i);
    const double* right = b.data + sample_offset(b, i);
    for (Index j = 0; j < call.columns; ++j, left += a.column_stride, right += b.column_stride) {
      for (int p = 0; p < packs(); ++p) {
        total[p] = simd::fma(load(left + p * a.step), load(right + p * b.step), total[p]);
      }
    }
    for (int p = 0; p < packs(); ++p) store(call.out.data + i + p * width, finish(total[p]));
  });
}

// Rows [i, i + rows) of one column of the constant product, for some packs.
template <int rows, int packs>
void product_tile(const Call& call, Index row, Index column, Index sample) {
  constexpr std::size_t sums = rows * packs;
  Pack total[sums] = {};
  const double* matrix = call.matrix + row;
  const double* b = call.b.data + column * call.inner * call.b.column_stride + sample;
  for (Index k = 0; k < call.inner; ++k, matrix += call.rows, b += call.b.column_stride) {
    for (int p = 0; p < packs; ++p) {
      const Pack value = load(b + p * width);
      for (int r = 0; r < rows; ++r) {
        total[r * packs + p] = simd::fma(broadcast(matrix[r]), value, total[r * packs + p]);
      }
    }
  }
  double* out = call.out.data + (row + column * call.rows) * call.out.column_stride + sample;
  for (int r = 0; r < rows; ++r, out += call.out.column_stride) {
    for (int p = 0; p < packs; ++p) store(out + p * width, total[r * packs + p]);
  }
}

}  // namespace

void sum(const Call& call) {
  over_packs(call.samples, [&](Index i, auto packs) {
    Pack total[packs()] = {};
    for (Index j = 0; j < call.columns; ++j) {
      const double* a = call.a.data + j * call.a.column_stride + i;
      for (int p = 0; p < packs(); ++p) total[p] += load(a + p * width);
    }
    for (int p = 0; p < packs(); ++p) store(call.out.data + i + p * width, total[p]);
  });
}

void lowest(const Call& call) {
  static const Kernel minimum = elementwise_kernel(Op::min);
  Call pair = call;
  pair.columns = 1;
  pair.b = {call.out.data, 0, width};
  for (Index j = 0; j < call.columns; ++j, pair.a.data += call.a.column_stride)
    j == 0 ? copy(pair) : minimum(pair);
}

void dot(const Call& call) {
  inner_product(call, call.a, call.b, [](Pack total) { return total; });
}

void norm2(const Call& call) {
  inner_product(call, call.a, call.a, [](Pack total) { return simd::sqrt(total); });
}

void constant_product(const Call& call) {
  constexpr int tile = 4;
  for (Index column = 0; column < call.columns / call.rows; ++column) {
    over_packs(call.samples, [&](Index i, auto packs) {
      Index row = 0;
      for (; row + tile <= call.rows; row += tile)
        product_tile<tile, packs()>(call, row, column, i);
      for (; row < call.rows; ++row) product_tile<1, packs()>(call, row, column, i);
    });
  }
}

void product(const Call& call) {
  for (Index j = 0; j < call.columns; ++j) {
    const Index row = j % call.rows, column = j / call.rows;
    Call entry = call;
    entry.columns = call.inner;
    entry.out.data += j * call.out.column_stride;
    entry.a.data += row * call.a.column_stride;
    entry.a.column_stride *= call.rows;
    entry.b.data += column * call.inner * call.b.column_stride;
    dot(entry);
  }
}

void outer(const Call& call) {
  static const Kernel multiply = elementwise_kernel(Op::multiply);
  for (Index column = 0; column < call.columns / call.rows; ++column) {
    Call entry = call;
    entry.columns = call.rows;
    entry.out.data += column * call.rows * call.out.column_stride;
    entry.b.data += column * call.b.column_stride;
    entry.b.column_stride = 0;
    multiply(entry);
  }
}

void transpose(const Call& call) {
  const Index columns = call.columns / call.rows;
  for (Index row = 0; row < call.rows; ++row) {
    Call entry = call;
    entry.columns = columns;
    entry.a.data += row * call.a.column_stride;
    entry.a.column_stride *= call.rows;
    entry.out.data += row * columns * call.out.column_stride;
    copy(entry);
  }
}

}  // namespace chaosgrad::internal::kernels
