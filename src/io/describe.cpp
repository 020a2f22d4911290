#include "io/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/error.h"
#include "io/json_numbers.h"
#include "io/problem_file/read_options.h"
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
    for (const MultiIndex& index : std::get<IndexSet>(options.indices).indices())
      list.push_back(index);
    return list;
  }
  Json operator()(const IndexWeightsMember&) const {
    const Vector weights = index_order(options.indices).weights;
    return weights.size() > 0 ? numbers(weights) : Json(nullptr);
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

namespace {

// key = value, one a line. TOML writes texts and lists as JSON does.
std::string toml_lines(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += value.is_number_float() ? fmt::format("{} = {:.17g}\n", key, value.get<double>())
                                    : fmt::format("{} = {}\n", key, value.dump());
  }
  return text;
}

ProblemSource source_of(std::string text) {
  return {.name = "description",
          .directory = {},
          .text = std::move(text),
          .overrides = {},
          .files = {}};
}

}  // namespace

Distribution distribution_of(const std::string& description) {
  const Json object = Json::parse(description);
  const std::string name = object.at("distribution");
  const DistributionEntry* entry = find_distribution(name);
  if (!entry) throw IoError(fmt::format("the distribution '{}' is not known", name));
  if (!entry->make) {
    return Discrete{object.at("values").get<std::vector<double>>(),
                    object.at("weights").get<std::vector<double>>()};
  }
  std::vector<double> arguments;
  for (const DistributionArgument& argument : entry->arguments) {
    const Json& value = object.at(std::string(argument.key));
    const double bound = argument.key == "lower" ? -infinity : infinity;
    arguments.push_back(value.is_null() ? bound : value.get<double>());
  }
  return entry->make(arguments);
}

Options options_of(const std::string& description) {
  Json object = Json::parse(description);
  for (auto entry = object.begin(); entry != object.end();) {
    const bool lost = entry->is_null() || *entry == Json("function");
    entry = lost ? object.erase(entry) : std::next(entry);
  }
  TomlDocument document(source_of("[solve]\n" + toml_lines(object)));
  return read_options(document);
}

}  // namespace chaosgrad::internal
