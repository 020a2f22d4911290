#include "io/models/remote_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace chaosgrad::internal {

RemoteModel::RemoteModel(std::unique_ptr<const ModelAddress> address, const ModelLimits& limits)
    : address_(std::move(address)), limits_(limits) {}

RemoteModel::~RemoteModel() = default;

CallPool& RemoteModel::pool() const {
  const std::lock_guard lock(mutex_);
  if (!pool_) pool_ = std::make_unique<CallPool>(*address_, limits_);
  return *pool_;
}

void RemoteModel::remember(const ModelRequest& request, const CallOutcome& outcome) const {
  if (outcome.error) return;
  Evaluation evaluation{.x = request.x, .theta = request.theta, .v = request.v};
  const bool failed = !outcome.failure.empty();
  if (failed) {
    evaluation.failed_value = request.value;
    evaluation.failed_gradient = !request.value;
  } else {
    const std::optional<double>& f = outcome.answer.value;
    if (f && std::isfinite(*f)) evaluation.value = f;
    evaluation.failed_value = f && !std::isfinite(*f);
    const std::optional<Vector>& g = outcome.answer.gradient;
    if (g && g->allFinite()) evaluation.gradient = g;
    evaluation.failed_gradient = g && !g->allFinite();
  }
  table_.add(evaluation);
  const std::lock_guard lock(mutex_);
  ++account_.calls;
  account_.tries += outcome.tries;
  if (failed) {
    ++account_.failed;
    last_failure_ = outcome.failure;
  } else if (!request.value && !comes_with_value_) {
    comes_with_value_ = outcome.answer.value.has_value();
  }
}

void RemoteModel::evaluate(const Block& x, const Block& theta, const Block& v, bool value,
                           BlockOut& out) const {
  std::vector<ModelRequest> requests;
  std::vector<Index> rows;
  Index recalled = 0;
  const auto put = [&](Index row, const std::optional<double>& f, const std::optional<Vector>& g) {
    if (value) {
      out(row, 0) = f.value_or(std::numeric_limits<double>::quiet_NaN());
    } else if (g) {
      out.row(row) = g->transpose();
    } else {
      out.row(row).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  };
  for (Index i = 0; i < x.rows(); ++i) {
    ModelRequest request{x.row(i).transpose(), theta.row(i).transpose(), v.row(i).transpose(),
                         value};
    const auto known = table_.find(request.x, request.theta, request.v);
    const bool answered = known && (value ? known->value.has_value() || known->failed_value
                                          : known->gradient.has_value() || known->failed_gradient);
    if (answered) {
      put(i, known->value, known->gradient);
      ++recalled;
      continue;
    }
    requests.push_back(std::move(request));
    rows.push_back(i);
  }
  if (recalled > 0) {
    const std::lock_guard lock(mutex_);
    account_.recalled += recalled;
  }
  if (requests.empty()) return;
  const std::vector<CallOutcome> outcomes = pool().call(
      requests, [&](std::size_t i, const CallOutcome& outcome) { remember(requests[i], outcome); });
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (outcomes[k].error) std::rethrow_exception(outcomes[k].error);
    const bool good = outcomes[k].failure.empty();
    put(rows[k], good ? outcomes[k].answer.value : std::nullopt,
        good ? outcomes[k].answer.gradient : std::nullopt);
  }
}

void RemoteModel::gradient(const Block& x, const Block& theta, const Block& v, BlockOut g) const {
  evaluate(x, theta, v, false, g);
}

void RemoteModel::value(const Block& x, const Block& theta, const Block& v, BlockOut f) const {
  evaluate(x, theta, v, true, f);
}

bool RemoteModel::has_value() const {
  if (const std::optional<bool> offered = address_->offers_value()) return *offered;
  {
    const std::lock_guard lock(mutex_);
    if (comes_with_value_) return *comes_with_value_;
  }
  // All is recalled: as it was when it was paid for.
  const std::vector<Evaluation> known = table_.all();
  return std::ranges::any_of(known,
                             [](const Evaluation& one) { return one.gradient && one.value; });
}

std::string RemoteModel::explain(const Vector& x, const Vector& theta, const Vector& v) const {
  const auto known = table_.find(x, theta, v);
  if (!known || (!known->failed_value && !known->failed_gradient)) return {};
  const std::lock_guard lock(mutex_);
  return last_failure_.empty() ? "it failed before" : last_failure_;
}

std::string RemoteModel::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

ModelAccount RemoteModel::account() const {
  const std::lock_guard lock(mutex_);
  return account_;
}

}  // namespace chaosgrad::internal
