#include "basis/basis_supremum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace chaosgrad {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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
  auto next = found_.lower_bound(m);
  if (next != found_.end() && next->first == m) return next->second.value;
  std::vector<Vector> from = starts(families);
  if (next != found_.begin()) from.push_back(std::prev(next)->second.point);
  return found_.emplace(m, search(families, indices, m, from)).first->second.value;
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

// Where each searched coordinate alone is best for low and for high degrees, and mixtures of the
// two.
std::vector<Vector> BasisSupremum::starts(const std::vector<Family>& families) const {
  const std::size_t count = searched_.size();
  Matrix best(2, static_cast<Index>(count));
  for (std::size_t s = 0; s < count; ++s) {
    const Family& family = families[searched_[s]];
    const auto column = static_cast<Index>(s);
    best.col(column).setConstant(family.distribution().mean());
    if (count == 1)
      return {best.row(0).transpose()};  // one coordinate is maximised whatever the start
    (void)family.supremum(Vector::Ones(2), &best(0, column));
    (void)family.supremum(Vector::Ones(std::min<Index>(family.max_degree(), 8) + 1),
                          &best(1, column));
  }
  std::vector<Vector> result;
  const std::size_t mixtures = std::size_t{1} << std::min<std::size_t>(count, 4);
  for (std::size_t mixture = 0; mixture < mixtures; ++mixture) {
    Vector point(static_cast<Index>(count));
    for (std::size_t s = 0; s < count; ++s)
      point[static_cast<Index>(s)] =
          best(static_cast<Index>((mixture >> (s % 4)) & 1), static_cast<Index>(s));
    result.push_back(std::move(point));
  }
  return result;
}

// Coordinate ascent: with the others fixed, each coordinate is maximised globally.
BasisSupremum::Maximum BasisSupremum::search(const std::vector<Family>& families,
                                             const IndexSet& indices, Index m,
                                             const std::vector<Vector>& starts) const {
  std::vector<Index> degree(searched_.size(), 0);
  for (Index i = 0; i < m; ++i)
    for (std::size_t s = 0; s < searched_.size(); ++s)
      degree[s] = std::max<Index>(degree[s], indices[i][searched_[s]]);

  Maximum maximum;
  for (Vector point : starts) {
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
    if (value > maximum.value) maximum = {value, std::move(point)};
  }
  return maximum;
}

}  // namespace chaosgrad
