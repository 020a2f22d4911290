#include "solve/collocation/mixture_growth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "basis/kernels.h"
#include "solve/common/growth.h"

namespace chaosgrad::internal::collocation {
namespace {

// Leave-one-out errors e_j, regressed on each function of `wide` beyond the basis of the fit, with
// the precision w_j (1 − h_j) that e_j has: c_ν = Σ p ψ e / Σ p ψ².
Gains score(const Fit& fit, const Matrix& eta, const Basis& wide, Executor& executor) {
  struct Sums {
    Coefficients signal;
    Vector noise, precision;
    auto members() { return std::tie(signal, noise, precision); }
  };
  const Index n = eta.rows(), total = wide.size(), q = fit.left_out.cols(), m = fit.basis.size();
  const Vector precisions = fit.weights.cwiseProduct(fit.slack);
  const Sums sums = executor.reduce(
      (n + block_size - 1) / block_size,
      [&](Index block) {
        const Index first = block * block_size, count = std::min(block_size, n - first);
        BasisBlock psi;
        wide.evaluate(eta.middleRows(first, count), total, psi);
        Sums part{Coefficients::Zero(total, q), Vector::Zero(total), Vector::Zero(total)};
        const Matrix weighted =
            precisions.segment(first, count).asDiagonal() * fit.left_out.middleRows(first, count);
        project(psi, weighted, part.signal);
        const Vector squares = weighted.rowwise().squaredNorm();
        for (Index j = m; j < total; ++j) {
          for (Index i = 0; i < count; ++i) {
            const double square = psi(i, j) * psi(i, j);
            part.noise(j) += squares(i) * square;
            part.precision(j) += precisions(first + i) * square;
          }
        }
        return part;
      },
      [](Sums& left, Sums&& right) {
        left.signal += right.signal;
        left.noise += right.noise;
        left.precision += right.precision;
      });
  const Vector scale = sums.precision.tail(total - m).cwiseAbs2().cwiseMax(1e-300).cwiseInverse();
  return {sums.signal.bottomRows(total - m).rowwise().squaredNorm().cwiseProduct(scale),
          sums.noise.tail(total - m).cwiseProduct(scale)};
}

bool exists(const MultiIndex& index, const std::vector<Family>& families) {
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] > families[k].max_degree()) return false;
  }
  return true;
}

// The functions with the largest coefficients, around which others are looked for.
std::vector<char> centres(const Fit& fit, const CollocationTuning& tuning) {
  const Index m = fit.basis.size();
  const Index count =
      std::min(m, std::max(tuning.least_centres, tuning.centres / fit.basis.dimension()));
  std::vector<Index> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector squares = fit.u.rowwise().squaredNorm();
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
    return std::pair(-squares(a), a) < std::pair(-squares(b), b);
  });
  std::vector<char> result(static_cast<std::size_t>(m), 0);
  for (Index i = 0; i < count; ++i)
    result[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = 1;
  return result;
}

// Squared coefficients that stand above the largest noise of so many.
std::map<MultiIndex, double> measured_gains(const Fit& fit, const Matrix& eta,
                                            const CollocationTuning& tuning, Executor& executor) {
  constexpr int reach = 2;
  const std::vector<MultiIndex> beyond =
      candidates(fit.basis.indices(), centres(fit, tuning), fit.basis.families(), reach,
                 tuning.axis_share, tuning.least_axis);
  if (beyond.empty()) return {};
  const Basis wide = widened(fit.basis, beyond);
  const Gains gains = score(fit, eta, wide, executor);
  const double factor = noise_maximum(gains.signal.size(), fit.u.cols());
  std::map<MultiIndex, double> found;
  for (Index i = 0; i < gains.signal.size(); ++i) {
    if (gains.signal(i) > factor * gains.noise(i))
      found[wide.indices()[fit.basis.size() + i]] = gains.signal(i) - gains.noise(i);
  }
  return found;
}

}  // namespace

// A function may come next if its predecessors are there. What the residual asks for is taken before
// the others, as far as it is expected to be larger, with its predecessors.
Grown grow_basis(const Fit& fit, const Matrix& eta, Index size, const CollocationTuning& tuning,
                 Executor& executor) {
  Grown grown{fit.basis.indices(), fit.prior};
  const std::vector<Family>& families = fit.basis.families();
  const std::map<MultiIndex, double> gains = measured_gains(fit, eta, tuning, executor);
  std::set<MultiIndex> seen;
  using Entry = std::pair<double, MultiIndex>;
  std::priority_queue<Entry> queue;
  const auto push = [&](const MultiIndex& index) {
    if (grown.indices.contains(index) || !exists(index, families) || !seen.insert(index).second)
      return;
    queue.emplace(grown.prior.log_variance(index), index);
  };
  for (const MultiIndex& index : grown.indices.reduced_margin()) push(index);
  for (const auto& [index, gain] : gains) queue.emplace(std::log(gain), index);
  while (!queue.empty() && grown.indices.size() < size) {
    const MultiIndex index = queue.top().second;
    queue.pop();
    const Index before = grown.indices.size();
    grown.indices.add_closed(index);
    for (Index i = before; i < grown.indices.size(); ++i) {
      MultiIndex next = grown.indices[i];
      for (int& degree : next) {
        ++degree;
        bool closed = true;
        MultiIndex predecessor = next;
        for (int& other : predecessor) {
          if (other == 0) continue;
          --other;
          closed = closed && grown.indices.contains(predecessor);
          ++other;
          if (!closed) break;
        }
        if (closed) push(next);
        --degree;
      }
    }
  }
  const Index m = fit.basis.size();
  Vector variances(grown.indices.size());
  variances.head(m) = grown.prior.variances;
  for (Index i = m; i < variances.size(); ++i) {
    variances(i) = std::exp(grown.prior.log_variance(grown.indices[i]));
    if (const auto gain = gains.find(grown.indices[i]); gain != gains.end())
      variances(i) = std::max(variances(i), gain->second);
  }
  grown.prior.variances = std::move(variances);
  return grown;
}

}  // namespace chaosgrad::internal::collocation
