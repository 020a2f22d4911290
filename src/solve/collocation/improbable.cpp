#include "solve/collocation/improbable.h"

#include <algorithm>
#include <utility>

namespace chaosgrad::internal::collocation {

bool is_improbable(const Context& context, const Vector& theta) {
  for (Index k = 0; k < theta.size(); ++k) {
    const Distribution& marginal =
        context.oracle.parameters().marginals()[static_cast<std::size_t>(k)];
    const double below = marginal.cdf(theta(k));
    if (std::min(below, 1 - below) < context.tuning.improbable && !marginal.is_discrete())
      return true;
  }
  return false;
}

bool may_leave_out(const Context& context, Index i, Index others, const CollocationState& state) {
  const auto out = static_cast<double>(state.left_out + others + 1),
             tried = static_cast<double>(state.left_out + state.points.size());
  return !state.run.history.empty() && out <= context.tuning.most_left_out * tried &&
         is_improbable(context, state.points.theta.row(i).transpose());
}

void leave_out(const std::vector<Index>& numbers, CollocationState& state) {
  state.left_out += static_cast<Index>(numbers.size());
  state.hessians.remove(numbers);
  state.points.remove(numbers);
}

Verdict leave_out_infeasible(const Context& context, CollocationState& state) {
  const Points& points = state.points;
  std::vector<Index> numbers;
  for (Index i = 0; i < points.size(); ++i) {
    if (points.trouble[static_cast<std::size_t>(i)] != Trouble::infeasible) continue;
    if (!may_leave_out(context, i, static_cast<Index>(numbers.size()), state))
      return stop_infeasible(context, points.theta.row(i).transpose(), state);
    numbers.push_back(i);
  }
  leave_out(numbers, state);
  return Verdict::go_on;
}

Verdict stop_at(const Context& context, Status status, const Vector& theta, std::string reason,
                CollocationState& state) {
  if (!state.run.history.empty() && is_improbable(context, theta))
    return stop(Status::stalled, reason + "; more functions would need points so far out", state);
  return stop(status, std::move(reason), state);
}

}  // namespace chaosgrad::internal::collocation
