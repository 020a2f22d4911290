#pragma once
// A model that runs elsewhere, as a problem sees it: no evaluation is paid twice, failures are rows
// of NaN.
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/models/call_pool.h"
#include "io/models/evaluation_table.h"
#include "problem/external_problem.h"

namespace chaosgrad::internal {

// What it cost so far.
struct ModelAccount {
  Index calls = 0;     // that were answered or given up, tries of one call aside
  Index tries = 0;     // of them all
  Index recalled = 0;  // evaluations that were known already
  Index failed = 0;    // calls that were given up
};

class RemoteModel : public ExternalModel {
 public:
  RemoteModel(std::unique_ptr<const ModelAddress> address, const ModelLimits& limits);
  ~RemoteModel() override;

  void gradient(const Block& x, const Block& theta, const Block& v, BlockOut g) const override;
  void value(const Block& x, const Block& theta, const Block& v, BlockOut f) const override;
  [[nodiscard]] bool has_value() const override;
  [[nodiscard]] std::string explain(const Vector& x, const Vector& theta,
                                    const Vector& v) const override;

  [[nodiscard]] std::string name() const { return address_->name(); }
  [[nodiscard]] EvaluationTable& evaluations() const { return table_; }
  [[nodiscard]] ModelAccount account() const;
  [[nodiscard]] std::string last_failure() const;  // its reason; empty if there was none

 private:
  // out.row(i) = what is asked for at row i.
  void evaluate(const Block& x, const Block& theta, const Block& v, bool value,
                BlockOut& out) const;
  void remember(const ModelRequest& request, const CallOutcome& outcome) const;
  [[nodiscard]] CallPool& pool() const;

  std::unique_ptr<const ModelAddress> address_;
  ModelLimits limits_;
  mutable EvaluationTable table_;
  mutable std::mutex mutex_;  // of what follows
  mutable std::unique_ptr<CallPool> pool_;
  mutable ModelAccount account_;
  mutable std::optional<bool> comes_with_value_;  // the first gradient
  mutable std::string last_failure_;
};

}  // namespace chaosgrad::internal
