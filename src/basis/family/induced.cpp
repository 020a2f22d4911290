#include "basis/family/induced.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace chaosgrad::internal {
namespace {

constexpr Index most_cells_per_degree = 64;  // far above what smooth densities take

constexpr Index nodes = 20;         // Gauss–Legendre nodes per cell
constexpr Index terms = 16;         // Legendre terms 0..15 of the density in a cell
constexpr double smallest = 1e-19;  // cells with less mass are dropped

// Linear maps from the density at the nodes of a cell, x in [−1, 1].
struct CellProjection {
  Vector x;         // nodes
  Matrix legendre;  // terms × nodes: Legendre coefficients
  Matrix integral;  // (terms + 1) × terms: powers of x in ∫_{−1}^x Σ g_k P_k

  CellProjection() : legendre(terms, nodes), integral(Matrix::Zero(terms + 1, terms)) {
    const Quadrature rule = gauss_legendre(nodes, -1, 1);
    x = rule.nodes;
    Matrix powers = Matrix::Zero(terms + 1, terms + 1);  // column k: P_k in powers of x
    powers(0, 0) = powers(1, 1) = 1;
    for (Index k = 1; k < terms; ++k) {
      const auto d = static_cast<double>(k);
      powers.col(k + 1).tail(terms) = (2 * d + 1) / (d + 1) * powers.col(k).head(terms);
      powers.col(k + 1) -= d / (d + 1) * powers.col(k - 1);
    }
    for (Index k = 0; k < terms; ++k) {
      const auto d = static_cast<double>(k);
      for (Index j = 0; j < nodes; ++j) {
        double value = 0;
        for (Index i = k; i >= 0; --i) value = value * x[j] + powers(i, k);
        legendre(k, j) = (2 * d + 1) * rule.weights[j] * value;
      }
      // ∫_{−1}^x P_k = (P_{k+1} − P_{k−1})/(2k+1);  x + 1 for k = 0.
      integral.col(k) = powers.col(k + 1) / (2 * d + 1);
      if (k == 0) {
        integral(0, 0) += 1;
      } else {
        integral.col(k) -= powers.col(k - 1) / (2 * d + 1);
      }
    }
  }
};

const CellProjection& cell_projection() {
  static const CellProjection projection;
  return projection;
}

// p_n² density · (cell length)/2 at the nodes of the cell.
Vector cell_density(const ChartPiece& piece, const RecurrenceKernel& kernel, Index n, double begin,
                    double end) {
  const Vector& x = cell_projection().x;
  Vector theta(nodes), v(nodes);
  const double half = 0.5 * (end - begin);
  for (Index j = 0; j < nodes; ++j) {
    const double s = begin + half * (1 + x[j]);
    theta[j] = piece.theta(s);
    v[j] = piece.root_density(s);
  }
  polynomial_degree(kernel, n, theta.data(), nodes, v.data());
  return half * v.array().square();
}

// A first division that finds every peak: even cells for the oscillations, dyadic ones towards the
// two ends.
std::vector<double> first_breaks(double begin, double end, Index n) {
  const double length = end - begin;
  std::vector<double> breaks{begin, end};
  const Index even = n + 4;
  for (Index i = 1; i < even; ++i) {
    breaks.push_back(begin + length * static_cast<double>(i) / static_cast<double>(even));
  }
  double distance = length / static_cast<double>(even);
  for (int k = 0; k < 20; ++k) {
    distance *= 0.5;
    breaks.push_back(begin + distance);
    breaks.push_back(end - distance);
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  return breaks;
}

}  // namespace

InducedTable::InducedTable(const Distribution& distribution, const RecurrenceKernel& kernel,
                           Index n)
    : pieces_(chart(distribution, n)) {
  for (Index piece = 0; piece < static_cast<Index>(pieces_.size()); ++piece) {
    add_piece(piece, kernel, n);
  }
  cumulative_.reserve(cells_.size());
  double sum = 0;
  for (const Cell& cell : cells_) cumulative_.push_back(sum += cell.mass);
}

void InducedTable::add_piece(Index piece, const RecurrenceKernel& kernel, Index n) {
  const CellProjection& projection = cell_projection();
  const ChartPiece& map = pieces_[static_cast<std::size_t>(piece)];
  struct Range {
    double begin, end;
    double unresolved;  // of the range it came from
  };
  const std::vector<double> breaks = first_breaks(map.begin, map.end, n);
  std::vector<Range> stack;  // the leftmost range on top
  for (std::size_t i = breaks.size() - 1; i > 0; --i)
    stack.push_back({breaks[i - 1], breaks[i], infinity});
  while (!stack.empty()) {
    const Range range = stack.back();
    stack.pop_back();
    const Vector g = projection.legendre * cell_density(map, kernel, n, range.begin, range.end);
    const double mass = 2 * g[0];
    const double unresolved = g.tail(3).cwiseAbs().sum();
    const double middle = 0.5 * (range.begin + range.end);
    // Halving divides a true remainder by four at least, rounding errors by two.
    const bool only_rounding = unresolved < 1e-9 * mass && unresolved > 0.35 * range.unresolved;
    // A parameter of 10⁹ ± 1 has seven digits left for its density, which no division resolves.
    const bool enough = static_cast<Index>(cells_.size()) > most_cells_per_degree * (n + 16);
    const bool divisible = middle > range.begin && middle < range.end && !enough;
    if (unresolved > 1e-16 + 2e-14 * mass && !only_rounding && divisible) {
      stack.push_back({middle, range.end, unresolved});
      stack.push_back({range.begin, middle, unresolved});
      continue;
    }
    if (!(mass > smallest)) continue;
    Cell cell{piece, range.begin, range.end, mass, {}};
    Eigen::Map<Vector>(cell.coefficients.data(), degree + 1) = projection.integral * g;
    cells_.push_back(cell);
  }
}

double InducedTable::solve(const Cell& cell, double mass) {
  double low = -1, high = 1, x = 2 * mass / cell.mass - 1;
  for (int k = 0; k < 60; ++k) {
    double value = cell.coefficients[degree], slope = 0;
    for (int i = degree - 1; i >= 0; --i) {
      slope = slope * x + value;
      value = value * x + cell.coefficients[static_cast<std::size_t>(i)];
    }
    const double excess = value - mass;
    (excess > 0 ? high : low) = x;
    if (std::abs(excess) < 1e-17) break;
    const double newton = x - excess / slope;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    const double change = std::abs(next - x);
    x = next;
    if (change < 4e-16) break;
  }
  return x;
}

double InducedTable::quantile(double p) const {
  const double target = p * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, target);
  const auto i = static_cast<std::size_t>(found - cumulative_.begin());
  const Cell& cell = cells_[i];
  const double before = i == 0 ? 0 : cumulative_[i - 1];
  const double x = solve(cell, std::clamp(target - before, 0.0, cell.mass));
  const double s = cell.begin + 0.5 * (cell.end - cell.begin) * (1 + x);
  return pieces_[static_cast<std::size_t>(cell.piece)].theta(s);
}

InducedPoints::InducedPoints(std::vector<double> points, const Vector& masses)
    : points_(std::move(points)), cumulative_(points_.size()) {
  std::partial_sum(masses.begin(), masses.end(), cumulative_.begin());
}

double InducedPoints::quantile(double p) const {
  const double target = p * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, target);
  return points_[static_cast<std::size_t>(found - cumulative_.begin())];
}

}  // namespace chaosgrad::internal
