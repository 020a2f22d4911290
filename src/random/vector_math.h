#pragma once
// Elementwise functions over arrays, one machine vector at a time. Every value passes through the
// same vector code whatever its position and the length of the array (a short end is padded), so
// the bits of a result depend on its argument only.
#include <sleef.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "chaosgrad/types.h"

namespace chaosgrad {

#if defined(__AVX512F__)
inline constexpr Index chunk_size = 8;
#elif defined(__AVX__)
inline constexpr Index chunk_size = 4;
#else
inline constexpr Index chunk_size = 2;
#endif

// A comparison of Chunks is a Mask (−1 or 0 per value); mask ? a : b blends.
using Chunk = double __attribute__((vector_size(chunk_size * sizeof(double))));
using Mask = std::int64_t __attribute__((vector_size(chunk_size * sizeof(double))));

#if defined(__AVX512F__)
[[nodiscard]] inline Chunk log(const Chunk& x) { return Sleef_logd8_u10(x); }
[[nodiscard]] inline Chunk log1p(const Chunk& x) { return Sleef_log1pd8_u10(x); }
[[nodiscard]] inline Chunk exp(const Chunk& x) { return Sleef_expd8_u10(x); }
[[nodiscard]] inline Chunk sqrt(const Chunk& x) { return Sleef_sqrtd8(x); }
[[nodiscard]] inline Chunk pow(const Chunk& x, double y) { return Sleef_powd8_u10(x, Chunk{} + y); }
#elif defined(__AVX__)
[[nodiscard]] inline Chunk log(const Chunk& x) { return Sleef_logd4_u10(x); }
[[nodiscard]] inline Chunk log1p(const Chunk& x) { return Sleef_log1pd4_u10(x); }
[[nodiscard]] inline Chunk exp(const Chunk& x) { return Sleef_expd4_u10(x); }
[[nodiscard]] inline Chunk sqrt(const Chunk& x) { return Sleef_sqrtd4(x); }
[[nodiscard]] inline Chunk pow(const Chunk& x, double y) { return Sleef_powd4_u10(x, Chunk{} + y); }
#else
[[nodiscard]] inline Chunk log(const Chunk& x) { return Sleef_logd2_u10(x); }
[[nodiscard]] inline Chunk log1p(const Chunk& x) { return Sleef_log1pd2_u10(x); }
[[nodiscard]] inline Chunk exp(const Chunk& x) { return Sleef_expd2_u10(x); }
[[nodiscard]] inline Chunk sqrt(const Chunk& x) { return Sleef_sqrtd2(x); }
[[nodiscard]] inline Chunk pow(const Chunk& x, double y) { return Sleef_powd2_u10(x, Chunk{} + y); }
#endif

[[nodiscard]] inline Chunk clamp(const Chunk& x, double lower, double upper) {
  const Chunk raised = x < lower ? Chunk{} + lower : x;
  return raised > upper ? Chunk{} + upper : raised;
}

[[nodiscard]] inline bool any(const Mask& mask) {
  std::int64_t bits = 0;
  for (Index i = 0; i < chunk_size; ++i) bits |= mask[i];
  return bits != 0;
}

// out[i] = f(in[i]), i < n, for f: Chunk → Chunk. `padding` is any harmless argument. In place is
// fine.
template <class F>
void transform_chunks(const double* in, double* out, Index n, double padding, F&& f) {
  for (Index i = 0; i < n; i += chunk_size) {
    const Index count = std::min(chunk_size, n - i);
    Chunk chunk;
    if (count == chunk_size) {
      std::memcpy(&chunk, in + i, sizeof chunk);
    } else {
      std::array<double, chunk_size> padded;
      padded.fill(padding);
      std::copy_n(in + i, count, padded.data());
      std::memcpy(&chunk, padded.data(), sizeof chunk);
    }
    const Chunk result = f(chunk);
    if (count == chunk_size) {
      std::memcpy(out + i, &result, sizeof result);
    } else {
      std::memcpy(out + i, &result, sizeof(double) * static_cast<std::size_t>(count));
    }
  }
}

}  // namespace chaosgrad
