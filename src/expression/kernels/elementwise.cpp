// Element-wise kernels: out = f(a), f(a, b) or f(a, b, c), for each component and each sample.
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "expression/kernels/kernels.h"
#include "numeric/functions.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

using simd::all_less, simd::broadcast, simd::load, simd::Machine, simd::Pack, simd::store,
    simd::width;

// One component of an operand: a pack for every i, or one for all.
struct Varying {
  const double* data;
  [[gnu::always_inline]] Pack operator[](Index i) const { return load(data + i); }
};
struct Constant {
  Pack value;
  [[gnu::always_inline]] Pack operator[](Index) const { return value; }
};

// out = function(the first `count` of a, b, c) for component j; `operands` are those that are known
// to be constants or not, so that the loop does nothing but its work.
template <auto function, int count, class... Operands>
[[gnu::always_inline]] inline void over_samples(const Call& call, Index j,
                                                const Operands... operands) {
  if constexpr (sizeof...(operands) == count) {
    double* out = call.out.data + j * call.out.column_stride;
    const Index samples = call.samples;
    for (Index i = 0; i < samples; i += width) store(out + i, function(operands[i]...));
  } else {
    constexpr View Call::*views[] = {&Call::a, &Call::b, &Call::c};
    const View& view = call.*views[sizeof...(operands)];
    const double* data = view.data + j * view.column_stride;
    if (view.step == 0)
      over_samples<function, count>(call, j, operands..., Constant{load(data)});
    else
      over_samples<function, count>(call, j, operands..., Varying{data});
  }
}
template <auto function, int count>
void elementwise(const Call& call) {
  for (Index j = 0; j < call.columns; ++j) over_samples<function, count>(call, j);
}
template <auto function>
inline constexpr Kernel unary = elementwise<function, 1>;
template <auto function>
inline constexpr Kernel binary = elementwise<function, 2>;
template <auto function>
inline constexpr Kernel ternary = elementwise<function, 3>;

// put(i, function(a_i)) for all samples, four packs at a time where all their arguments are in the
// range of `quick`, so that their steps overlap; `function` is equal to it there.
template <auto function, auto quick, class Put>
[[gnu::always_inline]] inline void in_batches(const double* a, Index samples, double range,
                                              const Put& put) {
  constexpr Index batch = 4;
  const Pack limit = broadcast(range);
  Index i = 0;
  for (; simd::has_fused && i + batch * width <= samples; i += batch * width) {
    Pack x[batch];
    decltype(quick(x[0])) y[batch];
#pragma GCC unroll 4
    for (Index p = 0; p < batch; ++p) x[p] = load(a + i + p * width);
    if (simd::all_sizes_less(x, limit)) {
#pragma GCC unroll 4
      for (Index p = 0; p < batch; ++p) y[p] = quick(x[p]);
    } else {
      for (Index p = 0; p < batch; ++p) y[p] = function(x[p]);
    }
#pragma GCC unroll 4
    for (Index p = 0; p < batch; ++p) put(i + p * width, y[p]);
  }
  for (; i < samples; i += width) put(i, function(load(a + i)));
}

template <auto function, auto quick>
void unary_batched(const Call& call, double range) {
  for (Index j = 0; j < call.columns; ++j) {
    double* out = call.out.data + j * call.out.column_stride;
    in_batches<function, quick>(call.a.data + j * call.a.column_stride, call.samples, range,
                                [&](Index i, Pack value) { store(out + i, value); });
  }
}

// For functions with two results.
template <auto function, auto quick>
void pair_batched(const Call& call, double range) {
  for (Index j = 0; j < call.columns; ++j) {
    double* out = call.out.data + j * call.out.column_stride;
    double* second = call.second.data + j * call.second.column_stride;
    in_batches<function, quick>(call.a.data + j * call.a.column_stride, call.samples, range,
                                [&](Index i, const auto& pair) {
                                  const auto& [value, partner] = pair;
                                  store(out + i, value);
                                  store(second + i, partner);
                                });
  }
}

// A function known only for one number at a time.
template <auto function>
Pack lane_by_lane(Pack a, Pack b, Pack c) {
  double first[width], second[width], third[width];
  store(first, a);
  store(second, b);
  store(third, c);
  for (Index i = 0; i < width; ++i) first[i] = function(first[i], second[i], third[i]);
  return load(first);
}

