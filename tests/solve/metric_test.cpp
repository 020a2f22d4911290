// The metric of the lift: fits of factors choose the parameters that matter, equalities make it
// definite, and descents find their way into a domain that ends at the bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "constraint/metric_factor.h"
#include "solve/collocation/curvature/metric_fit.h"
#include "support/keyed_numbers.h"

namespace chaosgrad::internal {
namespace {

using chaosgrad::testing::signed_numbers;

std::vector<Family> legendre(Index d) {
  std::vector<Family> families;
  for (Index k = 0; k < d; ++k) families.push_back(Family(Uniform{-1, 1}));
  return families;
}

// R depends on the second of three parameters only: no function of the others is taken.
TEST(FitFactors, TakesTheParametersThatMatter) {
  const Index n = 40;
  const Matrix eta = signed_numbers(5, n, 3), mean = Matrix::Identity(2, 2);
  std::vector<Matrix> factors;
  const auto factor = [](double t) {
    Matrix R(2, 2);
    R << std::exp(0.5 * t), 0, 0.3 * std::sin(t), 1;
    return R;
  };
  for (Index j = 0; j < n; ++j) factors.push_back(factor(eta(j, 1)));
  const FittedFactors found = fit_factors(legendre(3), eta, Vector::Ones(n), factors, mean,
                                          {.most = 8, .unbounded_degree = 3});
  for (Index i = 0; i < found.basis.size(); ++i) {
    EXPECT_EQ(found.basis.indices()[i][0], 0);
    EXPECT_EQ(found.basis.indices()[i][2], 0);
  }
  // Degree 5 and more leaves less than 0.5^6/6! of exp(t/2).
  EXPECT_LT(found.error, 1e-4);
  const Lift lift(std::make_shared<LinearConstraints>(2, Vector::Zero(2), Vector::Ones(2)),
                  found.basis, found.entries);
  Matrix at = signed_numbers(6, 1, 3);
  const Matrix L = lift.factors(at).front();
  const Matrix inverse = factor(at(0, 1)) * factor(at(0, 1)).transpose();
  EXPECT_LT((L * L.transpose() * inverse - Matrix::Identity(2, 2)).norm(), 1e-3);
}

// f = Σ n log(n/Σn) is homogeneous: its Hessian is singular along n, and definite with Σn = 1.
TEST(WithEqualities, IsDefiniteWhereTheyHoldX) {
  const Vector n = Vector::LinSpaced(4, 0.1, 0.7);
  const Matrix H = Matrix(n.cwiseInverse().asDiagonal()) - Matrix::Constant(4, 4, 1 / n.sum());
  ASSERT_LT((H * n).norm(), 1e-12);
  const LinearConstraints set(4, Vector::Zero(4), {},
                              {{"one", Matrix::Ones(1, 4), Vector::Ones(1), Vector::Ones(1)}});
  const Matrix M = with_equalities(H, set, n, Vector::Zero(1));
  EXPECT_GT(positive_factor(M, 1e-12).diagonal().minCoeff(), 0.1);
  const Vector along = (Vector(4) << 1, -1, 0, 0).finished();  // Σ does not change
  EXPECT_LT((M * along - H * along).norm(), 1e-12);
}

// Units from 1e-3 to 1e7 change neither the eigenvalues nor what is raised; what is 0 stays a factor.
TEST(PositiveFactor, DoesNotDependOnUnits) {
  const Matrix H = (Matrix(3, 3) << 2, 1, 0.4, 1, 2, 0.4, 0.4, 0.4, 0.16).finished();
  const Vector unit = (Vector(3) << 1e-3, 1e7, 1).finished();
  const Matrix scaled = unit.asDiagonal() * H * unit.asDiagonal();
  EXPECT_LT((eigenvalues_in_own_units(scaled) - eigenvalues_in_own_units(H)).norm(), 1e-12);
  for (const double least : {0.0, 0.2}) {
    const Matrix factor = unit.asDiagonal() * positive_factor(H, least);
    const Matrix found = positive_factor(scaled, least);
    for (Index i = 0; i < 3; ++i)
      EXPECT_LT((found.row(i) - factor.row(i)).norm(), 1e-12 * unit(i)) << least;
  }
  EXPECT_TRUE(positive_factor(Matrix::Zero(2, 2), 1e-8).allFinite());
  EXPECT_EQ(inverse_factor(Matrix()).size(), 0);
}

// A die that is tilted by θ, with the largest entropy: p_i ∝ exp((θ − 3.5) i/2). The start is not feasible, and its
// projection lies on the bounds, where the domain of log ends.
struct Die {
  [[nodiscard]] Index dimension() const { return 6; }
  [[nodiscard]] Measure parameters() const { return Measure({Uniform{2, 5}}); }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.start = (Vector(6) << 9, 0, 0, 0, 0, 0).finished();
    facts.constraints = std::make_shared<LinearConstraints>(
        6, Vector::Zero(6), Vector(),
        std::vector<LinearConstraints::Rows>{
            {"one", Matrix::Ones(1, 6), Vector::Ones(1), Vector::Ones(1)}});
    return facts;
  }
  void gradient(Block p, Block theta, Block, BlockOut g) const {
    for (Index j = 0; j < 6; ++j)
      g.col(j) = (p.col(j).array().log() + 1 -
                  (theta.col(0).array() - 3.5) * static_cast<double>(j + 1) / 2)
                     .matrix();
  }
  void value(Block p, Block theta, Block, BlockOut f) const {
    f.setZero();
    for (Index j = 0; j < 6; ++j)
      f.col(0) += (p.col(j).array() * (p.col(j).array().log() - (theta.col(0).array() - 3.5) *
                                                                    static_cast<double>(j + 1) / 2))
                      .matrix();
  }
  void hessian(Block p, Block, Block, BlockOut h) const {
    h.setZero();
    for (Index j = 0; j < 6; ++j) h.col(j * 6 + j) = p.col(j).cwiseInverse();
  }
};

TEST(ConstrainedDomain, StartsOnTheBorderAreMovedInside) {
  const Solution solution = solve(Die{}, {.relative_tolerance = 1e-3});
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  double worst = 0;
  for (const double theta : {2.1, 2.7, 3.5, 4.2, 4.9}) {
    Vector p(6);
    for (Index j = 0; j < 6; ++j) p(j) = std::exp((theta - 3.5) * static_cast<double>(j + 1) / 2);
    p /= p.sum();
    worst = std::max(worst, (solution(Vector::Constant(1, theta)) - p).norm());
  }
  // The tolerance is on the norm over θ, about 1e-3 · 0.5; at single θ a few times that.
  EXPECT_LT(worst, 3e-3);
}

}  // namespace
}  // namespace chaosgrad::internal
