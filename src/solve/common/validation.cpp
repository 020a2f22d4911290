#include "solve/common/validation.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "random/random.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {

Validation::Validation(const Oracle& oracle, std::uint64_t seed, Index samples) {
  if (!oracle.facts().reference) return;
  const Measure& measure = oracle.parameters();
  ParameterSamples at =
      draw_parameters(measure, make_stream(seed, Purpose::validation), 0, samples);
  eta_ = std::move(at.eta);
  theta_ = std::move(at.theta);
  exact_.resize(samples, oracle.dimension());
  for (Index first = 0; first < samples; first += block_size) {
    const Index count = std::min(block_size, samples - first);
    oracle.facts().reference(theta_.middleRows(first, count), exact_.middleRows(first, count));
  }
}

std::optional<double> Validation::error(const Basis& basis, const Coefficients& u,
                                        Executor& executor, const Lift* lift) const {
  const Index n = eta_.rows();
  if (n == 0) return std::nullopt;
  const double squares = executor.reduce(
      (n + block_size - 1) / block_size,
      [&](Index block) {
        const Index first = block * block_size, count = std::min(block_size, n - first);
        BasisBlock psi;
        basis.evaluate(eta_.middleRows(first, count), u.rows(), psi);
        Matrix x(count, u.cols());
        expand(psi, u, x);
        if (lift)
          x = lift->project(eta_.middleRows(first, count), theta_.middleRows(first, count), x).x;
        return (x - exact_.middleRows(first, count)).squaredNorm();
      },
      [](double& left, double right) { left += right; });
  return std::sqrt(squares / static_cast<double>(n));
}

}  // namespace chaosgrad::internal
