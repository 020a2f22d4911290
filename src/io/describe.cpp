#include "io/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/json_numbers.h"
#include "io/problem_file/read_distribution.h"
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

// A JSON value in TOML; both write texts and lists alike. null stands for an infinite bound.
std::string toml_value(const std::string& key, const Json& value) {
  if (value.is_null()) return key == "lower" ? "-inf" : "inf";
  if (value.is_number_float()) return fmt::format("{:.17g}", value.get<double>());
  return value.dump();
}

// key = value, one a line.
std::string toml_lines(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.items())
    text += fmt::format("{} = {}\n", key, toml_value(key, value));
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
  Json object = Json::parse(description);
  ProblemSource source = source_of("[parameters.theta]\n" + toml_lines(object));
  TomlDocument document(source);
  DataFiles files(source);
  ConstantScope constants;
  const toml::table& table = document.table(
      *document.table(*document.root().get("parameters"), "parameters").get("theta"), "theta");
  return read_distribution(document, table, "theta", {}, constants, files);
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
