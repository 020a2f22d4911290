#include <algorithm>
#include <cmath>
#include <set>

#include "solution/statistics/coefficients.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index all_pairs_limit = 32;  // dimensions

// The dimensions that a function depends on.
void support(const MultiIndex& index, std::vector<Index>& active) {
  active.clear();
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] > 0) active.push_back(static_cast<Index>(k));
  }
}

SobolIndices shares(const IndexSet& indices, const Coefficients& squares) {
  const VarianceParts parts = variance_parts(indices, squares, {});
  SobolIndices sobol{Matrix::Zero(parts.main.rows(), parts.main.cols()),
                     Matrix::Zero(parts.main.rows(), parts.main.cols())};
  for (Index i = 0; i < parts.variance.size(); ++i) {
    if (parts.variance(i) <= 0) continue;
    sobol.main.row(i) = (parts.main.row(i) / parts.variance(i)).cwiseMax(0.0).cwiseMin(1.0);
    sobol.total.row(i) = (parts.total.row(i) / parts.variance(i)).cwiseMax(0.0).cwiseMin(1.0);
  }
  return sobol;
}

SobolIndices sampled_shares(const Expansion& expansion, const Accuracy& accuracy) {
  const std::vector<OutputStatistics> x = sampled_moments(expansion, accuracy, true);
  const auto q = static_cast<Index>(x.size());
  const Index d = expansion.measure().dimension();
  SobolIndices sobol{Matrix(q, d), Matrix(q, d)};
  for (Index i = 0; i < q; ++i) {
    for (Index k = 0; k < d; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sobol.main(i, k) = x[static_cast<std::size_t>(i)].main[at].value;
      sobol.total(i, k) = x[static_cast<std::size_t>(i)].total[at].value;
    }
  }
  return sobol;
}

}  // namespace

Pairs internal::relevant_pairs(const IndexSet& indices, Index functions) {
  const Index d = indices.dimension();
  Pairs pairs;
  if (d <= all_pairs_limit) {
    for (Index k = 0; k < d; ++k) {
      for (Index l = k + 1; l < d; ++l) pairs.emplace_back(k, l);
    }
    return pairs;
  }
  std::set<std::pair<Index, Index>> found;
  std::vector<Index> active;
  for (Index i = 0; i < functions; ++i) {
    support(indices[i], active);
    for (std::size_t a = 0; a < active.size(); ++a) {
      for (std::size_t b = a + 1; b < active.size(); ++b) found.emplace(active[a], active[b]);
    }
  }
  pairs.assign(found.begin(), found.end());
  return pairs;
}

VarianceParts internal::variance_parts(const IndexSet& indices, const Coefficients& squares,
                                       const Pairs& pairs) {
  const Index q = squares.cols(), d = indices.dimension();
  VarianceParts parts{Matrix::Zero(q, d), Matrix::Zero(q, d),
                      Matrix::Zero(q, static_cast<Index>(pairs.size())), Vector::Zero(q)};
  std::vector<Index> active;
  for (Index i = 1; i < squares.rows(); ++i) {
    support(indices[i], active);
    const auto part = squares.row(i).transpose();
    parts.variance += part;
    for (const Index k : active) parts.total.col(k) += part;
    if (active.size() == 1) parts.main.col(active[0]) += part;
    if (active.size() == 2 && !pairs.empty()) {
      const auto pair =
          std::lower_bound(pairs.begin(), pairs.end(), std::pair(active[0], active[1]));
      parts.pairwise.col(pair - pairs.begin()) += part;
    }
  }
  return parts;
}

SobolIndices sobol(const Expansion& expansion) {
  if (expansion.lift())
    return sampled_shares(expansion, accuracy({}, {}, expansion.coefficients().cols()));
  return shares(expansion.basis().indices(), expansion.coefficients().cwiseAbs2());
}

SobolIndices sobol(const Solution& solution) {
  if (solution.expansion.lift()) return sampled_shares(solution.expansion, accuracy(solution));
  const CrossFit fit(solution.expansion.coefficients(), solution.replicates);
  return shares(solution.expansion.basis().indices(), fit.squares(0));
}

}  // namespace chaosgrad
