#include "samples/noise_average.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {

NoiseRule case_rule(const std::vector<NoiseAxis>& axes) {
  double cases = axes.empty() ? infinity : 1;
  for (const NoiseAxis& axis : axes) {
    cases *=
        axis.kind == NoiseAxis::Kind::cases ? static_cast<double>(axis.weights.size()) : infinity;
  }
  return cases <= most_noise_cases ? exact_noise_rule(axes) : NoiseRule{};
}

NoiseRule shifted_rule(const Stream& shift, Index draws, Index noise_dimension) {
  if (noise_dimension == 0) return {Matrix(1, 0), Vector::Ones(1)};
  NoiseRule rule{Matrix(draws, noise_dimension),
                 Vector::Constant(draws, 1.0 / static_cast<double>(draws))};
  const SobolSequence sequence(noise_dimension, shift);
  for (Index first = 0; first < draws; first += block_size) {
    const Index n = std::min(block_size, draws - first);
    sequence.fill(first, rule.nodes.middleRows(first, n));
  }
  return rule;
}

Index enough_draws(const std::function<Matrix(const NoiseRule&)>& mean,
                   const std::vector<Stream>& shifts, Index noise_dimension, double accuracy,
                   Index most) {
  const auto count = static_cast<double>(shifts.size());
  for (Index draws = least_noise_draws; draws < most; draws *= 4) {
    std::vector<Matrix> means;
    for (const Stream& shift : shifts)
      means.push_back(mean(shifted_rule(shift, draws, noise_dimension)));
    Matrix centre = Matrix::Zero(means[0].rows(), means[0].cols());
    for (const Matrix& one : means) centre += one / count;
    Matrix variance = Matrix::Zero(centre.rows(), centre.cols());
    for (const Matrix& one : means) variance += (one - centre).cwiseAbs2() / (count - 1);
    const Eigen::RowVectorXd scatter = variance.colwise().mean().cwiseSqrt();
    const Eigen::RowVectorXd scale = centre.cwiseAbs().colwise().maxCoeff();
    if (((scatter.array() <= accuracy * scale.array()) || !scatter.array().isFinite()).all())
      return draws;
  }
  return most;
}

}  // namespace chaosgrad::internal
