#include "io/models/remote_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "parallel/failure.h"
#include "parallel/flatten.h"

namespace chaosgrad::internal {

RemoteModel::RemoteModel(std::unique_ptr<const ModelAddress> address, const ModelLimits& limits)
    : address_(std::move(address)), limits_(limits) {}

RemoteModel::~RemoteModel() = default;

CallPool& RemoteModel::pool() const {
  const std::lock_guard lock(mutex_);
  if (!pool_) pool_ = std::make_unique<CallPool>(*address_, limits_);
  return *pool_;
}

void RemoteModel::share(std::shared_ptr<Ranks> ranks) {
  if (ranks_) ranks_->detach(*this);
  ranks_ = std::move(ranks);
  if (ranks_) ranks_->attach(*this);
}

RemoteModel::Paid RemoteModel::paid_of(const ModelRequest& request, const CallOutcome& outcome) {
  Paid paid{{.x = request.x, .theta = request.theta, .v = request.v},
            outcome.tries,
            !request.value,
            outcome.failure};
  Evaluation& evaluation = paid.evaluation;
  if (!outcome.failure.empty()) {
    evaluation.failed_value = request.value;
    evaluation.failed_gradient = !request.value;
    return paid;
  }
  const std::optional<double>& f = outcome.answer.value;
  if (f && std::isfinite(*f)) evaluation.value = f;
  evaluation.failed_value = f && !std::isfinite(*f);
  const std::optional<Vector>& g = outcome.answer.gradient;
  if (g && g->allFinite()) evaluation.gradient = g;
  evaluation.failed_gradient = g && !g->allFinite();
  return paid;
}

void RemoteModel::remember(const Paid& paid) const {
  table_.add(paid.evaluation);
  const std::lock_guard lock(mutex_);
  ++account_.calls;
  account_.tries += paid.tries;
  if (!paid.failure.empty()) {
    ++account_.failed;
    last_failure_ = paid.failure;
  } else if (paid.counts_as_gradient && !comes_with_value_) {
    comes_with_value_ = paid.evaluation.value || paid.evaluation.failed_value;
  }
}

void RemoteModel::flatten(Paid& paid, Numbers& numbers) {
  internal::flatten(paid.evaluation, numbers);
  internal::flatten(paid.tries, numbers);
  internal::flatten(paid.counts_as_gradient, numbers);
  flatten_text(paid.failure, numbers);
}

RemoteModel::Paid RemoteModel::unflatten(const double*& next) {
  Paid paid;
  internal::unflatten(next, paid.evaluation);
  internal::unflatten(next, paid.tries);
  internal::unflatten(next, paid.counts_as_gradient);
  paid.failure = unflatten_text(next);
  return paid;
}

Numbers RemoteModel::take_news() const {
  std::vector<Paid> all;
  {
    const std::lock_guard lock(mutex_);
    all = std::exchange(news_, {});
  }
  Numbers numbers;
  for (Paid& paid : all) flatten(paid, numbers);
  return numbers;
}

void RemoteModel::remember_all(const Numbers& numbers) const {
  for (const double* next = numbers.data(); next < numbers.data() + numbers.size();)
    remember(unflatten(next));
}

void RemoteModel::call(const std::vector<ModelRequest>& requests) const {
  const bool is_news = ranks_ && ranks_->is_inside();
  const std::vector<CallOutcome> outcomes =
      pool().call(requests, [&](std::size_t i, const CallOutcome& outcome) {
        if (outcome.error) return;
        const Paid paid = paid_of(requests[i], outcome);
        remember(paid);
        const std::lock_guard lock(mutex_);
        if (is_news) news_.push_back(paid);
      });
  for (const CallOutcome& outcome : outcomes) {
    if (outcome.error) std::rethrow_exception(outcome.error);
  }
}

// All ranks have the same requests.
void RemoteModel::call_together(const std::vector<ModelRequest>& requests) const {
  const auto n = static_cast<int>(requests.size()), size = ranks_->size();
  const auto first = [&](int rank) { return requests.begin() + rank * n / size; };
  const std::vector<Numbers> all = ranks_->from_each([&] {
    const std::vector<ModelRequest> own(first(ranks_->rank()), first(ranks_->rank() + 1));
    if (!own.empty()) call(own);
    return take_news();
  });
  for (int from = 0; from < size; ++from) {
    if (from != ranks_->rank()) remember_all(all[static_cast<std::size_t>(from)]);
  }
}

void RemoteModel::evaluate(const Block& x, const Block& theta, const Block& v, bool value,
                           BlockOut& out) const {
  const auto recall = [&](Index row, const ModelRequest& request) {
    const auto known = table_.find(request.x, request.theta, request.v);
    const bool answered = known && (value ? known->value.has_value() || known->failed_value
                                          : known->gradient.has_value() || known->failed_gradient);
    if (!answered) return false;
    if (value) {
      out(row, 0) = known->value.value_or(std::numeric_limits<double>::quiet_NaN());
    } else if (known->gradient) {
      out.row(row) = known->gradient->transpose();
    } else {
      out.row(row).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    return true;
  };
  std::vector<ModelRequest> requests;
  std::vector<Index> rows;
  for (Index i = 0; i < x.rows(); ++i) {
    ModelRequest request{x.row(i).transpose(), theta.row(i).transpose(), v.row(i).transpose(),
                         value};
    if (recall(i, request)) continue;
    requests.push_back(std::move(request));
    rows.push_back(i);
  }
  if (const Index recalled = x.rows() - static_cast<Index>(rows.size()); recalled > 0) {
    const std::lock_guard lock(mutex_);
    account_.recalled += recalled;
  }
  if (requests.empty()) return;
  if (ranks_ && ranks_->size() > 1 && !ranks_->is_inside()) {
    call_together(requests);
  } else {
    call(requests);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!recall(rows[k], requests[k]))
      out.row(rows[k]).setConstant(std::numeric_limits<double>::quiet_NaN());
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
