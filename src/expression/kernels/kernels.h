#pragma once
// The loops of the evaluation: one operation over the samples of a block. Samples come in whole
// packs; what a kernel computes for a sample does not depend on the number of samples or on the
// place of the sample among them.
#include "expression/expression.h"

namespace chaosgrad::internal {

// Component j of an operand starts at data + j·column_stride. Its samples are consecutive (step =
// pack width), or it is a constant: one pack of equal values (step = 0). A scalar among vectors has
// column_stride 0.
struct View {
  const double* data = nullptr;
  Index column_stride = 0;
  Index step = 0;
};

struct Target {
  double* data = nullptr;
  Index column_stride = 0;
};

struct Call;
using Kernel = void (*)(const Call&);

struct Call {
  Kernel kernel = nullptr;
  Target out, second;  // second: the partner of a sine
  View a, b, c;
  Index columns = 1;               // components of the result; of the operands in dot, sum, norm2
  Index rows = 1, inner = 1;       // product: (rows × inner)·(inner × columns/rows); outer: rows
  int half_power = 0;              // integer_power: twice the exponent
  const double* matrix = nullptr;  // constant_product: column by column
  Index samples = 0;               // a multiple of the pack width
};

// The element-wise kernel of an operation; null for the others.
[[nodiscard]] Kernel elementwise_kernel(Op op);

// A power with this exponent is computed by multiplications (and a square root).
[[nodiscard]] bool is_integer_power(double exponent);

namespace kernels {
void copy(const Call& call);
void sincos(const Call& call);             // out = sin a, second = cos a
void double_sine(const Call& call);        // out = sin a, second = sin 2a
void integer_power(const Call& call);      // a^(half_power/2)
void multiply_add(const Call& call);       // a·b + c
void multiply_subtract(const Call& call);  // a·b − c
void subtract_product(const Call& call);   // c − a·b
void add_multiply(const Call& call);       // (a + b)·c
void subtract_multiply(const Call& call);  // (a − b)·c
void add_abs(const Call& call);            // |a + b|
void subtract_abs(const Call& call);       // |a − b|
void sum(const Call& call);
void dot(const Call& call);
void norm2(const Call& call);
void product(const Call& call);
void constant_product(const Call& call);  // matrix·b
void outer(const Call& call);
void solve(const Call& call);       // a⁻¹b, a is rows × rows
void transpose(const Call& call);   // a is rows × columns/rows
void lowest(const Call& call);      // not a number if a component is none
void same_piece(const Call& call);  // 1 where a and b, rows × rows, are regular alike, else 0
}  // namespace kernels

}  // namespace chaosgrad::internal
