#include "samples/sample_source.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "chaosgrad/error.h"
#include "samples/noise_rule.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

constexpr double max_grid = 1 << 27;  // quadrature points; beyond it a run would never end

// Where x* has kinks as a function of the germ η_k.
std::vector<double> germ_breakpoints(const Measure& measure, Index k, std::vector<double> points) {
  if (!measure.is_logarithmic(k)) return points;
  std::erase_if(points, [](double t) { return t <= 0; });
  std::transform(points.begin(), points.end(), points.begin(),
                 [](double t) { return std::log(t); });
  return points;
}

std::vector<Quadrature> axis_rules(const Measure& measure, const std::vector<Family>& families,
                                   const std::vector<std::vector<double>>& breakpoints,
                                   const std::vector<NoiseAxis>& noise_axes, Index nodes) {
  std::vector<Quadrature> axes;
  for (std::size_t k = 0; k < families.size(); ++k) {
    axes.push_back(piecewise_rule(
        families[k], germ_breakpoints(measure, static_cast<Index>(k), breakpoints[k]), nodes));
  }
  for (const NoiseAxis& axis : noise_axes) axes.push_back(noise_quadrature(axis, nodes));
  if (grid_points(axes) > max_grid) {
    throw InputError("nodes", "the quadrature grid has too many points; lower nodes (" +
                                  std::to_string(nodes) + ") or use monte-carlo or sobol");
  }
  return axes;
}

}  // namespace

void SampleBlock::resize(Index d, Index r) {
  eta.resize(block_size, d);
  theta.resize(block_size, d);
  noise.resize(block_size, r);
  weights.resize(block_size);
}

void MonteCarloSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count;
  fill_parameters(measure_, parameters_, first, block.eta.topRows(n), block.theta.topRows(n));
  fill_uniform(noise_, first, block.noise.topRows(n));
  block.weights.head(n).setConstant(1.0 / static_cast<double>(count_));
}

SobolSource::SobolSource(const Measure& measure, Index noise_dimension, Index count, Stream shift)
    : measure_(measure), count_(count), sequence_(measure.dimension() + noise_dimension, shift) {}

void SobolSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count, d = block.eta.cols();
  Matrix u(n, d + block.noise.cols());
  sequence_.fill(first, u);
  parameters_from_uniform(measure_, u.leftCols(d), block.eta.topRows(n), block.theta.topRows(n));
  block.noise.topRows(n) = u.rightCols(block.noise.cols());
  block.weights.head(n).setConstant(1.0 / static_cast<double>(count_));
}

void ChristoffelSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count, d = block.eta.cols();
  Matrix u(n, d + 1);
  fill_uniform(parameters_, first, u);
  basis_.christoffel_sample(u, m_, block.eta.topRows(n));
  measure_.parameters_from_germ(block.eta.topRows(n), block.theta.topRows(n));
  fill_uniform(noise_, first, block.noise.topRows(n));
  BasisBlock psi;
  basis_.evaluate(block.eta.topRows(n), m_, psi);
  sum_of_squares(psi, block.weights.data());  // weight = m / (Σψ² · count)
  const double factor = static_cast<double>(m_) / static_cast<double>(count_);
  block.weights.head(n) = factor / block.weights.head(n).array();
}

QuadratureSource::QuadratureSource(const Measure& measure, const std::vector<Family>& families,
                                   const std::vector<std::vector<double>>& breakpoints,
                                   const std::vector<NoiseAxis>& noise_axes, Index nodes)
    : measure_(measure), grid_(axis_rules(measure, families, breakpoints, noise_axes, nodes)) {}

void QuadratureSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count, d = block.eta.cols(), r = block.noise.cols();
  Matrix nodes(n, d + r);
  grid_.fill(first, nodes, block.weights.head(n));
  block.eta.topRows(n) = nodes.leftCols(d);
  block.noise.topRows(n) = nodes.rightCols(r);
  measure_.parameters_from_germ(block.eta.topRows(n), block.theta.topRows(n));
}

}  // namespace chaosgrad::internal
