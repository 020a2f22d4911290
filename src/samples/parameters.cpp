#include "samples/parameters.h"

namespace chaosgrad::internal {

void parameters_from_uniform(const Measure& measure, const Block& u, BlockOut eta, BlockOut theta) {
  measure.germ_from_uniform(u, eta);
  measure.parameters_from_germ(eta, theta);
}

void fill_parameters(const Measure& measure, const Stream& stream, Index first, BlockOut eta,
                     BlockOut theta) {
  fill_uniform(stream, first, eta);
  parameters_from_uniform(measure, eta, eta, theta);
}

Matrix draw_germs(const Measure& measure, const Stream& stream, Index first, Index count) {
  Matrix eta(count, measure.dimension());
  fill_uniform(stream, first, eta);
  measure.germ_from_uniform(eta, eta);
  return eta;
}

ParameterSamples draw_parameters(const Measure& measure, const Stream& stream, Index first,
                                 Index count) {
  ParameterSamples samples{Matrix(count, measure.dimension()), Matrix(count, measure.dimension())};
  fill_parameters(measure, stream, first, samples.eta, samples.theta);
  return samples;
}

Matrix draw_noise(Index r, const Stream& stream, Index first, Index count) {
  Matrix noise(count, r);
  fill_uniform(stream, first, noise);
  return noise;
}

void choose_rows(const Matrix& rows, const double* uniform, BlockOut out) {
  const auto count = static_cast<double>(rows.rows());
  for (Index i = 0; i < out.rows(); ++i) {
    const auto row = static_cast<Index>(uniform[i] * count);
    for (Index j = 0; j < rows.cols(); ++j) out(i, j) = rows(row, j);
  }
}

}  // namespace chaosgrad::internal
