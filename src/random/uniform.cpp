#include <Random123/philox.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "chaosgrad/error.h"
#include "chaosgrad/random.h"
#include "random/unit_interval.h"

namespace chaosgrad {
namespace {

using Philox = r123::Philox4x64;  // ten rounds
constexpr Index words = 4;        // per counter

// Samples [first, first + n) of one component.
void fill_component(const Philox::key_type& key, Philox::ctr_type counter, Index first, double* u,
                    Index n) {
  Philox philox;
  // Part of the group of four that `first` falls into; `used` counts words of it that are not
  // wanted.
  auto partial = [&](Index group, Index used, Index count, double* out) {
    counter[0] = static_cast<std::uint64_t>(group);
    const Philox::ctr_type bits = philox(counter, key);
    for (Index k = 0; k < count; ++k) {
      out[k] = open_unit_interval(bits[static_cast<std::size_t>(used + k)]);
    }
  };
  Index group = first / words;
  Index i = 0;
  if (const Index used = first % words; used != 0) {
    i = std::min(words - used, n);
    partial(group++, used, i, u);
  }
  for (; i + words <= n; i += words, ++group) {
    counter[0] = static_cast<std::uint64_t>(group);
    const Philox::ctr_type bits = philox(counter, key);
    u[i] = open_unit_interval(bits[0]);
    u[i + 1] = open_unit_interval(bits[1]);
    u[i + 2] = open_unit_interval(bits[2]);
    u[i + 3] = open_unit_interval(bits[3]);
  }
  if (i < n) partial(group, 0, n - i, u + i);
}

}  // namespace

Stream make_stream(std::uint64_t seed, Purpose purpose, std::uint64_t step) {
  constexpr int step_bits = 48;
  if (step >> step_bits != 0) {
    throw InputError("step", fmt::format("must be less than 2^{}, found {}", step_bits, step));
  }
  return {seed, static_cast<std::uint64_t>(purpose) << step_bits | step};
}

void fill_uniform(const Stream& stream, Index first, BlockOut u) {
  assert(first >= 0);
  const Philox::key_type key = {{stream.seed, 0}};
  for (Index j = 0; j < u.cols(); ++j) {
    const Philox::ctr_type counter = {{0, static_cast<std::uint64_t>(j), stream.id, 0}};
    fill_component(key, counter, first, u.col(j).data(), u.rows());
  }
}

}  // namespace chaosgrad
