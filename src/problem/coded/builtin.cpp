#include "problem/coded/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "expression/expression.h"
#include "problem/coded/problems.h"

namespace chaosgrad::internal {
namespace {

Index integer(const BuiltinValues& values, const char* name) {
  return static_cast<Index>(values.at(name));
}

std::vector<Builtin> make_list() {
  std::vector<Builtin> list;
  list.push_back({.name = "elliptic-control",
                  .summary = "control of a one-dimensional diffusion with an uncertain coefficient",
                  .options = {{"d", 8, 1, 1000, true, "uncertain parameters theta1, theta2, …"},
                              {"q", 15, 1, 100000, true, "grid points, the size of the control x"},
                              {"beta", 1e-3, 1e-12, 1e6, false, "weight of the control"}},
                  .make = [](const BuiltinValues& values, const QuantitySpec& quantities) {
                    return elliptic_control(integer(values, "d"), integer(values, "q"),
                                            values.at("beta"), quantities);
                  }});
  list.push_back(
      {.name = "oscillator-control",
       .summary = "bringing an oscillator of uncertain mass, damping and stiffness to rest",
       .options = {{"q", 40, 1, 100000, true, "control intervals, the size of the control x"},
                   {"horizon", 10, 1e-3, 1000, false, "length of time"},
                   {"weight", 0.1, 1e-12, 1e6, false, "weight of the control"}},
       .make = [](const BuiltinValues& values, const QuantitySpec& quantities) {
         return oscillator_control(integer(values, "q"), values.at("horizon"), values.at("weight"),
                                   quantities);
       }});
  list.push_back(
      {.name = "quadratic",
       .summary = "a quadratic with a known optimum in which few of many parameters matter",
       .options = {{"d", 50, 1, 1000, true, "uncertain parameters theta1, theta2, …"},
                   {"active", 5, 1, 1000, true, "how many of them matter, at most d"},
                   {"q", 4, 1, 100000, true, "the size of x"},
                   {"condition", 100, 1, 1e12, false, "largest over smallest curvature"}},
       .make = [](const BuiltinValues& values, const QuantitySpec& quantities) {
         if (values.at("active") > values.at("d")) {
           throw InputError("objective.options.active",
                            fmt::format("expected at most d = {}, found {}", values.at("d"),
                                        values.at("active")));
         }
         return quadratic(integer(values, "d"), integer(values, "active"), integer(values, "q"),
                          values.at("condition"), quantities);
       }});
  return list;
}

[[noreturn]] void fail_unknown(const std::string& field, const char* kind, const std::string& name,
                               const std::vector<std::string>& known) {
  const auto near = nearest_name(name, known);
  throw InputError(field, fmt::format("unknown {} '{}'; expected one of {}{}", kind, name,
                                      fmt::join(known, ", "),
                                      near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

void require_in_range(const BuiltinOption& option, double value) {
  const bool in_range = value >= option.lower && value <= option.upper;
  if (in_range && (!option.whole || value == std::floor(value))) return;
  throw InputError(
      "objective.options." + option.name,
      fmt::format("expected {} from {} to {}, found {}",
                  option.whole ? "a whole number" : "a number", option.lower, option.upper, value));
}

}  // namespace

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> list = make_list();
  return list;
}

CodedProblem make_builtin(const std::string& name, const BuiltinValues& given,
                          const QuantitySpec& quantities) {
  for (const Builtin& builtin : builtins()) {
    if (builtin.name != name) continue;
    const std::vector<std::string> known = names_of(builtin.options);
    for (const auto& [key, value] : given) {
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail_unknown("objective.options." + key, "option", key, known);
    }
    BuiltinValues values = given;
    for (const BuiltinOption& option : builtin.options) {
      values.emplace(option.name, option.otherwise);
      require_in_range(option, values.at(option.name));
    }
    return builtin.make(values, quantities);
  }
  fail_unknown("objective.builtin", "built-in problem", name, names_of(builtins()));
}

}  // namespace chaosgrad::internal
