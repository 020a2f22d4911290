#pragma once
// Which instructions packs are made of: one of the two macros is set, or none. Then packs are
// written without any machine's own functions, and the compiler maps them to what it finds, for
// example SSE2 or NEON. CHAOSGRAD_SCALAR_PACKS asks for that everywhere.
#include <cstdint>
#if defined(CHAOSGRAD_SCALAR_PACKS)
#elif defined(__AVX512F__)
#define CHAOSGRAD_AVX512 1
#include <immintrin.h>
#elif defined(__AVX2__) && defined(__FMA__)
#define CHAOSGRAD_AVX2 1
#include <immintrin.h>
#endif

namespace chaosgrad::internal::simd {

#if defined(CHAOSGRAD_AVX512)
inline constexpr int width = 8;
inline constexpr int registers = 32;
#elif defined(CHAOSGRAD_AVX2)
inline constexpr int width = 4;
inline constexpr int registers = 16;
#else
inline constexpr int width = 2;
inline constexpr int registers = 16;
#endif

// A comparison of Packs is Integers (−1 or 0 per lane); mask ? a : b blends.
typedef double Pack __attribute__((vector_size(width * sizeof(double))));
typedef double UnalignedPack
    __attribute__((vector_size(width * sizeof(double)), aligned(sizeof(double))));
typedef std::int64_t Integers __attribute__((vector_size(width * sizeof(double))));

}  // namespace chaosgrad::internal::simd
