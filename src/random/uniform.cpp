#include <algorithm>
#include <cassert>
#include <cstring>

#include "chaosgrad/error.h"
#include "random/philox.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

using philox::Words;

// Every counter gives two samples. A batch is enough counters to hide each other's latency.
constexpr int several = 4;
constexpr Index batch = 2 * several * philox::lanes;

// open_unit_interval for a vector: 1 + k 2^-52, less 1 − 2^-53, is exact.
[[gnu::always_inline]] inline void store_unit(Words bits, double* u) {
  typedef double Doubles __attribute__((vector_size(sizeof(Words))));
  const auto from_one = reinterpret_cast<Doubles>((bits >> 12) | 0x3ff0000000000000U);
  const Doubles value = from_one - (1 - 0x1p-53);
  std::memcpy(u, &value, sizeof value);
}

// Samples first … first + batch − 1 of component j; first is even.
void fill_batch(const Stream& stream, Index j, Index first, double* u) {
  Words lane;
  for (int i = 0; i < philox::lanes; ++i) lane[i] = static_cast<std::uint64_t>(i);
  const auto component = static_cast<std::uint64_t>(j) << 8;
  philox::Counters counters[several];
  for (int i = 0; i < several; ++i) {
    const Words group = static_cast<std::uint64_t>(first / 2 + i * philox::lanes) + lane;
    counters[i] = {group, (group >> 32) | component, stream.id + Words{},
                   (stream.id >> 32) + Words{}};
  }
  philox::encrypt(counters, stream.seed);
  for (int i = 0; i < several; ++i) {
    const Words(&word)[4] = counters[i].word;
    const auto [front, back] = philox::interleaved((word[0] & 0xffffffffU) | (word[1] << 32),
                                                   (word[2] & 0xffffffffU) | (word[3] << 32));
    store_unit(front, u + 2 * i * philox::lanes);
    store_unit(back, u + (2 * i + 1) * philox::lanes);
  }
}

// Samples [first, first + n) of component j.
void fill_component(const Stream& stream, Index j, Index first, double* u, Index n) {
  alignas(64) double part[batch];
  Index i = 0;
  if (first % 2 != 0 && n > 0) {
    fill_batch(stream, j, first - 1, part);
    i = std::min(batch - 1, n);
    std::copy_n(part + 1, i, u);
  }
  for (; i + batch <= n; i += batch) fill_batch(stream, j, first + i, u + i);
  if (i == n) return;
  fill_batch(stream, j, first + i, part);
  std::copy_n(part, n - i, u + i);
}

}  // namespace

void fill_uniform(const Stream& stream, Index first, BlockOut u) {
  assert(first >= 0 && first + u.rows() <= Index{1} << 41 && u.cols() <= Index{1} << 24);
  for (Index j = 0; j < u.cols(); ++j) fill_component(stream, j, first, u.col(j).data(), u.rows());
}

}  // namespace chaosgrad::internal
