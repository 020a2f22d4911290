#pragma once
// Constraints on x, and convex terms of the objective with kinks in x: both are rows c_i(x, θ) whose
// multipliers λ_i have limits. With f the smooth part of the objective, x*(θ) minimises
//
//   f(x, θ) + Σ_i max { λ c_i(x, θ) : least_i ≤ λ ≤ most_i }   over   lower ≤ x ≤ upper.
//
//   row                    least   most
//   c ≤ 0                    0      ∞
//   c = 0                   −∞      ∞
//   w max(c, 0)              0      w
//   w |c|                   −w      w
//   w |(c_1, …, c_k)|₂       all k together: |(λ_1, …, λ_k)|₂ ≤ most = w (see Constraint::norm)
//
// At the optimum ∇f + Σ λ_i ∇c_i + λ_bounds = 0.
#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad {

// Rows, or bounds, that belong together under one name.
struct Constraint {
  enum class Kind {
    lower,       // bounds of the components first, … of x
    upper,       //
    inequality,  // rows first, …: c ≤ 0
    equality,    // c = 0, affine
    kink         // a term of the objective; it has a name for messages only
  };
  std::string name;  // "budget", "w.lower"
  Kind kind = Kind::inequality;
  Index first = 0, count = 1;
  bool norm = false;     // kink: the rows are the vector of one Euclidean norm
  bool affine = true;    // c is affine in x
  bool is_list = false;  // of several components, even if their number is one: results are lists
};

// What defines the constraints at B samples of θ (and x).
struct ConstraintBlock {
  Matrix lower, upper;  // B×q; ∓∞: none
  Matrix value;         // B×p: c_i(x, θ)
  Matrix jacobian;      // B×(p q): ∂c_i/∂x_j in column i q + j
  Matrix least, most;   // B×p
};

// Pure and thread-safe: same inputs, same bits.
class Constraints {
 public:
  virtual ~Constraints() = default;

  [[nodiscard]] virtual Index dimension() const = 0;  // q
  [[nodiscard]] virtual Index rows() const = 0;       // p
  [[nodiscard]] virtual const std::vector<Constraint>& list() const = 0;

  // Everything at rows of x (B×q) and theta (B×d), B ≤ block_size.
  virtual void evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const = 0;
  // Row b of h (B×q²) = Σ_i multipliers(b, i) ∇²c_i(x_b, θ_b). Zero where all rows are affine.
  virtual void curvature(const Block& x, const Block& theta, const Block& multipliers,
                         BlockOut h) const = 0;

  [[nodiscard]] bool is_affine() const;  // every row is
  [[nodiscard]] bool has_kinks() const;  // some rows are terms of the objective
};

// lower ≤ x ≤ upper and row_lower ≤ A x ≤ row_upper, the same for every θ. Vectors of bounds may be
// empty: none. A row whose two limits are equal is an equality.
class LinearConstraints final : public Constraints {
 public:
  struct Rows {
    std::string name;
    Matrix A;             // k×q
    Vector lower, upper;  // k each
  };
  // `names` are those of the variables, for the names of their bounds: "x.lower", "x.upper"; empty: x.
  LinearConstraints(Index dimension, Vector lower, Vector upper, std::vector<Rows> rows = {},
                    std::string variable = "x");

  // What it amounts to, as files hold it: A x − b with limits on the multipliers.
  struct Parts {
    Vector lower, upper;  // q each
    Matrix A;             // p×q
    Vector b, least, most;
    std::vector<Constraint> list;
  };
  explicit LinearConstraints(Parts parts)
      : dimension_(parts.lower.size()),
        lower_(std::move(parts.lower)),
        upper_(std::move(parts.upper)),
        A_(std::move(parts.A)),
        b_(std::move(parts.b)),
        least_(std::move(parts.least)),
        most_(std::move(parts.most)),
        list_(std::move(parts.list)) {}
  [[nodiscard]] Parts parts() const { return {lower_, upper_, A_, b_, least_, most_, list_}; }

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index rows() const override { return A_.rows(); }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return list_; }
  void evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const override;
  void curvature(const Block& x, const Block& theta, const Block& multipliers,
                 BlockOut h) const override;

 private:
  Index dimension_;
  Vector lower_, upper_;
  Matrix A_;  // p×q: A x − b ≤ 0 or = 0
  Vector b_, least_, most_;
  std::vector<Constraint> list_;
};

}  // namespace chaosgrad
