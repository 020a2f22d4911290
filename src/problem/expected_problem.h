#pragma once
// A problem whose objective is known as a mean over its noise (ProblemFacts::expectation): what is
// left has no noise, and each gradient is one.
#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// Does not own the problem behind the oracle.
class ExpectedProblem {
 public:
  explicit ExpectedProblem(const Oracle& oracle)
      : oracle_(oracle), expectation_(oracle.facts().expectation) {}

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts = oracle_.facts();
    facts.noise_axes.clear();
    facts.noise_shape = {};
    facts.expectation = {};
    facts.known.clear();
    facts.operations = expectation_->operations;
    return facts;
  }
  void gradient(const Block& x, const Block& theta, const Block& /*noise*/, BlockOut g) const {
    expectation_->gradient(x, theta, g);
  }
  void value(const Block& x, const Block& theta, const Block& /*noise*/, BlockOut f) const {
    expectation_->value(x, theta, f);
  }
  [[nodiscard]] bool has_hessian() const { return oracle_.has_hessian(); }
  void hessian(const Block& x, const Block& theta, const Block& /*noise*/, BlockOut h) const {
    expectation_->hessian(x, theta, h);
  }

 private:
  const Oracle& oracle_;
  std::shared_ptr<const Expectation> expectation_;
};

}  // namespace chaosgrad::internal
