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
#include <utility>

#include "chaosgrad/problem.h"
#include "parallel/ranks.h"

namespace chaosgrad::internal {

// Some of the different rows that were added: those with the smallest checksums. The same for any
// order of adding, and a fair sample.
class RowSample {
 public:
  // `tell`: the other ranks.
  void add(const Eigen::Ref<const Eigen::RowVectorXd>& row, bool tell) {
    constexpr std::size_t most = 512;
    const std::uint64_t key = checksum(row);
    const std::lock_guard lock(mutex_);
    if (rows_.size() == most && key >= rows_.rbegin()->first) return;
    if (!rows_.emplace(key, row).second) return;
    if (tell) news_.insert(news_.end(), row.begin(), row.end());
    if (rows_.size() > most) rows_.erase(std::prev(rows_.end()));
  }
  // Rows since the last call, one after the other, for other ranks; and theirs.
  [[nodiscard]] Numbers news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  void learn(const double* numbers, Index count, Index columns) {
    for (Index i = 0; i + columns <= count; i += columns)
      add(Eigen::Map<const Eigen::RowVectorXd>(numbers + i, columns), false);
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
  Numbers news_;
};

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
    // What every rank computes for itself is known to all.
    const bool tell = ranks_ && ranks_->is_inside();
    for (Index i = 0; i < g.rows(); ++i) {
      const bool fails = !g.row(i).allFinite() && x.row(i).allFinite();
      (fails ? at_failures_ : at_others_).add(theta.row(i), tell);
      if (!fails) continue;
      g.row(i).setZero();
      ++failed;
    }
    tried_ += g.rows();
    failed_ += failed;
    if (!tell) return;
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

  // Two counts, how many numbers the failures take, the failures, the others.
  [[nodiscard]] Numbers news() override {
    Numbers numbers{static_cast<double>(new_tried_.exchange(0)),
                    static_cast<double>(new_failed_.exchange(0))};
    const Numbers failures = at_failures_.news(), others = at_others_.news();
    numbers.push_back(static_cast<double>(failures.size()));
    numbers.insert(numbers.end(), failures.begin(), failures.end());
    numbers.insert(numbers.end(), others.begin(), others.end());
    return numbers;
  }
  void learn(const Numbers& numbers) override {
    tried_ += static_cast<std::int64_t>(numbers[0]);
    failed_ += static_cast<std::int64_t>(numbers[1]);
    const Index d = parameters().dimension(), failures = static_cast<Index>(numbers[2]);
    at_failures_.learn(numbers.data() + 3, failures, d);
    at_others_.learn(numbers.data() + 3 + failures,
                     static_cast<Index>(numbers.size()) - 3 - failures, d);
  }

  [[nodiscard]] std::int64_t tried() const { return tried_; }
  [[nodiscard]] std::int64_t failed() const { return failed_; }
  // Some different θ of samples that failed, and of the others.
  [[nodiscard]] Matrix at_failures() const { return at_failures_.rows(parameters().dimension()); }
  [[nodiscard]] Matrix at_others() const { return at_others_.rows(parameters().dimension()); }

 private:
  const Oracle& oracle_;
  Ranks* ranks_;
  mutable std::atomic<std::int64_t> tried_ = 0, failed_ = 0, new_tried_ = 0, new_failed_ = 0;
  mutable RowSample at_failures_, at_others_;
};

}  // namespace chaosgrad::internal
