#pragma once
// Philox4x32-10 (Salmon et al. 2011) for several counters at once: word k of a counter is the low
// half of a lane of word[k]; what the high half holds does not matter.
#include <cstddef>
#include <cstdint>

#include "numeric/pack.h"

namespace chaosgrad::internal::philox {

inline constexpr int lanes = simd::width;
typedef std::uint64_t Words __attribute__((vector_size(lanes * sizeof(std::uint64_t))));

// The 64-bit products of the low halves.
[[gnu::always_inline]] inline Words product(Words a, std::uint64_t b) {
  const Words factor = b + Words{};
#if defined(CHAOSGRAD_AVX512)
  return reinterpret_cast<Words>(_mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a),
                                                        reinterpret_cast<__m512i>(factor)));
#elif defined(CHAOSGRAD_AVX2)
  return reinterpret_cast<Words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(factor)));
#else
  return (a & 0xffffffffU) * factor;
#endif
}

// a0, b0, a1, b1, …: the first and the second half of them.
struct Halves {
  Words first, second;
};
[[gnu::always_inline]] inline Halves interleaved(Words a, Words b) {
#if defined(CHAOSGRAD_AVX512)
  return {__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
          __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)};
#elif defined(CHAOSGRAD_AVX2)
  return {__builtin_shufflevector(a, b, 0, 4, 1, 5), __builtin_shufflevector(a, b, 2, 6, 3, 7)};
#else
  return {__builtin_shufflevector(a, b, 0, 2), __builtin_shufflevector(a, b, 1, 3)};
#endif
}

struct Counters {
  Words word[4];

  [[gnu::always_inline]] void round(std::uint32_t key0, std::uint32_t key1) {
    const Words first = product(word[0], 0xD2511F53U), second = product(word[2], 0xCD9E8D57U);
    word[0] = (second >> 32) ^ word[1] ^ std::uint64_t{key0};
    word[1] = second;
    word[2] = (first >> 32) ^ word[3] ^ std::uint64_t{key1};
    word[3] = first;
  }
};

// `several` independent sets of counters, so that their rounds overlap.
template <std::size_t several>
[[gnu::always_inline]] inline void encrypt(Counters (&counters)[several], std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9U, key1 += 0xBB67AE85U) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < several; ++i) counters[i].round(key0, key1);
  }
}

}  // namespace chaosgrad::internal::philox
