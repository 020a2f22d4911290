#pragma once
// An expansion taken apart into the numbers that an evaluator in another language needs.
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// One component of the germ: B_0..B_degree stand from `offset` on in the table of values.
struct EvaluatorFamily {
  Family::Kind kind = Family::Kind::polynomial;
  Index degree = 0, offset = 0;
  // polynomial: p_{n+1} = (A_n t + B_n) p_n − C_n p_{n−1}, t = (η − center) inverse_scale; rows
  // (A, B, C). At `points` the recurrence is not accurate; `point_values` holds p_0..p_degree.
  Matrix recurrence = {};
  double center = 0, inverse_scale = 1;
  std::vector<double> points = {};
  Matrix point_values = {};
  // fourier: middle and ω = 2π/width, each as a sum of two doubles
  double middle[2] = {0, 0}, frequency[2] = {0, 0};
};

// z of one component: Φ⁻¹(F(θ)) under the copula, log θ (which is Φ⁻¹(F(θ)) of LogNormal{0, 1})
// where that is the germ.
struct EvaluatorScore {
  enum class Kind { independent, normal, lognormal, closed_form, discrete };
  Kind kind = Kind::independent;
  std::string name = {};               // of a closed form: the distribution
  std::vector<double> arguments = {};  // in the order of its declaration, then constants
  // discrete: the values, the scores at them, and before the first, between, behind the last
  std::vector<double> values = {}, at = {}, between = {};
};

// Where x is constrained the coefficients are those of y, and x = P(y) (chaosgrad/lift.h).
struct EvaluatorLift {
  const Constraints* constraints = nullptr;
  std::vector<Index> functions = {};  // of the metric's factor, among all functions
  Coefficients factor = {};           // and their coefficients, as in Lift
  std::vector<Index> groups = {};     // of each row: the norm that it belongs to, or −1
  Index norms = 0, norm_rows = 0;
  // Multipliers by column: their names, and the row or the bound of a component that they are of.
  struct Column {
    enum class Kind { row, lower, upper };
    Kind kind;
    Index number;
  };
  std::vector<std::string> names = {};
  std::vector<Column> columns = {};
  Vector step = {};         // d: lengths that differences in θ_k are taken over
  Matrix multipliers = {};  // N × columns, at the test points
  Vector multiplier_scale = {};
};

struct Evaluator {
  Matrix support;  // d×2: the ends of the support of θ_k, possibly infinite
  std::vector<EvaluatorFamily> families;
  Index table_size = 0;
  std::vector<EvaluatorScore> scores;         // empty where η = θ
  Matrix factor;                              // C, lower triangular: z = C η
  std::vector<std::vector<Index>> positions;  // of the factors of ψ_i in the table of values
  Coefficients coefficients;

  // Points with what x*(θ) and dx*/dθ are there, and for each output the largest sum of absolute
  // terms, against which rounding errors are to be seen.
  Matrix thetas;     // N×d
  Matrix x, slopes;  // N×q, N×(q d)
  Vector x_scale, slope_scale;
  std::optional<EvaluatorLift> lift;
};

[[nodiscard]] Evaluator make_evaluator(const Expansion& expansion);

}  // namespace chaosgrad::internal
