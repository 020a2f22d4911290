#include "basis/basis_supremum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace chaosgrad::internal {
namespace {

// B_0² … B_n² at t.
Vector squares_at(const Family& family, double t, Index n) {
  Matrix values(1, n + 1);
  family.values(&t, 1, values);
  return values.row(0).transpose().cwiseAbs2();
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

double BasisSupremum::value(const std::vector<Family>& families, const IndexSet& indices, Index m) {
  const std::lock_guard lock(mutex_);
  if (!prepared_) prepare(families, indices);
  if (m > finite_) return infinity;
  if (!values_.empty()) return values_[at(m - 1)];
  // Nothing found for another m is used here: the answer must not depend on what was asked before.
  const auto [place, is_new] = found_.try_emplace(m, 0.0);
  if (is_new) place->second = search(families, indices, m);
  return place->second;
}

void BasisSupremum::prepare(const std::vector<Family>& families, const IndexSet& indices) {
  MultiIndex degree(families.size(), 0);
  for (const MultiIndex& index : indices.indices())
    for (std::size_t k = 0; k < degree.size(); ++k) degree[k] = std::max(degree[k], index[k]);

  for (std::size_t k = 0; k < families.size(); ++k) {
    const Family& family = families[k];
    Coordinate coordinate;
    if (family.kind() == Family::Kind::fourier) {  // at the centre cos² = 1, sin² = 0
      coordinate.settled = true;
      coordinate.squares = Vector::Zero(degree[k] + 1);
      coordinate.squares[0] = 1;
      for (Index n = 1; n <= degree[k]; n += 2) coordinate.squares[n] = 2;
    } else {
      double best = 0;
      const double largest = family.supremum(Vector::Ones(degree[k] + 1), &best);
      coordinate.unbounded = !std::isfinite(largest);
      // One dimension alone is asked for directly; a table of all its maxima would cost more.
      if (!coordinate.unbounded && families.size() > 1) {
        coordinate.squares = squares_at(family, best, degree[k]);
        coordinate.settled = true;
        double sum = 1;
        for (Index n = 1; n <= degree[k] && coordinate.settled; ++n) {
          sum += coordinate.squares[n];
          coordinate.settled = sum >= (1 - 1e-12) * family.supremum(Vector::Ones(n + 1));
        }
      }
    }
    if (!coordinate.settled && !coordinate.unbounded && degree[k] > 0) searched_.push_back(k);
    coordinates_.push_back(std::move(coordinate));
  }

  settled_factor_ = Vector::Ones(indices.size());
  finite_ = indices.size();
  for (Index i = 0; i < indices.size(); ++i)
    for (std::size_t k = 0; k < families.size(); ++k) {
      const Coordinate& coordinate = coordinates_[k];
      if (coordinate.unbounded && indices[i][k] > 0) finite_ = std::min(finite_, i);
      if (coordinate.settled) settled_factor_[i] *= coordinate.squares[indices[i][k]];
    }

  constexpr Index most_points = 10000;
  if (searched_.empty()) {
    double sum = 0;
    for (const double term : settled_factor_) values_.push_back(sum += term);
  } else if (families.size() > 1) {
    enumerate_points(families, indices, most_points);
  }
  prepared_ = true;
}

// Finitely many candidates: every prefix sum at every one of them.
void BasisSupremum::enumerate_points(const std::vector<Family>& families, const IndexSet& indices,
                                     Index limit) {
  Index candidates = 1;
  for (const std::size_t k : searched_) {
    const auto* discrete = std::get_if<Discrete>(&families[k].distribution().parameters());
    if (discrete == nullptr) return;
    candidates *= static_cast<Index>(discrete->values.size());
    if (candidates > limit) return;
  }
  values_.assign(at(indices.size()), 0);
  std::vector<Vector> squares(searched_.size());
  for (Index candidate = 0; candidate < candidates; ++candidate) {
    Index rest = candidate;
    for (std::size_t s = 0; s < searched_.size(); ++s) {
      const Family& family = families[searched_[s]];
      const auto& points = std::get<Discrete>(family.distribution().parameters()).values;
      const auto count = static_cast<Index>(points.size());
      squares[s] =
          squares_at(family, points[at(rest % count)], std::min(count - 1, family.max_degree()));
      rest /= count;
    }
    double sum = 0;
    for (Index i = 0; i < indices.size(); ++i) {
      double term = settled_factor_[i];
      for (std::size_t s = 0; s < searched_.size(); ++s)
        term *= squares[s][indices[i][searched_[s]]];
      values_[at(i)] = std::max(values_[at(i)], sum += term);
    }
  }
}

// Points of one coordinate where the maximum may be: the ends, the mean, and where the sums of low
// degrees are largest.
std::vector<double> BasisSupremum::candidates(const Family& family, Index degree) {
  const Distribution& distribution = family.distribution();
  std::vector<double> result{distribution.lower(), distribution.upper(), distribution.mean()};
  if (distribution.is_discrete()) result.pop_back();  // the mean need not be one of the points
  for (Index n = 1; n <= std::min<Index>(degree, 8); ++n) {
    double best = result.front();
    (void)family.supremum(Vector::Ones(n + 1), &best);
    result.push_back(best);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// The most promising mixtures of the candidates. One coordinate is maximised whatever the start.
std::vector<Vector> BasisSupremum::starts(const std::vector<Family>& families,
                                          const IndexSet& indices, Index m) const {
  constexpr std::size_t most_mixtures = 512, most_starts = 8;
  const std::size_t count = searched_.size();
  if (count == 1) return {Vector::Constant(1, families[searched_[0]].distribution().quantile(0.5))};
  const std::vector<Index> degree = degrees(indices, m);
  std::vector<std::vector<double>> points(count);
  std::vector<std::vector<Vector>> squares(count);
  std::size_t mixtures = 1;
  for (std::size_t s = 0; s < count; ++s) {
    const Family& family = families[searched_[s]];
    points[s] = candidates(family, degree[s]);
    for (const double t : points[s]) squares[s].push_back(squares_at(family, t, degree[s]));
    mixtures = std::min(mixtures * points[s].size(), most_mixtures + 1);
  }
  const bool all = mixtures <= most_mixtures;
  std::vector<std::pair<double, Vector>> ranked;
  for (std::size_t mixture = 0; mixture < std::min(mixtures, most_mixtures); ++mixture) {
    // Digits of the mixture's number; too many for all of them: scattered by a multiplicative hash.
    std::uint64_t rest = all ? mixture : mixture * 0x9e3779b97f4a7c15 >> 8;
    Vector point(static_cast<Index>(count));
    std::vector<const Vector*> chosen(count);
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t digit = rest % points[s].size();
      rest /= points[s].size();
      point[static_cast<Index>(s)] = points[s][digit];
      chosen[s] = &squares[s][digit];
    }
    double value = 0;
    for (Index i = 0; i < m; ++i) {
      double term = settled_factor_[i];
      for (std::size_t s = 0; s < count; ++s) term *= (*chosen[s])[indices[i][searched_[s]]];
      value += term;
    }
    ranked.emplace_back(value, std::move(point));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ranked.resize(std::min(ranked.size(), most_starts));
  std::vector<Vector> result;
  for (auto& [value, point] : ranked) result.push_back(std::move(point));
  return result;
}

// Largest degree of each searched coordinate among the first m functions.
std::vector<Index> BasisSupremum::degrees(const IndexSet& indices, Index m) const {
  std::vector<Index> result(searched_.size(), 0);
  for (Index i = 0; i < m; ++i)
    for (std::size_t s = 0; s < searched_.size(); ++s)
      result[s] = std::max<Index>(result[s], indices[i][searched_[s]]);
  return result;
}

// Coordinate ascent: with the others fixed, each coordinate is maximised globally.
double BasisSupremum::search(const std::vector<Family>& families, const IndexSet& indices,
                             Index m) const {
  const std::vector<Index> degree = degrees(indices, m);
  double maximum = 0;
  for (Vector point : starts(families, indices, m)) {
    std::vector<Vector> squares;
    for (std::size_t s = 0; s < searched_.size(); ++s)
      squares.push_back(
          squares_at(families[searched_[s]], point[static_cast<Index>(s)], degree[s]));
    double before = 0, value = 0;
    do {
      before = value;
      for (std::size_t s = 0; s < searched_.size(); ++s) {
        Vector c = Vector::Zero(degree[s] + 1);
        for (Index i = 0; i < m; ++i) {
          double term = settled_factor_[i];
          for (std::size_t l = 0; l < searched_.size(); ++l)
            if (l != s) term *= squares[l][indices[i][searched_[l]]];
          c[indices[i][searched_[s]]] += term;
        }
        double& t = point[static_cast<Index>(s)];
        value = families[searched_[s]].supremum(c, &t);
        squares[s] = squares_at(families[searched_[s]], t, degree[s]);
      }
    } while (searched_.size() > 1 && value > before * (1 + 1e-12));
    maximum = std::max(maximum, value);
  }
  return maximum;
}

}  // namespace chaosgrad::internal
