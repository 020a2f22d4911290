#pragma once
// The factorisation that a dual active-set method keeps up to date, O(q²) per change. For working
// rows a_1 … a_k and M = L Lᵀ,
//
//   N = L⁻¹ [a_1 … a_k] = Q₁ R,   Q = [Q₁ Q₂] orthogonal,   J = L⁻ᵀ Q = [J₁ J₂],
//
// so that J₁ᵀ a_i is column i of R, J₂ᵀ a_i = 0 and J Jᵀ = M⁻¹.
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// How everything moves while the multiplier of one more row, a, grows by t and working rows keep
// their values: x by −t primal, the working multipliers by −t dual, aᵀx by −t square.
struct Direction {
  Vector d;           // q: Jᵀ a
  Vector primal;      // q: J₂ J₂ᵀ a; not set where a depends on the working rows
  Vector dual;        // k: R⁻¹ J₁ᵀ a
  double square = 0;  // |J₂ᵀ a|², 0 where a depends on the working rows
  double weight = 0;  // Σ_j |a_j| |L⁻¹ e_j|: the terms of Jᵀ a
  double terms = 0;   // weight + Σ_i |dual_i| weight_i: those of Jᵀ (a − Σ_i dual_i a_i)
};

class WorkingFactor {
 public:
  explicit WorkingFactor(const Matrix& factor);  // L

  [[nodiscard]] Index size() const { return size_; }  // k
  // (M⁻¹)_jj^½ = |L⁻¹ e_j|.
  [[nodiscard]] const Vector& component_norms() const { return norms_; }

  // For a given row, and for e_j.
  void direction(const Vector& a, Direction& to) const;
  void direction(Index j, Direction& to) const;
  // The row that `along` belongs to joins; along.square > 0.
  void append(const Direction& along);
  // Working row number `position` leaves.
  void remove(Index position);

  // Solves M Δx + Σ_i Δλ_i a_i = g, a_iᵀ Δx = r_i (k). On return g is Δx and r is Δλ.
  void solve(Vector& g, Vector& r);

 private:
  void finish(Direction& to) const;
  void solve_r(Vector& b) const;

  Index size_ = 0;
  Matrix J_, R_;
  Vector norms_;
  std::vector<double> weights_;  // k: Direction::weight of the working rows
  Vector scratch_;
};

}  // namespace chaosgrad::internal
