#include "io/describe.h"

#include <algorithm>

#include "io/json_numbers.h"
#include "measure/distribution_table.h"
#include "solve/common/option_table.h"

namespace chaosgrad::internal {
namespace {

Json argument(const DistributionArgument& argument, const Distribution::Variant& parameters) {
  const std::vector<double> values = argument.values(parameters);
  return argument.rule == ArgumentRule::list ? Json(values) : number(values.front());
}

// The value of an option.
struct OptionJson {
  const Options& options;

  template <class Value>
  requires std::is_arithmetic_v<Value> Json operator()(Value Options::*member) const {
    return options.*member;
  }
  Json operator()(std::optional<double> Options::*member) const { return number(options.*member); }
  Json operator()(std::optional<Schedule> Options::*member) const {
    const std::optional<Schedule>& schedule = options.*member;
    return schedule ? Json(schedule->text()) : Json(nullptr);
  }
  Json operator()(const ChoiceMember& member) const {
    return name_of(member.choices, member.get(options));
  }
  Json operator()(const IndexSetMember& member) const {
    if (const auto name = index_set_name(options))
      return name_of(member.choices, static_cast<int>(*name));
    Json list = Json::array();
    for (Index i = 0; i < options.indices->size(); ++i) list.push_back((*options.indices)[i]);
    return list;
  }
  Json operator()(const IndexWeightsMember&) const {
    return options.order.weights.size() > 0 ? numbers(options.order.weights) : Json(nullptr);
  }

  static Json name_of(const std::vector<OptionChoice>& choices, int value) {
    return std::ranges::find(choices, value, &OptionChoice::value)->name;
  }
};

}  // namespace

std::string describe(const Distribution& distribution) {
  Json json = {{"distribution", distribution.name()}};
  const Distribution::Variant& parameters = distribution.parameters();
  for (const DistributionArgument& entry : entry_of(parameters).arguments)
    json[std::string(entry.key)] = argument(entry, parameters);
  return json.dump();
}

std::string describe(const Options& options) {
  Json json = Json::object();
  for (const OptionEntry& entry : option_table())
    json[std::string(entry.key)] = std::visit(OptionJson{options}, entry.member);
  return json.dump(2);
}

}  // namespace chaosgrad::internal
