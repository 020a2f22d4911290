#pragma once
// The outputs (chosen components of x, then the quantities) at samples of θ.
#include <memory>

#include "chaosgrad/statistics.h"
#include "parallel/executor.h"
#include "samples/noise_average.h"

namespace chaosgrad::internal {

using Flags = Eigen::Array<bool, Eigen::Dynamic, 1>;

struct OutputSamples {
  Matrix theta;   // n×d
  Matrix values;  // n×outputs
  Flags has_x;    // n: false where C(θ) is empty
};
// Those rows at which there is an x, for statistics given that there is one; all of them where these
// are too few to be described.
[[nodiscard]] std::vector<Index> rows_with(const Flags& has_x);

inline constexpr Index most_noise_draws = 16384;

class OutputSampler {
 public:
  // θ follows `law`, which need not be the measure of the expansion. `components` are those of x
  // that are outputs.
  OutputSampler(const Expansion& expansion, const Measure& law, std::vector<Index> components,
                const Quantities& quantities, const StatisticsOptions& options);

  [[nodiscard]] Index outputs() const { return components() + quantities_.count; }
  [[nodiscard]] Index components() const { return static_cast<Index>(components_.size()); }
  // Multiplications behind one sample of all outputs, roughly.
  [[nodiscard]] double work() const;

  // At the rows of u, uniform numbers (n×d), with these coefficients. `noise` is common to all θ.
  [[nodiscard]] OutputSamples at(const Matrix& u, const Coefficients& coefficients,
                                 const NoiseRule& noise) const;
  // E_v at the rule of this shift: exact if it can be. At most `most` of its nodes, or 64.
  [[nodiscard]] NoiseRule noise(Index shift, Index most = most_noise_draws) const;
  // θ and all of x at the rows of u where there is an x (at all rows where there is hardly any).
  struct Optima {
    Matrix theta, x;
  };
  [[nodiscard]] Optima optima(const Matrix& u) const;
  // The constraints that all x satisfy; null: there are none.
  [[nodiscard]] const Constraints* constraints() const;

 private:
  const Expansion& expansion_;
  const Measure& law_;
  bool same_law_;
  std::vector<Index> components_;
  const Quantities& quantities_;
  std::uint64_t seed_;
  mutable Executor executor_;
  NoiseRule exact_ = {};  // no nodes: shifted points
  Index draws_ = 1;       // of them
};

// Multiplications of one projection, roughly.
[[nodiscard]] double projection_work(const Lift& lift);

// Shift r of the Sobol' points for θ (columns: d, or 2d for pairs of points), count × columns.
[[nodiscard]] Matrix shifted_points(std::uint64_t seed, Index shift, Index count, Index columns);

// E_v of quantities at points of the user's choice, with half widths of their confidence intervals
// where it is not exact.
class QuantityAverage {
 public:
  // The rows of x and theta are typical points.
  QuantityAverage(const Quantities& quantities, const Block& x, const Block& theta,
                  std::uint64_t seed, double confidence);
  [[nodiscard]] bool exact() const { return rules_.size() == 1; }
  struct Result {
    Matrix mean, error;  // B × count
  };
  [[nodiscard]] Result at(const Block& x, const Block& theta) const;

 private:
  const Quantities& quantities_;
  std::vector<NoiseRule> rules_;
  double confidence_;
};

}  // namespace chaosgrad::internal
