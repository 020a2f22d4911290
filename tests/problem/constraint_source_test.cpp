// Constraints as source text: what C, Python and JSON compute is what the library computes.
#include "problem/formula/constraint_source.h"

#include <gtest/gtest.h>

#include "chaosgrad/chaosgrad.h"
#include "support/keyed_numbers.h"
#include "support/run_source.h"

namespace chaosgrad {
using namespace internal;
namespace {

FormulaProblem constrained_problem() {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{1, 2}});
  Matrix S(3, 3);
  S << 2, 1, 0, 1, 2, 1, 0, 1, 2;
  spec.constants = {{"S", S}};
  spec.variables = {{"x", false, Vector::Zero(1)}, {"w", true, Vector::Zero(3)}};
  spec.variables[0].lower = {{"-1", 1}};
  spec.variables[1].upper = {{"t", 2}, {"inf", 3}, {"2", 4}};
  spec.constraints = {{"budget", {"sum(w) + t*x == 1", 5}},
                      {"risk", {"dot(w, S*w) + exp(x*t) <= 3", 6}},
                      {"cone", {"norm2(w) <= 2 + x", 7}}};
  spec.objective = {"x^2 + dot(w, w) + t*norm1(w - 0.1) + norm2(w) + max(x^2 - 1, 0)", 8};
  return FormulaProblem(spec);
}

// Runs the text of constraint_source() in every language and compares with the constraints.
void expect_same(const Constraints& constraints, const Matrix& x, const Matrix& theta) {
  const Index q = constraints.dimension(), p = constraints.rows();
  const auto text = [&](SourceLanguage language) {
    return constraint_source(constraints, "c", language);
  };
  ConstraintBlock at;
  constraints.evaluate(x, theta, at);
  std::vector<double> expected;
  for (Index row = 0; row < x.rows(); ++row) {
    for (const Matrix* part :
         {&at.lower, &at.upper, &at.value, &at.jacobian, &at.least, &at.most}) {
      for (Index j = 0; j < part->cols(); ++j) expected.push_back((*part)(row, j));
    }
  }
  const SourceFunction evaluate{"c",
                                {},
                                {{"lower", q, 0, {}},
                                 {"upper", q, 0, {}},
                                 {"value", p, 0, {}},
                                 {"jacobian", p * q, 0, {}},
                                 {"least", p, 0, {}},
                                 {"most", p, 0, {}}}};
  testing::expect_everywhere(evaluate, {x, theta}, expected, text, "evaluate");

  if (constraints.is_affine()) return;
  const Matrix lambda = testing::signed_numbers(5, x.rows(), p);
  Matrix h(x.rows(), q * q);
  constraints.curvature(x, theta, lambda, h);
  expected.clear();
  for (Index row = 0; row < x.rows(); ++row) {
    for (Index j = 0; j < q * q; ++j) expected.push_back(h(row, j));
  }
  const SourceFunction curvature{"c_curvature", {}, {{"curvature", q * q, 0, {}}}};
  testing::expect_everywhere(curvature, {x, theta, lambda}, expected, text, "curvature");
}

TEST(ConstraintSource, ComputesTheConstraints) {
  const FormulaProblem problem = constrained_problem();
  const Matrix theta = (1.5 + 0.5 * testing::signed_numbers(6, 5, 1).array()).matrix();
  expect_same(*problem.facts().constraints, testing::signed_numbers(4, 5, 4), theta);
}

TEST(ConstraintSource, ComputesManyRowsOfData) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{1, 2}});
  spec.table = NoiseTable{{"a", "b"}, testing::signed_numbers(3, 300, 2), {{"r", {"a", "b"}}}};
  spec.variables = {{"x", false, Vector::Zero(1)}, {"w", true, Vector::Zero(2)}};
  spec.objective = {"x^2 + dot(w, w) + x + 5*max(-dot(r, w) - x, 0) + abs(t*x - a)", 0};
  const FormulaProblem problem(spec);
  ASSERT_EQ(problem.facts().constraints->rows(), 600);
  const Matrix theta = (1.5 + 0.5 * testing::signed_numbers(6, 2, 1).array()).matrix();
  expect_same(*problem.facts().constraints, testing::signed_numbers(4, 2, 3), theta);
}

TEST(ConstraintSource, ComputesLinearOnes) {
  LinearConstraints::Rows rows{"sums", Matrix(2, 3), Vector(2), Vector(2)};
  rows.A << 1, 1, 1, 1, -1, 0;
  rows.lower << 1, -infinity;
  rows.upper << 1, 0.5;
  const LinearConstraints constraints(3, Vector::Zero(3), Vector{}, {rows});
  expect_same(constraints, testing::signed_numbers(7, 3, 3), Matrix::Ones(3, 1));
}

TEST(ConstraintSource, SaysWhatItCannotWrite) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{0.1, 0.9}});
  spec.variables = {{"x", false, Vector::Zero(1)}};
  spec.variables[0].upper = {{"gamma_quantile(t, 2)", 1}};
  spec.objective = {"x^2", 2};
  const FormulaProblem problem(spec);
  try {
    static_cast<void>(constraint_source(*problem.facts().constraints, "c", SourceLanguage::c));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "export: 'gamma_quantile' cannot be written in other languages");
  }
}

}  // namespace
}  // namespace chaosgrad
