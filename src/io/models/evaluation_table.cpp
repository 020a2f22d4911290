#include "io/models/evaluation_table.h"

#include <utility>

namespace chaosgrad::internal {
namespace {

std::string key_of(const Vector& x, const Vector& theta, const Vector& v) {
  std::string key;
  for (const Vector* part : {&x, &theta, &v})
    key.append(reinterpret_cast<const char*>(part->data()),
               static_cast<std::size_t>(part->size()) * sizeof(double));
  return key;
}

void merge(const Evaluation& more, Evaluation& known) {
  if (more.value) known.value = more.value;
  if (more.gradient) known.gradient = more.gradient;
  known.failed_value = !known.value && (known.failed_value || more.failed_value);
  known.failed_gradient = !known.gradient && (known.failed_gradient || more.failed_gradient);
}

}  // namespace

std::optional<Evaluation> EvaluationTable::find(const Vector& x, const Vector& theta,
                                                const Vector& v) const {
  const std::string key = key_of(x, theta, v);
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return {};
  return list_[found->second];
}

void EvaluationTable::add(const Evaluation& evaluation) {
  std::string key = key_of(evaluation.x, evaluation.theta, evaluation.v);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = places_.emplace(std::move(key), list_.size());
  if (is_new) {
    list_.push_back(evaluation);
  } else {
    merge(evaluation, list_[place->second]);
  }
  if (observer_) observer_(evaluation);
}

void EvaluationTable::observe(std::function<void(const Evaluation&)> observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

std::vector<Evaluation> EvaluationTable::all() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

Index EvaluationTable::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<Index>(list_.size());
}

}  // namespace chaosgrad::internal
