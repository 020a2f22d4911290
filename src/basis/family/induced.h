#pragma once
// Inverse distribution functions of the induced distributions p_n² π.
#include <array>
#include <functional>
#include <vector>

#include "basis/family/chart.h"
#include "basis/family/kernel.h"

namespace chaosgrad::internal {

// Continuous π. On each cell the distribution function is a polynomial of the local variable x in
// [−1, 1], which agrees with the true one to rounding; inverting it takes a few Newton steps.
class InducedTable {
 public:
  InducedTable(const Distribution& distribution, const RecurrenceKernel& kernel, Index n);
  [[nodiscard]] double quantile(double p) const;

 private:
  static constexpr int degree = 16;
  struct Cell {
    Index piece = 0;
    double begin = 0, end = 0;  // in the variable of the piece
    double mass = 0;
    std::array<double, degree + 1> coefficients{};  // of (mass left of x) in powers of x
  };
  [[nodiscard]] static double solve(const Cell& cell, double mass);
  void add_piece(Index piece, const RecurrenceKernel& kernel, Index n);

  std::vector<ChartPiece> pieces_;
  std::vector<Cell> cells_;
  std::vector<double> cumulative_;  // cumulative_[i]: mass left of the end of cell i
};

// Finitely many points: masses p_n(point)² w summed up.
class InducedPoints {
 public:
  InducedPoints(std::vector<double> points, const Vector& masses);
  [[nodiscard]] double quantile(double p) const;

 private:
  std::vector<double> points_, cumulative_;
};

}  // namespace chaosgrad::internal
