#include "random/streams.h"

#include <fmt/format.h>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {

Stream make_stream(std::uint64_t seed, Purpose purpose, std::uint64_t step) {
  const StreamRange& range = stream_registry[static_cast<std::size_t>(purpose)];
  if (step >= range.count) {
    throw InputError("step", fmt::format("must be less than {}, found {}", range.count, step));
  }
  return {seed, range.group << 48 | (range.first + step)};
}

}  // namespace chaosgrad::internal
