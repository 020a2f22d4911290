#pragma once
// A problem whose gradient may fail, for methods that sum gradients over samples: a sample at which
// it fails is left out of the sum, and counted.
#include <atomic>
#include <cstdint>
#include <string>

#include "chaosgrad/problem.h"
#include "parallel/ranks.h"

namespace chaosgrad::internal {

// Rows of gradients that are not finite become 0. Does not own the problem behind the oracle. Those
// of all ranks are counted.
class SkippingProblem : public Ledger {
 public:
  SkippingProblem(const Oracle& oracle, Ranks* ranks) : oracle_(oracle), ranks_(ranks) {
    if (ranks_) ranks_->attach(*this);
  }
  SkippingProblem(const SkippingProblem&) = delete;
  SkippingProblem& operator=(const SkippingProblem&) = delete;
  ~SkippingProblem() override {
    if (ranks_) ranks_->detach(*this);
  }

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] Index noise_dimension() const { return oracle_.noise_dimension(); }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts = oracle_.facts();
    facts.known.clear();
    facts.may_fail = false;
    return facts;
  }
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const {
    oracle_.gradient(x, theta, noise, g);
    std::int64_t failed = 0;
    for (Index i = 0; i < g.rows(); ++i) {
      if (g.row(i).allFinite() || !x.row(i).allFinite()) continue;
      g.row(i).setZero();
      ++failed;
    }
    tried_ += g.rows();
    failed_ += failed;
    // What every rank computes for itself is known to all.
    if (!ranks_ || !ranks_->is_inside()) return;
    new_tried_ += g.rows();
    new_failed_ += failed;
  }
  [[nodiscard]] bool has_value() const { return oracle_.has_value(); }
  void value(const Block& x, const Block& theta, const Block& noise, BlockOut f) const {
    oracle_.value(x, theta, noise, f);
  }
  [[nodiscard]] bool has_hessian() const { return oracle_.has_hessian(); }
  void hessian(const Block& x, const Block& theta, const Block& noise, BlockOut h) const {
    oracle_.hessian(x, theta, noise, h);
  }
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const {
    return oracle_.explain(x, theta, noise);
  }

  [[nodiscard]] Numbers news() override {
    return {static_cast<double>(new_tried_.exchange(0)),
            static_cast<double>(new_failed_.exchange(0))};
  }
  void learn(const Numbers& numbers) override {
    tried_ += static_cast<std::int64_t>(numbers[0]);
    failed_ += static_cast<std::int64_t>(numbers[1]);
  }

  [[nodiscard]] std::int64_t tried() const { return tried_; }
  [[nodiscard]] std::int64_t failed() const { return failed_; }

 private:
  const Oracle& oracle_;
  Ranks* ranks_;
  mutable std::atomic<std::int64_t> tried_ = 0, failed_ = 0, new_tried_ = 0, new_failed_ = 0;
};

}  // namespace chaosgrad::internal
