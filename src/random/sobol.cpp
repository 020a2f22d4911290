#include <Random123/philox.h>
#include <fmt/format.h>

#include <bit>
#include <boost/random/sobol.hpp>
#include <cassert>

#include "chaosgrad/error.h"
#include "random/random.h"
#include "random/unit_interval.h"

namespace chaosgrad::internal {
namespace {

constexpr int bits = 64;

// Direction number k of dimension j at [j·64 + k]. Boost's engine, seeded with 2^(k+1) − 2, stands
// at the point whose Gray code has bit k alone: that point is the k-th column of all generator
// matrices.
std::vector<std::uint64_t> joe_kuo_directions(Index dimension) {
  boost::random::sobol_engine<std::uint64_t, bits> engine(static_cast<std::size_t>(dimension));
  std::vector<std::uint64_t> directions(static_cast<std::size_t>(dimension * bits));
  for (int k = 0; k < bits; ++k) {
    const std::uint64_t gray_code_bit_k = (std::uint64_t{2} << k) - 1;  // of index 2^(k+1) − 1
    engine.seed(gray_code_bit_k - 1);                                   // Boost skips the origin
    for (Index j = 0; j < dimension; ++j) {
      directions[static_cast<std::size_t>(j * bits + k)] = engine();
    }
  }
  return directions;
}

std::uint64_t sobol_point(const std::uint64_t* directions, std::uint64_t index) {
  std::uint64_t point = 0;
  for (std::uint64_t gray = index ^ (index >> 1); gray != 0; gray &= gray - 1) {
    point ^= directions[std::countr_zero(gray)];
  }
  return point;
}

// A bijection of 64 bits in which every input bit reaches every output bit.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// Each binary digit is flipped or not by a random choice that depends on the digits before it. The
// digits after the last that a double keeps do not matter.
std::uint64_t scrambled(std::uint64_t point, std::uint64_t key) {
  constexpr int digits = 53;
  std::uint64_t result = 0;
  for (int k = 0; k < digits; ++k) {
    const int place = bits - 1 - k;
    const std::uint64_t before = k == 0 ? 1 : (point >> (place + 1)) | (std::uint64_t{1} << k);
    const std::uint64_t flip = mixed(mixed(before) ^ key) >> (bits - 1);
    result |= (((point >> place) & 1) ^ flip) << place;
  }
  return result;
}

}  // namespace

Index SobolSequence::max_dimension() {
  return static_cast<Index>(boost::random::default_sobol_table::max_dimension);
}

SobolSequence::SobolSequence(Index dimension, const Stream& key, Randomisation randomisation)
    : dimension_(dimension), randomisation_(randomisation) {
  if (dimension < 1 || dimension > max_dimension()) {
    throw InputError("dimension",
                     fmt::format("Sobol' points exist for 1 to {} dimensions, found {}",
                                 max_dimension(), dimension));
  }
  directions_ = joe_kuo_directions(dimension);
  r123::Philox4x64 philox;
  for (Index j = 0; j < dimension; ++j) {
    shift_.push_back(philox({{0, static_cast<std::uint64_t>(j), key.id, 0}}, {{key.seed, 0}})[0]);
  }
}

void SobolSequence::fill(Index first, BlockOut u) const {
  assert(first >= 0 && u.cols() == dimension_);
  for (Index j = 0; j < dimension_; ++j) {
    const std::uint64_t* directions = directions_.data() + j * bits;
    double* column = u.col(j).data();
    auto index = static_cast<std::uint64_t>(first);
    const std::uint64_t key = shift_[static_cast<std::size_t>(j)];
    const bool scramble = randomisation_ == Randomisation::scramble;
    std::uint64_t point = sobol_point(directions, index) ^ (scramble ? 0 : key);
    for (Index i = 0; i < u.rows(); ++i) {
      column[i] = open_unit_interval(scramble ? scrambled(point, key) : point);
      point ^=
          directions[std::countr_zero(++index)];  // Gray codes of neighbours differ in this bit
    }
  }
}

}  // namespace chaosgrad::internal
