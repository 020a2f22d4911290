#include "core/problem.h"

#include "measure/distribution_table.h"
#include "samples/parameters.h"

namespace chaosgrad::python {
using namespace internal;
namespace {

NoiseAxis axis_of(const Distribution& distribution) {
  if (const auto* discrete = std::get_if<Discrete>(&distribution.parameters())) {
    return {NoiseAxis::Kind::cases,
            Eigen::Map<const Vector>(discrete->weights.data(),
                                     static_cast<Index>(discrete->weights.size()))};
  }
  return {entry_of(distribution.parameters()).in_normal_score ? NoiseAxis::Kind::normal
                                                              : NoiseAxis::Kind::uniform};
}

std::vector<NoiseAxis> axes_of(const Noise& noise) {
  if (const auto* table = std::get_if<Matrix>(&noise)) {
    const double weight = 1.0 / static_cast<double>(table->rows());
    return {{NoiseAxis::Kind::cases, Vector::Constant(table->rows(), weight)}};
  }
  std::vector<NoiseAxis> axes;
  for (const Distribution& one : std::get<std::vector<Distribution>>(noise))
    axes.push_back(axis_of(one));
  return axes;
}

}  // namespace

PythonProblem::PythonProblem(ProblemParts parts) : parts_(std::move(parts)) {
  parts_.facts.noise_axes = axes_of(parts_.noise);
}

Index PythonProblem::noise_dimension() const {
  return static_cast<Index>(parts_.facts.noise_axes.size());
}

Matrix PythonProblem::noise_values(const Block& noise) const {
  if (const auto* table = std::get_if<Matrix>(&parts_.noise)) {
    Matrix chosen(noise.rows(), table->cols());
    choose_rows(*table, noise.data(), chosen);
    return chosen;
  }
  const auto& distributions = std::get<std::vector<Distribution>>(parts_.noise);
  Matrix values(noise.rows(), noise.cols());
  for (Index k = 0; k < noise.cols(); ++k) {
    distributions[static_cast<std::size_t>(k)].quantile(noise.col(k).data(), values.col(k).data(),
                                                        noise.rows());
  }
  return values;
}

void PythonProblem::call(const BlockFunction& function, const Block& x, const Block& theta,
                         const Block& noise, BlockOut& out) const {
  const Matrix v = noise_values(noise);
  function({x, theta, v}, out);
}

void PythonProblem::gradient(const Block& x, const Block& theta, const Block& noise,
                             BlockOut g) const {
  if (before_gradient_) before_gradient_();
  call(*parts_.gradient, x, theta, noise, g);
}

void PythonProblem::value(const Block& x, const Block& theta, const Block& noise,
                          BlockOut f) const {
  call(*parts_.value, x, theta, noise, f);
}

void PythonProblem::hessian(const Block& x, const Block& theta, const Block& noise,
                            BlockOut h) const {
  call(*parts_.hessian, x, theta, noise, h);
}

}  // namespace chaosgrad::python
