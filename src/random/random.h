#pragma once
// Counter-based random numbers: sample i is a pure function of (seed, stream, i), so any part of a
// run can be computed anywhere, in any order, and gives the same bits.
#include <cstdint>
#include <vector>

#include "chaosgrad/types.h"
#include "random/streams.h"

namespace chaosgrad::internal {

// u(i, j) = component j of sample first + i, first ≥ 0: independent and uniform on the 2^52
// midpoints (k + 1/2) 2^-52 of the open interval (0, 1), so that neither u nor 1 − u is ever
// rounded. Sample s < 2^41 of component j < 2^24 has the words 2 (s mod 2), low half, and
// 2 (s mod 2) + 1, high half, of Philox4x32-10 at the 128-bit counter s/2 + j 2^40 + stream.id 2^64
// with key stream.seed.
void fill_uniform(const Stream& stream, Index first, BlockOut u);

// Sobol' points (Joe and Kuo's direction numbers, Gray code order, starting with the origin) under
// a random digital shift or a nested uniform scramble (Owen 1995), in the open unit cube; each point
// alone is uniform, so averages over them are unbiased. Any 2^k points that start at a multiple of
// 2^k are a digital net. A scramble costs more to make, and is worth it for smooth integrands, whose
// squared errors then fall like N⁻³.
class SobolSequence {
 public:
  [[nodiscard]] static Index max_dimension();
  enum class Randomisation { shift, scramble };
  // `key` keys the shift or the scramble. Throws InputError if dimension is not in
  // 1..max_dimension().
  SobolSequence(Index dimension, const Stream& key,
                Randomisation randomisation = Randomisation::shift);
  // u(i, :) = point first + i, first ≥ 0; u has `dimension` columns.
  void fill(Index first, BlockOut u) const;

 private:
  Index dimension_;
  std::vector<std::uint64_t> directions_;  // 64 per dimension
  Randomisation randomisation_;
  std::vector<std::uint64_t> shift_;  // or the key of the scramble, one per dimension
};

// Standard normal distribution function and quantile, accurate to a few ulp in both tails of z and
// for every p > 0. The quantile of 0 is −∞, of 1 is +∞. The block form is vectorised, gives the
// same bits as the scalar one wherever a value stands in the block, and may work in place.
[[nodiscard]] double normal_cdf(double z);
[[nodiscard]] double normal_quantile(double p);
void normal_quantile(const double* p, double* z, Index n);

}  // namespace chaosgrad::internal
