#pragma once
// A model that runs elsewhere, as a problem sees it: no evaluation is paid twice, failures are rows
// of NaN.
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/models/call_pool.h"
#include "io/models/evaluation_table.h"
#include "parallel/ranks.h"
#include "problem/external_problem.h"

namespace chaosgrad::internal {

// What it cost so far.
struct ModelAccount {
  Index calls = 0;     // that were answered or given up, tries of one call aside
  Index tries = 0;     // of them all
  Index recalled = 0;  // evaluations that were known already
  Index failed = 0;    // calls that were given up
};

class RemoteModel : public ExternalModel, public Ledger {
 public:
  RemoteModel(std::unique_ptr<const ModelAddress> address, const ModelLimits& limits);
  ~RemoteModel() override;

  void gradient(const Block& x, const Block& theta, const Block& v, BlockOut g) const override;
  void value(const Block& x, const Block& theta, const Block& v, BlockOut f) const override;
  [[nodiscard]] int parallel() const override { return limits_.parallel; }
  [[nodiscard]] bool has_value() const override;
  [[nodiscard]] std::string explain(const Vector& x, const Vector& theta,
                                    const Vector& v) const override;

  // From now on, until it is null: calls outside of a shared computation, which all ranks make alike,
  // are split among them, and what one rank has paid for all know.
  void share(std::shared_ptr<Ranks> ranks);
  [[nodiscard]] Numbers news() override { return take_news(); }
  void learn(const Numbers& numbers) override { remember_all(numbers); }

  [[nodiscard]] std::string name() const { return address_->name(); }
  [[nodiscard]] EvaluationTable& evaluations() const { return table_; }
  [[nodiscard]] ModelAccount account() const;
  [[nodiscard]] std::string last_failure() const;  // its reason; empty if there was none

 private:
  // out.row(i) = what is asked for at row i.
  void evaluate(const Block& x, const Block& theta, const Block& v, bool value,
                BlockOut& out) const;
  // A call that has ended.
  struct Paid {
    Evaluation evaluation = {};
    int tries = 0;
    bool counts_as_gradient = false;  // F was not asked for
    std::string failure = {};         // not empty: it was given up
  };
  static void flatten(Paid& paid, Numbers& numbers);
  [[nodiscard]] static Paid unflatten(const double*& next);
  [[nodiscard]] static Paid paid_of(const ModelRequest& request, const CallOutcome& outcome);
  void remember(const Paid& paid) const;
  [[nodiscard]] Numbers take_news() const;
  void remember_all(const Numbers& numbers) const;
  void call(const std::vector<ModelRequest>& requests) const;
  void call_together(const std::vector<ModelRequest>& requests) const;
  [[nodiscard]] CallPool& pool() const;

  std::unique_ptr<const ModelAddress> address_;
  ModelLimits limits_;
  mutable EvaluationTable table_;
  mutable std::mutex mutex_;  // of what follows
  mutable std::unique_ptr<CallPool> pool_;
  mutable ModelAccount account_;
  mutable std::optional<bool> comes_with_value_;  // the first gradient
  mutable std::string last_failure_;
  mutable std::vector<Paid> news_;  // of shared computations
  std::shared_ptr<Ranks> ranks_;
};

}  // namespace chaosgrad::internal
