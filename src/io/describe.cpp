#include "io/describe.h"

#include <fmt/format.h>

#include <cmath>

#include "chaosgrad/solution.h"
#include "io/json_numbers.h"
#include "io/problem_file/read_distribution.h"
#include "io/problem_file/read_options.h"

namespace chaosgrad::internal {
namespace {

Json formula(const std::optional<Schedule>& schedule) {
  return schedule ? Json(schedule->text()) : Json(nullptr);
}

Json arguments(const Uniform& d) { return {{"lower", d.lower}, {"upper", d.upper}}; }
Json arguments(const Normal& d) { return {{"mean", d.mean}, {"sd", d.sd}}; }
Json arguments(const LogNormal& d) { return {{"mu", d.mu}, {"sigma", d.sigma}}; }
Json arguments(const Beta& d) {
  return {{"alpha", d.alpha}, {"beta", d.beta}, {"lower", d.lower}, {"upper", d.upper}};
}
Json arguments(const Gamma& d) { return {{"shape", d.shape}, {"scale", d.scale}}; }
Json arguments(const Exponential& d) { return {{"rate", d.rate}}; }
Json arguments(const Triangular& d) {
  return {{"lower", d.lower}, {"mode", d.mode}, {"upper", d.upper}};
}
Json arguments(const Weibull& d) { return {{"shape", d.shape}, {"scale", d.scale}}; }
Json arguments(const LogUniform& d) { return {{"lower", d.lower}, {"upper", d.upper}}; }
Json arguments(const TruncatedNormal& d) {
  return {{"mean", d.mean}, {"sd", d.sd}, {"lower", number(d.lower)}, {"upper", number(d.upper)}};
}
Json arguments(const Discrete& d) { return {{"values", d.values}, {"weights", d.weights}}; }

const char* name(GradientRule rule) {
  switch (rule) {
    case GradientRule::monte_carlo:
      return "monte-carlo";
    case GradientRule::sobol:
      return "sobol";
    case GradientRule::quadrature:
      return "quadrature";
  }
  return "";
}

const char* name(Sampling sampling) {
  switch (sampling) {
    case Sampling::automatic:
      return "automatic";
    case Sampling::parameter:
      return "parameter";
    case Sampling::christoffel:
      return "christoffel";
  }
  return "";
}

}  // namespace

std::string describe(const Distribution& distribution) {
  Json json = {{"distribution", distribution.name()}};
  json.update(std::visit([](const auto& d) { return arguments(d); }, distribution.parameters()));
  return json.dump();
}

std::string describe(const Options& options) {
  const Json json = {{"method", to_string(options.method)},
                     {"tolerance", number(options.tolerance)},
                     {"relative_tolerance", number(options.relative_tolerance)},
                     {"confidence", options.confidence},
                     {"seed", options.seed},
                     {"max_gradients", options.max_gradients},
                     {"max_seconds", options.max_seconds},
                     {"checkpoint_seconds", options.checkpoint_seconds},
                     {"threads", options.threads},
                     {"iterations", options.iterations},
                     {"basis_size", formula(options.basis_size)},
                     {"samples", formula(options.samples)},
                     {"step", formula(options.step)},
                     {"momentum", formula(options.momentum)},
                     {"radius", number(options.radius)},
                     {"gradient", name(options.gradient)},
                     {"nodes", options.nodes},
                     {"sampling", name(options.sampling)},
                     {"guard", options.guard},
                     {"points", options.points},
                     {"point_tolerance", options.point_tolerance},
                     {"fit", options.fit == Fit::least_squares ? "least-squares" : "projection"}};
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
