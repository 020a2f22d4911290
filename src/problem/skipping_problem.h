#pragma once
// A problem whose gradient may fail, for methods that sum gradients over samples: a sample at which
// it fails is left out of the sum, and counted.
#include <atomic>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// Some of the different rows that were added: those with the smallest checksums. The same for any
// order of adding, and a fair sample.
class RowSample {
 public:
  void add(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
    constexpr std::size_t most = 512;
    const std::uint64_t key = checksum(row);
    const std::lock_guard lock(mutex_);
    if (rows_.size() == most && key >= rows_.rbegin()->first) return;
    rows_.emplace(key, row);
    if (rows_.size() > most) rows_.erase(std::prev(rows_.end()));
  }
  [[nodiscard]] Matrix rows(Index columns) const {
    Matrix all(static_cast<Index>(rows_.size()), columns);
    Index i = 0;
    for (const auto& [key, row] : rows_) all.row(i++) = row;
    return all;
  }

 private:
  // Of the bits of its numbers (Fowler, Noll and Vo, by words; then mixed).
  static std::uint64_t checksum(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (const double value : row) {
      sum = (sum ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3u;
      sum ^= sum >> 29;
    }
    sum *= 0xbf58476d1ce4e5b9u;
    return sum ^ (sum >> 32);
  }

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Eigen::RowVectorXd> rows_;
};

// Rows of gradients that are not finite become 0. Does not own the problem behind the oracle.
class SkippingProblem {
 public:
  explicit SkippingProblem(const Oracle& oracle) : oracle_(oracle) {}

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
      const bool fails = !g.row(i).allFinite() && x.row(i).allFinite();
      (fails ? at_failures_ : at_others_).add(theta.row(i));
      if (!fails) continue;
      g.row(i).setZero();
      ++failed;
    }
    tried_ += g.rows();
    failed_ += failed;
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

  [[nodiscard]] std::int64_t tried() const { return tried_; }
  [[nodiscard]] std::int64_t failed() const { return failed_; }
  // Some different θ of samples that failed, and of the others.
  [[nodiscard]] Matrix at_failures() const { return at_failures_.rows(parameters().dimension()); }
  [[nodiscard]] Matrix at_others() const { return at_others_.rows(parameters().dimension()); }

 private:
  const Oracle& oracle_;
  mutable std::atomic<std::int64_t> tried_ = 0, failed_ = 0;
  mutable RowSample at_failures_, at_others_;
};

}  // namespace chaosgrad::internal
