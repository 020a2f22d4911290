#pragma once
// The nodes of a NoisePlan at given x and θ: where kinks lie depends on both.
#include "problem/noise_plan.h"
#include "random/streams.h"

namespace chaosgrad::internal {

enum class Integrand { gradient, value };

class NoiseNodes {
 public:
  // `scramble` keys the Sobol' points.
  NoiseNodes(const ProblemFacts& facts, NoisePlan plan, const Stream& scramble);

  // Nodes of every row, in the order of the rows. Weights of a row sum to 1.
  [[nodiscard]] NoisePoints at(const Block& x, const Block& theta, Integrand integrand) const;
  [[nodiscard]] const NoisePlan& plan() const { return plan_; }

 private:
  struct Axis {
    AxisKinks kinks;
    std::vector<PieceRule> rules;  // for gradients, and for values
    Quadrature cases;
  };
  struct Group {
    std::vector<Axis> axes;
    Matrix points;  // Sobol', N × sobol_axes
  };

  [[nodiscard]] NoisePoints group_points(std::size_t group, const Block& x, const Block& theta,
                                         Integrand integrand) const;
  [[nodiscard]] NoisePoints along_line(std::size_t group, std::size_t depth,
                                       const NoisePoints& points, const Block& x,
                                       const Block& theta, Integrand integrand) const;
  // Where the order of the breaks on the lines along the next number changes: what is integrated
  // along those has a kink there.
  void add_changes(std::size_t group, std::size_t depth, const NoisePoints& points, const Block& x,
                   const Block& theta, Breaks& breaks) const;

  std::shared_ptr<const NoiseShape> shape_;
  NoisePlan plan_;
  std::vector<Group> groups_;
  Eigen::RowVectorXd anchor_;  // a point of the noise, where numbers of other groups stay
};

}  // namespace chaosgrad::internal
