#pragma once
// θ ~ π from uniform numbers: u → germ η → θ. Every draw of θ goes through here.
#include "chaosgrad/measure.h"
#include "random/random.h"

namespace chaosgrad::internal {

// Rows of u (n×d, uniform on (0, 1)) to germs and parameters. Any of the blocks may be the same.
void parameters_from_uniform(const Measure& measure, const Block& u, BlockOut eta, BlockOut theta);

// Samples first, first + 1, … of the stream, as many as the blocks have rows. eta and theta may be
// the same block where the germ is not needed.
void fill_parameters(const Measure& measure, const Stream& stream, Index first, BlockOut eta,
                     BlockOut theta);

// `count` samples from number `first` of the stream on: germs alone, or with their parameters.
[[nodiscard]] Matrix draw_germs(const Measure& measure, const Stream& stream, Index first,
                                Index count);
struct ParameterSamples {
  Matrix eta, theta;  // count×d
};
[[nodiscard]] ParameterSamples draw_parameters(const Measure& measure, const Stream& stream,
                                               Index first, Index count);

// Noise: `count` rows of r uniform numbers, from row `first` of the stream on.
[[nodiscard]] Matrix draw_noise(Index r, const Stream& stream, Index first, Index count);

// The rows of a table that uniform numbers choose, each with the same probability: one for each row
// of `out`.
void choose_rows(const Matrix& rows, const double* uniform, BlockOut out);

}  // namespace chaosgrad::internal
