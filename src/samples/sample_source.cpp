#include "samples/sample_source.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "chaosgrad/error.h"
#include "samples/noise_average.h"

namespace chaosgrad::internal {
namespace {

constexpr Index max_grid = Index{1} << 27;  // quadrature points; beyond it a run would never end

// Where x* has kinks as a function of the germ η_k.
std::vector<double> germ_breakpoints(const Oracle& oracle, std::size_t k) {
  std::vector<double> points = oracle.facts().breakpoints[k];
  if (!oracle.parameters().is_logarithmic(static_cast<Index>(k))) return points;
  std::erase_if(points, [](double t) { return t <= 0; });
  std::transform(points.begin(), points.end(), points.begin(),
                 [](double t) { return std::log(t); });
  return points;
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
  auto eta = block.eta.topRows(n);
  fill_uniform(parameters_, first, eta);
  oracle_.parameters().germ_from_uniform(eta, eta);
  oracle_.parameters().parameters_from_germ(eta, block.theta.topRows(n));
  if (block.noise.cols() > 0) fill_uniform(noise_, first, block.noise.topRows(n));
  block.weights.head(n).setConstant(1.0 / static_cast<double>(count_));
}

SobolSource::SobolSource(const Oracle& oracle, Index count, Stream shift)
    : oracle_(oracle),
      count_(count),
      sequence_(oracle.parameters().dimension() + oracle.noise_dimension(), shift) {}

void SobolSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count, d = block.eta.cols();
  Matrix u(n, d + block.noise.cols());
  sequence_.fill(first, u);
  oracle_.parameters().germ_from_uniform(u.leftCols(d), block.eta.topRows(n));
  oracle_.parameters().parameters_from_germ(block.eta.topRows(n), block.theta.topRows(n));
  block.noise.topRows(n) = u.rightCols(block.noise.cols());
  block.weights.head(n).setConstant(1.0 / static_cast<double>(count_));
}

void ChristoffelSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count, d = block.eta.cols();
  Matrix u(n, d + 1);
  fill_uniform(parameters_, first, u);
  basis_.christoffel_sample(u, m_, block.eta.topRows(n));
  oracle_.parameters().parameters_from_germ(block.eta.topRows(n), block.theta.topRows(n));
  if (block.noise.cols() > 0) fill_uniform(noise_, first, block.noise.topRows(n));
  BasisBlock psi;
  basis_.evaluate(block.eta.topRows(n), m_, psi);
  sum_of_squares(psi, block.weights.data());  // weight = m / (Σψ² · count)
  const double factor = static_cast<double>(m_) / static_cast<double>(count_);
  block.weights.head(n) = factor / block.weights.head(n).array();
}

QuadratureSource::QuadratureSource(const Oracle& oracle, const std::vector<Family>& families,
                                   Index nodes, bool with_noise)
    : oracle_(oracle) {
  for (std::size_t k = 0; k < families.size(); ++k) {
    axes_.push_back(piecewise_rule(families[k], germ_breakpoints(oracle, k), nodes));
  }
  if (with_noise) {
    for (const NoiseAxis& axis : oracle.facts().noise_axes)
      axes_.push_back(noise_quadrature(axis, nodes));
  }
  for (const Quadrature& axis : axes_) {
    if (size_ > max_grid / axis.nodes.size()) {
      throw InputError("nodes", "the quadrature grid has too many points; lower nodes (" +
                                    std::to_string(nodes) + ") or use monte-carlo or sobol");
    }
    size_ *= axis.nodes.size();
  }
}

void QuadratureSource::fill(Index first, SampleBlock& block) const {
  const Index n = block.count, d = block.eta.cols();
  for (Index i = 0; i < n; ++i) {
    double weight = 1;
    Index rest = first + i;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const Quadrature& axis = axes_[k];
      const Index node = rest % axis.nodes.size();
      rest /= axis.nodes.size();
      weight *= axis.weights(node);
      const auto column = static_cast<Index>(k);
      (column < d ? block.eta(i, column) : block.noise(i, column - d)) = axis.nodes(node);
    }
    block.weights(i) = weight;
  }
  oracle_.parameters().parameters_from_germ(block.eta.topRows(n), block.theta.topRows(n));
}

std::vector<Family> make_families(const Oracle& oracle) {
  std::vector<Family> families;
  const std::vector<Distribution>& germs = oracle.parameters().germs();
  for (std::size_t k = 0; k < germs.size(); ++k)
    families.emplace_back(germs[k], oracle.facts().bases[k]);
  return families;
}

}  // namespace chaosgrad::internal