// Outside its domain a quantile is not a number; it never throws in the middle of a block.
using boost::math::policies::ignore_error;
using Quiet = boost::math::policies::policy<boost::math::policies::domain_error<ignore_error>,
                                            boost::math::policies::pole_error<ignore_error>,
                                            boost::math::policies::overflow_error<ignore_error>,
                                            boost::math::policies::evaluation_error<ignore_error>>;

double gamma_quantile(double p, double shape, double) {
  return boost::math::gamma_p_inv(shape, p, Quiet());
}

double beta_quantile(double p, double alpha, double beta) {
  return boost::math::ibeta_inv(alpha, beta, p, Quiet());
}

void normal_quantiles(const Call& call) {
  for (Index j = 0; j < call.columns; ++j) {
    normal_quantile(call.a.data + j * call.a.column_stride,
                    call.out.data + j * call.out.column_stride, call.samples);
  }
}

Pack truth(auto mask) { return mask ? broadcast(1) : broadcast(0); }
auto is_true(Pack a) { return a != broadcast(0); }

constexpr auto sign = [](Pack a) {
  const Pack zero = broadcast(0);
  return a > zero ? broadcast(1) : (a < zero ? broadcast(-1) : a);
};
// A not-a-number in either place is passed on.
constexpr auto minimum = [](Pack a, Pack b) -> Pack { return ((a < b) | (a != a)) ? a : b; };
constexpr auto maximum = [](Pack a, Pack b) -> Pack { return ((a > b) | (a != a)) ? a : b; };
constexpr auto huber = [](Pack t, Pack delta) -> Pack {
  const Pack size = simd::abs(t), inner = minimum(size, delta);
  return inner * (size - 0.5 * inner);
};
constexpr auto masked_multiply = [](Pack a, Pack b) -> Pack { return is_true(a) ? a * b : a; };

Kernel arithmetic_kernel(Op op) {
  switch (op) {
    case Op::add:
      return binary<[](Pack a, Pack b) { return a + b; }>;
    case Op::subtract:
      return binary<[](Pack a, Pack b) { return a - b; }>;
    case Op::multiply:
      return binary<[](Pack a, Pack b) { return a * b; }>;
    case Op::divide:
      return binary<[](Pack a, Pack b) { return a / b; }>;
    case Op::masked_multiply:
      return binary<masked_multiply>;
    case Op::negate:
      return unary<[](Pack a) { return -a; }>;
    case Op::power:
      return binary<[](Pack a, Pack b) { return Machine::power(a, b); }>;
    case Op::min:
      return binary<minimum>;
    case Op::max:
      return binary<maximum>;
    case Op::huber:
      return binary<huber>;
    case Op::less:
      return binary<[](Pack a, Pack b) { return truth(a < b); }>;
    case Op::less_equal:
      return binary<[](Pack a, Pack b) { return truth(a <= b); }>;
    case Op::greater:
      return binary<[](Pack a, Pack b) { return truth(a > b); }>;
    case Op::greater_equal:
      return binary<[](Pack a, Pack b) { return truth(a >= b); }>;
    case Op::equal:
      return binary<[](Pack a, Pack b) { return truth(a == b); }>;
    case Op::not_equal:
      return binary<[](Pack a, Pack b) { return truth(a != b); }>;
    case Op::logical_and:
      return binary<[](Pack a, Pack b) { return truth(is_true(a) & is_true(b)); }>;
    case Op::logical_or:
      return binary<[](Pack a, Pack b) { return truth(is_true(a) | is_true(b)); }>;
    case Op::logical_not:
      return unary<[](Pack a) { return truth(a == broadcast(0)); }>;
    case Op::select:
      return ternary<[](Pack c, Pack a, Pack b) -> Pack { return is_true(c) ? a : b; }>;
    default:
      return nullptr;
  }
}

