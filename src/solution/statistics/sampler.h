#pragma once
// The outputs (the components of x, then the quantities) at samples of θ.
#include <memory>

#include "chaosgrad/statistics.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

struct OutputSamples {
  Matrix theta;   // n×d
  Matrix values;  // n×outputs
};

class OutputSampler {
 public:
  // θ follows `law`, which need not be the measure of the expansion.
  OutputSampler(const Expansion& expansion, const Measure& law, const Quantities& quantities,
                int threads);

  [[nodiscard]] Index outputs() const { return components() + quantities_.count; }
  [[nodiscard]] Index components() const { return expansion_.coefficients().cols(); }
  // Noise numbers per θ that the quantities are averaged over: 1 if none of them takes part.
  [[nodiscard]] Index draws() const { return draws_; }

  // At the rows of u, uniform numbers (n×d), with these coefficients. `noise` (draws×r) is common
  // to all θ.
  [[nodiscard]] OutputSamples at(const Matrix& u, const Coefficients& coefficients,
                                 const Matrix& noise) const;

 private:
  [[nodiscard]] bool noise_matters() const;

  const Expansion& expansion_;
  const Measure& law_;
  bool same_law_;
  const Quantities& quantities_;
  mutable Executor executor_;
  Index draws_ = 1;
};

// Shift r of the Sobol' points: `count` points for θ (columns: d, or 2d for pairs of points), and
// the noise that goes with them.
struct ShiftedPoints {
  Matrix u;      // count × columns
  Matrix noise;  // draws × r
};
[[nodiscard]] ShiftedPoints shifted_points(std::uint64_t seed, Index shift, Index count,
                                           Index columns, Index draws, Index noise_dimension);

}  // namespace chaosgrad::internal
