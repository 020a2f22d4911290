#pragma once
// What a family has worked out so far, shared by threads: tables only ever get added, and none is
// moved or changed once it can be seen.
#include <atomic>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "basis/family/induced.h"
#include "basis/family/kernel.h"
#include "basis/family/recurrence.h"

namespace chaosgrad::internal {

// The values p_n(point) that the recurrence does not reproduce: at `points[i]`, the degrees from
// first[i] on.
struct PointValues {
  std::vector<double> points;  // increasing
  std::vector<Index> first;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values;
};

struct PolynomialTables {
  Recurrence recurrence;
  RecurrenceKernel kernel;
  PointValues exceptions;  // empty unless the distribution is discrete

  [[nodiscard]] Index degree() const { return recurrence.a.size(); }
  void values(const double* theta, Index count, BlockOut values) const;
};

class PolynomialFamily {
 public:
  explicit PolynomialFamily(const Distribution& distribution);

  [[nodiscard]] const DegreeLimits& limits() const { return limits_; }
  // Tables for degrees 0..degree at least, degree ≤ limits().recurrence_limit. They grow in fixed
  // stages (16, 32, 64, …), each keeping the numbers of the one before, so results do not depend on
  // who asked first.
  [[nodiscard]] const PolynomialTables& tables(Index degree) const;
  [[nodiscard]] double induced_quantile(Index n, double p) const;

 private:
  using Induced = std::variant<InducedTable, InducedPoints>;
  [[nodiscard]] std::unique_ptr<const Induced> make_induced(Index n) const;

  Distribution distribution_;
  DegreeLimits limits_;
  mutable std::mutex tables_mutex_, induced_mutex_;
  mutable std::vector<std::unique_ptr<const PolynomialTables>> stages_;
  mutable std::atomic<const PolynomialTables*> current_ = nullptr;
  mutable std::vector<std::unique_ptr<const Induced>> induced_;     // by degree
  mutable std::vector<std::atomic<const Induced*>> induced_ready_;  // by degree, null until made
};

}  // namespace chaosgrad::internal
