#include "solve/common/statuses.h"

#include <algorithm>

namespace chaosgrad::internal {

const std::vector<StatusEntry>& status_table() {
  using enum Outcome;
  static constexpr std::string_view last = "the last iterate, with its error estimate";
  static constexpr std::string_view best = "the best iterate, without an error estimate";
  static constexpr std::string_view nothing = "what was reached before, without an error estimate";
  static const std::vector<StatusEntry> table = {
      {Status::completed, "completed", done, "all the asked iterations done", last},
      {Status::converged, "converged", done, "the error estimate is below the tolerance", last},
      {Status::out_of_gradients, "out_of_gradients", stopped,
       "one more step would exceed max_gradients", last},
      {Status::out_of_time, "out_of_time", stopped, "max_seconds passed", last},
      {Status::interrupted, "interrupted", stopped, "the caller asked to stop", last},
      {Status::stalled, "stalled", stopped, "nothing left to try brings the error down", last},
      {Status::diverged, "diverged", failed, "iterates grow without bound", best},
      {Status::bad_gradient, "bad_gradient", failed,
       "∇F is not finite somewhere, or not the gradient of any function", nothing},
      {Status::not_strongly_convex, "not_strongly_convex", failed,
       "a Hessian has an eigenvalue ≤ 0", nothing},
      {Status::inconsistent, "inconsistent", failed,
       "the given μ or L contradicts the curvature that was seen", nothing},
      {Status::outside_domain, "outside_domain", failed,
       "F is not a number at the expansion for some θ", nothing},
      {Status::several_minima, "several_minima", failed,
       "F has several local minima in x for some θ", nothing},
      {Status::infeasible, "infeasible", failed, "no x satisfies the constraints for some θ",
       nothing}};
  return table;
}

const StatusEntry& entry_of(Status status) {
  return status_table()[static_cast<std::size_t>(status)];
}

std::optional<Status> find_status(std::string_view name) {
  const auto found = std::ranges::find(status_table(), name, &StatusEntry::name);
  return found == status_table().end() ? std::nullopt : std::optional(found->status);
}

}  // namespace chaosgrad::internal

namespace chaosgrad {

std::string_view to_string(Status status) { return internal::entry_of(status).name; }

bool is_failure(Status status) {
  return internal::entry_of(status).outcome == internal::Outcome::failed;
}

}  // namespace chaosgrad
