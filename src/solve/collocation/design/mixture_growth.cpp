#include "solve/collocation/design/mixture_growth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

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

// The functions with the largest coefficients, around which others are looked for.
std::vector<char> centres(const Fit& fit, const DesignTuning& tuning) {
  const Index m = fit.basis.size();
  const Index count = std::clamp<Index>(tuning.centres / fit.basis.dimension(), 1, m);
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

// Functions number m + i of the basis at the rows of eta, for the i of the list.
Matrix columns_of(const Basis& basis, const Matrix& eta, Index m, const std::vector<Index>& list,
                  Executor& executor) {
  Matrix columns(eta.rows(), static_cast<Index>(list.size()));
  const Index n = eta.rows();
  executor.for_each((n + block_size - 1) / block_size, [&](Index block) {
    const Index first = block * block_size, count = std::min(block_size, n - first);
    BasisBlock psi;
    basis.evaluate(eta.middleRows(first, count), basis.size(), psi);
    for (std::size_t j = 0; j < list.size(); ++j) {
      for (Index i = 0; i < count; ++i)
        columns(first + i, static_cast<Index>(j)) = psi(i, m + list[j]);
    }
  });
  return columns;
}

// How many independent components vectors with this covariance have as far as their squared lengths
// go: (tr C)²/tr C².
double independent_components(const Matrix& rows) {
  const Matrix covariance = rows.transpose() * rows;
  const double squares = covariance.squaredNorm();
  return squares > 0 ? std::pow(covariance.trace(), 2) / squares : 1;
}

// The candidates whose gains stand most above their noise.
std::vector<Index> most_promising(const Gains& gains, Index most) {
  std::vector<Index> order;
  for (Index i = 0; i < gains.signal.size(); ++i) {
    if (gains.signal(i) > gains.noise(i)) order.push_back(i);
  }
  const auto above = [&](Index i) { return gains.signal(i) / std::max(gains.noise(i), 1e-300); };
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return above(a) > above(b); });
  if (static_cast<Index>(order.size()) > most) order.resize(static_cast<std::size_t>(most));
  return order;
}

// Squared coefficients that stand above the largest noise of so many. Residuals are correlated: all
// of them hold the same few functions. What a candidate may show by that is its variance under the
// prior, D/σ² for Σ w ψ r, in units of that of the points themselves.
std::map<MultiIndex, double> measured_gains(const Fit& fit, const WeightedDesign& design,
                                            const Matrix& eta, const DesignTuning& tuning,
                                            Executor& executor) {
  constexpr int reach = 2;
  const std::vector<MultiIndex> beyond =
      candidates(fit.basis.indices(), centres(fit, tuning), fit.basis.families(), reach,
                 tuning.axis_share, tuning.least_axis);
  if (beyond.empty()) return {};
  const Basis wide = widened(fit.basis, beyond);
  const Gains gains = score(fit, eta, wide, executor);
  const Index m = fit.basis.size();
  const std::vector<Index> promising = most_promising(gains, tuning.most_measured);
  if (promising.empty()) return {};
  std::vector<MultiIndex> indices;
  for (const Index i : promising) indices.push_back(wide.indices()[m + i]);
  const Matrix columns = columns_of(wide, eta, m, promising, executor);
  const Matrix residuals = fit.weights.cwiseProduct(fit.slack).asDiagonal() * fit.left_out;
  const Vector squares = (columns.transpose() * residuals).rowwise().squaredNorm();
  const Vector unexplained = design.unexplained(columns);
  const double noise = residuals.cwiseProduct(fit.left_out).sum() / static_cast<double>(eta.rows());
  const double factor = noise_maximum(gains.signal.size(), independent_components(fit.left_out));
  std::map<MultiIndex, double> found;
  for (Index i = 0; i < squares.size(); ++i) {
    const double excess = squares(i) - factor * noise * unexplained(i);
    if (excess > 0 && unexplained(i) > 0)
      found[indices[static_cast<std::size_t>(i)]] = excess / std::pow(unexplained(i), 2);
  }
  return found;
}

// Functions outside of a downward closed set by falling variance, where it falls with every degree:
// each ν has one parent, ν less one on the last of its axes, and a parent offers one child at a time.
// So there are no more offers than functions, however many parameters.
class Offers {
 public:
  Offers(const Prior& prior, const std::vector<Family>& families)
      : prior_(prior), families_(families), axes_(families.size()), places_(families.size()) {
    std::iota(axes_.begin(), axes_.end(), std::size_t{0});
    std::stable_sort(axes_.begin(), axes_.end(), [&](std::size_t a, std::size_t b) {
      return prior.decay(static_cast<Index>(a) + 1) < prior.decay(static_cast<Index>(b) + 1);
    });
    for (std::size_t place = 0; place < axes_.size(); ++place) places_[axes_[place]] = place;
  }

  // `parent` is number `position` of the set.
  void open(const MultiIndex& parent, Index position) {
    std::size_t last = 0;
    for (std::size_t k = 0; k < parent.size(); ++k) {
      if (parent[k] > 0) last = std::max(last, places_[k]);
    }
    offer(parent, position, last);
  }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] double best() const { return queue_.top().log_variance; }
  // The next function; `indices` is the set that the positions are of.
  MultiIndex take(const IndexSet& indices) {
    const Offer best = queue_.top();
    queue_.pop();
    offer(indices[best.parent], best.parent, best.place + 1);
    MultiIndex index = indices[best.parent];
    ++index[axes_[best.place]];
    return index;
  }

 private:
  struct Offer {
    double log_variance;
    Index parent;
    std::size_t place;  // of the axis in their order
    bool operator<(const Offer& other) const {
      return std::tuple(log_variance, other.parent, other.place) <
             std::tuple(other.log_variance, parent, place);
    }
  };

  void offer(const MultiIndex& parent, Index position, std::size_t place) {
    while (place < axes_.size() && parent[axes_[place]] >= families_[axes_[place]].max_degree())
      ++place;
    if (place == axes_.size()) return;
    queue_.push({prior_.log_variance(parent) - prior_.decay(static_cast<Index>(axes_[place]) + 1),
                 position, place});
  }

  const Prior& prior_;
  const std::vector<Family>& families_;
  std::vector<std::size_t> axes_, places_;  // by growing decay, and where each of them stands
  std::priority_queue<Offer> queue_;
};

// Measured gains by falling size.
std::vector<std::pair<double, MultiIndex>> by_size(const std::map<MultiIndex, double>& gains) {
  std::vector<std::pair<double, MultiIndex>> sorted;
  for (const auto& [index, gain] : gains) sorted.emplace_back(std::log(gain), index);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return sorted;
}

}  // namespace

// What the residual asks for is taken before the others, as far as it is expected to be larger, with
// its predecessors.
Grown grow_basis(const Fit& fit, const WeightedDesign& design, const Matrix& eta, Index size,
                 const DesignTuning& tuning, Executor& executor) {
  Grown grown{fit.basis.indices(), fit.prior};
  const std::map<MultiIndex, double> gains = measured_gains(fit, design, eta, tuning, executor);
  const std::vector<std::pair<double, MultiIndex>> measured = by_size(gains);
  Offers offers(grown.prior, fit.basis.families());
  Index opened = 0;
  auto next = measured.begin();
  while (grown.indices.size() < size) {
    for (; opened < grown.indices.size(); ++opened) offers.open(grown.indices[opened], opened);
    const bool is_measured =
        next != measured.end() && (offers.empty() || next->first >= offers.best());
    if (!is_measured && offers.empty()) break;
    grown.indices.add_closed(is_measured ? (next++)->second : offers.take(grown.indices));
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
