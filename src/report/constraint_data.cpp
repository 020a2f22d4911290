#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "io/export/evaluator_lift.h"
#include "problem/formula/constraint_source.h"
#include "report/expansion_data.h"

namespace chaosgrad::internal {
namespace {

constexpr std::size_t most_shown = 60;  // components of constraints on the page

// One component of a constraint.
struct Entry {
  double active = 0;
  Json data;
};

Json pair(const Estimate& estimate) { return {number(estimate.value), number(estimate.error)}; }

std::vector<Entry> entries_of(const ConstraintReport& report) {
  std::vector<Entry> entries;
  for (const ConstraintStatistics& found : report.constraints) {
    const Constraint& one = found.constraint;
    for (std::size_t i = 0; i < found.active.size(); ++i) {
      Json data = {
          {"name", one.is_list && !one.norm ? fmt::format("{}[{}]", one.name, i) : one.name},
          {"kink", one.kind == Constraint::Kind::kink},
          {"active", pair(found.active[i])},
          {"weakly", found.weakly_active[i]},
          {"by_parameter", rows(found.by_parameter[i])}};
      if (!found.mean.empty()) {
        data["mean"] = pair(found.mean[i]);
        data["sd"] = pair(found.sd[i]);
      }
      entries.push_back({found.active[i].value, std::move(data)});
    }
  }
  return entries;
}

}  // namespace

Json constraint_data(const Record& record, const Digest& digest) {
  std::vector<Entry> entries = entries_of(digest.constraints);
  const std::size_t all = entries.size();
  if (all > most_shown) {
    std::ranges::stable_sort(entries, std::greater<>(), &Entry::active);
    entries.resize(most_shown);
  }
  Json list = Json::array(), deciles = Json::array();
  for (Entry& entry : entries) list.push_back(std::move(entry.data));
  for (const Distribution& marginal : record.solution.expansion.measure().marginals()) {
    Json edges = Json::array();
    constexpr double tail = 1e-3;  // shown of an unbounded one
    const auto end = [](double bound, double quantile) {
      return number(std::isfinite(bound) ? bound : quantile);
    };
    edges.push_back(end(marginal.lower(), marginal.quantile(tail)));
    for (int i = 1; i < 10; ++i) edges.push_back(number(marginal.quantile(0.1 * i)));
    edges.push_back(end(marginal.upper(), marginal.quantile(1 - tail)));
    deciles.push_back(std::move(edges));
  }
  return {{"entries", std::move(list)},
          {"left_out", all - entries.size()},
          {"deciles", std::move(deciles)}};
}

Json lift_data(const EvaluatorLift& lift) {
  std::string source;
  try {
    source = constraint_source(*lift.constraints, "c", SourceLanguage::json);
  } catch (const InputError&) {
    return {{"coded", true}};
  }
  Json groups = Json::array(), columns = Json::array();
  for (Index g = 0; g < lift.norms; ++g) {
    Json group = Json::array();
    for (std::size_t i = 0; i < lift.groups.size(); ++i) {
      if (lift.groups[i] == g) group.push_back(i);
    }
    groups.push_back(std::move(group));
  }
  for (const EvaluatorLift::Column& column : lift.columns)
    columns.push_back({static_cast<int>(column.kind), column.number});
  const Coefficients& factor = lift.factor;
  return {{"functions", lift.functions},
          {"factor", packed(std::vector<double>(factor.data(), factor.data() + factor.size()))},
          {"affine", lift.constraints->is_affine()},
          {"groups", std::move(groups)},
          {"columns", std::move(columns)},
          {"names", lift.names},
          {"constraints", Json::parse(source)}};
}

}  // namespace chaosgrad::internal
