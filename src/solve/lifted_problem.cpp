#include "solve/lifted_problem.h"

#include <algorithm>
#include <cmath>

#include "constraint/metric_factor.h"
#include "constraint/projection.h"
#include "curvature/differences.h"
#include "curvature/hessian_noise.h"
#include "numeric/decompositions.h"
#include "problem/problem_samples.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

constexpr Index metric_blocks = 4;     // of samples (θ, v) in the mean
constexpr Index metric_rounds = 3;     // Newton steps of the mean objective
constexpr double metric_floor = 1e-6;  // least eigenvalue, relative to the largest

// ∇F and ∇²F at one x, averaged over samples of (θ, v).
class MeanModel {
 public:
  MeanModel(const Oracle& oracle, std::uint64_t seed, Executor& executor)
      : oracle_(oracle), executor_(executor) {
    const Stream parameters = make_stream(seed, Purpose::lift_parameters),
                 noise = make_stream(seed, Purpose::lift_noise);
    for (Index b = 0; b < metric_blocks; ++b) {
      theta_.push_back(
          draw_parameters(oracle.parameters(), parameters, b * block_size, block_size).theta);
      noise_.push_back(draw_noise(oracle.noise_dimension(), noise, b * block_size, block_size));
    }
  }

  [[nodiscard]] Vector gradient(const Vector& x) const {
    const std::vector<Vector> means = executor_.map(metric_blocks, [&](Index b) {
      const auto block = static_cast<std::size_t>(b);
      Matrix g(block_size, x.size());
      oracle_.gradient(x.transpose().replicate(block_size, 1), theta_[block], noise_[block], g);
      return Vector(g.colwise().mean().transpose());
    });
    Matrix sums(metric_blocks, x.size());
    for (Index b = 0; b < metric_blocks; ++b)
      sums.row(b) = means[static_cast<std::size_t>(b)].transpose();
    return sums.colwise().mean().transpose();
  }

  [[nodiscard]] Matrix hessian(const Vector& x) const {
    const std::vector<Matrix> sums = executor_.map(metric_blocks, [&](Index b) {
      const auto block = static_cast<std::size_t>(b);
      Matrix sum = Matrix::Zero(x.size(), x.size());
      for (const Matrix& H :
           sample_hessians(oracle_, x.transpose().replicate(block_size, 1), theta_[block],
                           noise_[block], Difference::forward, oracle_.noise_dimension() > 0))
        sum += H / static_cast<double>(metric_blocks * block_size);
      return sum;
    });
    Matrix mean = Matrix::Zero(x.size(), x.size());
    for (const Matrix& part : sums) mean += part;
    return mean;
  }

 private:
  const Oracle& oracle_;
  Executor& executor_;
  std::vector<Matrix> theta_, noise_;
};

}  // namespace

LiftedProblem::LiftedProblem(const Oracle& oracle, std::shared_ptr<const Lift> lift)
    : oracle_(oracle), lift_(std::move(lift)) {}

ProblemFacts LiftedProblem::facts() const {
  ProblemFacts facts = oracle_.facts();
  facts.constraints = {};
  facts.reference = {};  // of x, not of y
  facts.known.clear();
  facts.lift = lift_;
  return facts;
}

LiftedBlock LiftedProblem::projected(const Block& y, const Block& theta) const {
  Matrix eta(theta.rows(), theta.cols());
  oracle_.parameters().germ_from_parameters(theta, eta);
  return lift_->project(eta, theta, y);
}

void LiftedProblem::gradient(const Block& y, const Block& theta, const Block& noise,
                             BlockOut g) const {
  const LiftedBlock at = projected(y, theta);
  oracle_.gradient(at.x, theta, noise, g);
  g += at.force;
}

std::string LiftedProblem::explain(const Block& y, const Block& theta, const Block& noise) const {
  const LiftedBlock at = projected(y, theta);
  if (!at.x.allFinite()) return "no x satisfies the constraints there";
  return oracle_.explain(at.x, theta, noise);
}

std::int64_t mean_metric_cost(const Oracle& oracle) {
  return metric_rounds * metric_blocks * block_size * (oracle.dimension() + 2);
}

Vector median_parameters(const Measure& measure) {
  Matrix eta = Matrix::Constant(1, measure.dimension(), 0.5), theta = eta;
  measure.germ_from_uniform(eta, eta);
  measure.parameters_from_germ(eta, theta);
  return theta.row(0).transpose();
}

std::shared_ptr<const Lift> measure_mean_metric(const Oracle& oracle, std::uint64_t seed,
                                                Executor& executor) {
  const std::shared_ptr<const Constraints>& set = oracle.facts().constraints;
  const Index q = oracle.dimension();
  const Vector centre = median_parameters(oracle.parameters());
  const Projection start = project(*set, centre, Matrix::Identity(q, q), oracle.facts().start);
  if (start.outcome != QuadraticSolution::Outcome::solved) return nullptr;
  const MeanModel model(oracle, seed, executor);
  Vector x = start.x;
  Matrix factor = Matrix::Identity(q, q);
  for (Index round = 0; round < metric_rounds; ++round) {
    const Matrix H = model.hessian(x);
    const Vector g = model.gradient(x);
    if (!H.allFinite() || !g.allFinite()) break;
    const double proximal = proximal_weight(H, g, *set, centre, x).weight;
    factor = positive_factor(
        with_equalities(H + proximal * Matrix::Identity(q, q), *set, x, centre), metric_floor);
    const Projection next = project(*set, centre, factor, x - solve_cholesky(factor, g));
    if (next.outcome != QuadraticSolution::Outcome::solved) break;
    x = next.x;
  }
  const std::vector<Family> families = make_families(oracle);
  return constant_lift(set, families, factor);
}

}  // namespace chaosgrad::internal
