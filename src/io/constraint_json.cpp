#include "io/constraint_json.h"

#include <algorithm>

namespace chaosgrad::internal {
namespace {

Json values(const std::vector<Estimate>& estimates) {
  Json list = Json::array();
  for (const Estimate& one : estimates) list.push_back(number(one.value));
  return list;
}

// The largest bar, which holds for each.
Json largest_error(const std::vector<Estimate>& estimates) {
  double error = 0;
  for (const Estimate& one : estimates) error = std::max(error, one.error);
  return number(error);
}

// A number, or a list with an entry per component where the constraint is one of a vector.
Json one_or_list(const std::vector<Estimate>& estimates, bool is_list, double Estimate::*member) {
  if (!is_list) return number(estimates.front().*member);
  Json list = Json::array();
  for (const Estimate& one : estimates) list.push_back(number(one.*member));
  return list;
}

Json constraint_json(const ConstraintStatistics& found) {
  const bool list = found.constraint.is_list && !found.constraint.norm;
  Json json = {{"active", one_or_list(found.active, list, &Estimate::value)},
               {"active_error", one_or_list(found.active, list, &Estimate::error)}};
  if (list) {
    json["any_active"] = number(found.any.value);
    json["any_active_error"] = number(found.any.error);
  }
  json["weakly_active"] = list ? Json(found.weakly_active) : Json(found.weakly_active.front());
  if (found.constraint.kind == Constraint::Kind::kink) return json;
  json["multiplier"] = {{"mean", values(found.mean)},
                        {"sd", values(found.sd)},
                        {"error", largest_error(found.mean)},
                        {"sd_error", largest_error(found.sd)}};
  return json;
}

}  // namespace

void add_constraints(const ConstraintReport& report, Json& json) {
  json["constraints"] = Json::object();
  for (const ConstraintStatistics& found : report.constraints) {
    const bool kink = found.constraint.kind == Constraint::Kind::kink;
    json[kink ? "kinks" : "constraints"][found.constraint.name] = constraint_json(found);
  }
  // Nothing was sampled of a run underway, or that failed.
  const bool known = !report.constraints.empty() || report.infeasible.share > 0;
  json["violation"] = known ? number(report.violation) : Json(nullptr);
  json["infeasible"] = known ? number(report.infeasible.share) : Json(nullptr);
}

}  // namespace chaosgrad::internal