Kernel function_kernel(Op op) {
  switch (op) {
    case Op::sin:
      return [](const Call& call) {
        unary_batched<simd::sin, simd::quick::sin>(call, simd::quick::turn_range);
      };
    case Op::cos:
      return [](const Call& call) {
        unary_batched<simd::cos, simd::quick::cos>(call, simd::quick::turn_range);
      };
    case Op::tan:
      return unary<simd::tan>;
    case Op::asin:
      return unary<Machine::asin>;
    case Op::acos:
      return unary<Machine::acos>;
    case Op::atan:
      return unary<Machine::atan>;
    case Op::sinh:
      return unary<Machine::sinh>;
    case Op::cosh:
      return [](const Call& call) {
        unary_batched<simd::cosh, simd::quick::cosh>(call, simd::quick::exp_range);
      };
    case Op::tanh:
      return unary<Machine::tanh>;
    case Op::exp:
      return [](const Call& call) {
        unary_batched<simd::exp, simd::quick::exp>(call, simd::quick::exp_range);
      };
    case Op::log:
      return unary<Machine::log>;
    case Op::sqrt:
      return unary<simd::sqrt>;
    case Op::abs:
      return unary<simd::abs>;
    case Op::sign:
      return unary<sign>;
    case Op::floor:
      return unary<Machine::floor>;
    case Op::ceil:
      return unary<Machine::ceil>;
    case Op::erf:
      return unary<Machine::erf>;
    case Op::normcdf:
      return unary<simd::normal_cdf>;
    case Op::normal_pdf:
      return unary<simd::normal_pdf>;
    case Op::logistic:
      return unary<simd::logistic>;
    case Op::softplus:
      return unary<simd::softplus>;
    case Op::normal_quantile:
      return normal_quantiles;
    case Op::gamma_quantile:
      return binary<[](Pack p, Pack k) { return lane_by_lane<gamma_quantile>(p, k, k); }>;
    case Op::beta_quantile:
      return ternary<lane_by_lane<beta_quantile>>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel elementwise_kernel(Op op) {
  const Kernel kernel = arithmetic_kernel(op);
  return kernel ? kernel : function_kernel(op);
}

bool is_integer_power(double exponent) {
  const double twice = 2 * exponent;
  return std::abs(twice) <= 64 && twice == std::floor(twice);
}

namespace kernels {

void copy(const Call& call) {
  for (Index j = 0; j < call.columns; ++j) {
    const double* a = call.a.data + j * call.a.column_stride;
    double* out = call.out.data + j * call.out.column_stride;
    for (Index i = 0; i < call.samples; i += width, a += call.a.step) store(out + i, load(a));
  }
}

void sincos(const Call& call) {
  pair_batched<simd::sincos, simd::quick::sincos>(call, simd::quick::turn_range);
}
void double_sine(const Call& call) {
  pair_batched<simd::double_sine, simd::quick::double_sine>(call, simd::quick::turn_range);
}

void integer_power(const Call& call) {
  const unsigned twice = static_cast<unsigned>(std::abs(call.half_power));
  for (Index j = 0; j < call.columns; ++j) {
    const double* a = call.a.data + j * call.a.column_stride;
    double* out = call.out.data + j * call.out.column_stride;
    for (Index i = 0; i < call.samples; i += width) {
      Pack square = load(a + i);
      Pack value = twice % 2 ? simd::sqrt(square) : broadcast(1);
      for (unsigned rest = twice / 2; rest != 0; rest /= 2, square *= square) {
        if (rest % 2) value *= square;
      }
      store(out + i, call.half_power < 0 ? 1.0 / value : value);
    }
  }
}

void multiply_add(const Call& call) {
  ternary<[](Pack a, Pack b, Pack c) { return simd::fma(a, b, c); }>(call);
}
void multiply_subtract(const Call& call) {
  ternary<[](Pack a, Pack b, Pack c) { return simd::fms(a, b, c); }>(call);
}
void subtract_product(const Call& call) {
  ternary<[](Pack a, Pack b, Pack c) { return simd::fnma(a, b, c); }>(call);
}
void add_multiply(const Call& call) {
  ternary<[](Pack a, Pack b, Pack c) { return (a + b) * c; }>(call);
}
void subtract_multiply(const Call& call) {
  ternary<[](Pack a, Pack b, Pack c) { return (a - b) * c; }>(call);
}
void add_abs(const Call& call) {
  binary<[](Pack a, Pack b) { return simd::abs(a + b); }>(call);
}
void subtract_abs(const Call& call) {
  binary<[](Pack a, Pack b) { return simd::abs(a - b); }>(call);
}

}  // namespace kernels
}  // namespace chaosgrad::internal
