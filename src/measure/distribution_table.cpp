#include "measure/distribution_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "measure/validation.h"

namespace chaosgrad::internal {
namespace {

using Rule = ArgumentRule;
using Variant = Distribution::Variant;

template <class D>
struct Argument {
  std::string_view key;
  double D::*member;
  Rule rule = Rule::finite;
  std::optional<double> fallback = {};
};

// How noise of this distribution is made from a uniform number u, and integrated out.
struct AsNoise {
  std::string_view quantile;
  bool in_normal_score = false;
};

template <class D>
DistributionEntry entry(std::string_view name, std::string_view meaning,
                        std::vector<Argument<D>> arguments, AsNoise noise,
                        std::function<Variant(const D&)> logarithm = {}) {
  DistributionEntry result{.name = name,
                           .meaning = meaning,
                           .arguments = {},
                           .alternative = Variant(D{}).index(),
                           .make = {},
                           .quantile = noise.quantile,
                           .in_normal_score = noise.in_normal_score};
  for (const Argument<D>& argument : arguments) {
    result.arguments.push_back(
        {argument.key, argument.rule, argument.fallback,
         [member = argument.member](const Variant& v) -> std::vector<double> {
           return {std::get<D>(v).*member};
         }});
  }
  result.make = [arguments](std::span<const double> values) -> Variant {
    D d;
    for (std::size_t i = 0; i < arguments.size(); ++i) d.*arguments[i].member = values[i];
    return d;
  };
  if (logarithm)
    result.logarithm = [logarithm](const Variant& v) { return logarithm(std::get<D>(v)); };
  return result;
}

DistributionArgument list(std::string_view key, std::vector<double> Discrete::*member) {
  return {
      key, Rule::list, {}, [member](const Variant& v) { return std::get<Discrete>(v).*member; }};
}

DistributionArgument text(std::string_view key) { return {key, Rule::text, {}, {}}; }

std::vector<DistributionEntry> make_table() {
  constexpr bool in_normal_score = true;
  constexpr std::size_t discrete = std::variant_size_v<Variant> - 1;
  static_assert(std::is_same_v<std::variant_alternative_t<discrete, Variant>, Discrete>);
  return {
      entry<Uniform>("uniform", "constant density between the bounds",
                     {{"lower", &Uniform::lower}, {"upper", &Uniform::upper, Rule::above_lower}},
                     {"lower + (upper - lower)*u"}),
      entry<Normal>("normal", "density ∝ exp(−(θ − mean)²/(2 sd²))",
                    {{"mean", &Normal::mean}, {"sd", &Normal::sd, Rule::positive}},
                    {"mean + sd*normal_quantile(u)", in_normal_score}),
      entry<LogNormal>("lognormal", "log θ is normal with mean mu and standard deviation sigma",
                       {{"mu", &LogNormal::mu}, {"sigma", &LogNormal::sigma, Rule::positive}},
                       {"exp(mu + sigma*normal_quantile(u))", in_normal_score},
                       [](const LogNormal& d) {
                         return Normal{d.mu, d.sigma};
                       }),
      entry<Beta>("beta", "density ∝ (θ − lower)^(alpha − 1) (upper − θ)^(beta − 1)",
                  {{"alpha", &Beta::alpha, Rule::positive},
                   {"beta", &Beta::beta, Rule::positive},
                   {"lower", &Beta::lower, Rule::finite, 0.0},
                   {"upper", &Beta::upper, Rule::above_lower, 1.0}},
                  {"lower + (upper - lower)*beta_quantile(u, alpha, beta)"}),
      entry<Gamma>(
          "gamma", "density ∝ θ^(shape − 1) exp(−θ/scale), θ > 0",
          {{"shape", &Gamma::shape, Rule::positive}, {"scale", &Gamma::scale, Rule::positive}},
          {"scale*gamma_quantile(u, shape)", in_normal_score}),
      entry<Exponential>("exponential", "density rate exp(−rate θ), θ > 0",
                         {{"rate", &Exponential::rate, Rule::positive}},
                         {"-log(1 - u)/rate", in_normal_score}),
      entry<Triangular>("triangular", "density linear from lower up to mode and down to upper",
                        {{"lower", &Triangular::lower},
                         {"mode", &Triangular::mode, Rule::within_bounds},
                         {"upper", &Triangular::upper, Rule::above_lower}},
                        {"if(u*(upper - lower) < mode - lower,"
                         " lower + sqrt(u*(upper - lower)*(mode - lower)),"
                         " upper - sqrt((1 - u)*(upper - lower)*(upper - mode)))"}),
      entry<Weibull>(
          "weibull", "P(θ > t) = exp(−(t/scale)^shape), t > 0",
          {{"shape", &Weibull::shape, Rule::positive}, {"scale", &Weibull::scale, Rule::positive}},
          {"scale*(-log(1 - u))^(1/shape)", in_normal_score}),
      entry<LogUniform>("loguniform", "log θ is uniform",
                        {{"lower", &LogUniform::lower, Rule::positive},
                         {"upper", &LogUniform::upper, Rule::above_lower}},
                        {"exp(log(lower) + u*(log(upper) - log(lower)))"},
                        [](const LogUniform& d) {
                          return Uniform{std::log(d.lower), std::log(d.upper)};
                        }),
      entry<TruncatedNormal>("truncated_normal", "normal(mean, sd), given that θ is in the bounds",
                             {{"mean", &TruncatedNormal::mean},
                              {"sd", &TruncatedNormal::sd, Rule::positive},
                              {"lower", &TruncatedNormal::lower, Rule::extended},
                              {"upper", &TruncatedNormal::upper, Rule::extended_above_lower}},
                             {"mean + sd*normal_quantile(normcdf((lower - mean)/sd)"
                              " + u*(normcdf((upper - mean)/sd) - normcdf((lower - mean)/sd)))"}),
      {"discrete",
       "finitely many values; the weights need not sum to 1, without them all are alike",
       {list("values", &Discrete::values), list("weights", &Discrete::weights)},
       discrete,
       {}},
      {"data",
       "the values in a column of a CSV file, all alike",
       {text("file"), text("column")},
       discrete,
       {}},
  };
}

double value_of(const DistributionEntry& entry, const Variant& parameters, std::string_view key) {
  const auto found = std::ranges::find(entry.arguments, key, &DistributionArgument::key);
  return found->values(parameters).front();
}

void require_number(const char* field, double value) {
  if (std::isnan(value)) throw InputError(field, "must be a number or infinite, found nan");
}

// What an argument must satisfy by itself.
void require_alone(Rule rule, const char* field, double value) {
  switch (rule) {
    case Rule::finite:
    case Rule::above_lower:
      return require_finite(field, value);
    case Rule::positive:
      return require_positive(field, value);
    case Rule::extended:
    case Rule::extended_above_lower:
      return require_number(field, value);
    case Rule::within_bounds:  // of bounds that are checked first
    case Rule::list:
    case Rule::text:
      break;
  }
}

// What it must satisfy together with the others.
void require_relation(const DistributionEntry& entry, const Variant& parameters, Rule rule,
                      const char* field, double value) {
  const auto bound = [&](std::string_view key) { return value_of(entry, parameters, key); };
  if (rule == Rule::above_lower) require_bounded_interval(bound("lower"), value);
  if (rule == Rule::extended_above_lower) require_increasing(bound("lower"), value);
  if (rule == Rule::within_bounds) {
    const double lower = bound("lower"), upper = bound("upper");
    require_bounded_interval(lower, upper);
    require_finite(field, value);
    if (value < lower || value > upper) {
      throw InputError(field, fmt::format("must be between lower ({}) and upper ({}), found {}",
                                          lower, upper, value));
    }
  }
}

}  // namespace

const std::vector<DistributionEntry>& distribution_table() {
  static const std::vector<DistributionEntry> table = make_table();
  return table;
}

const DistributionEntry& entry_of(const Variant& parameters) {
  return *std::ranges::find(distribution_table(), parameters.index(),
                            &DistributionEntry::alternative);
}

const DistributionEntry* find_distribution(std::string_view name) {
  const auto found = std::ranges::find(distribution_table(), name, &DistributionEntry::name);
  return found == distribution_table().end() ? nullptr : &*found;
}

std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (const DistributionEntry& entry : distribution_table()) names.emplace_back(entry.name);
  return names;
}

void require_valid_arguments(const Variant& parameters) {
  const DistributionEntry& entry = entry_of(parameters);
  if (!entry.make) return;
  for (const DistributionArgument& argument : entry.arguments)
    require_alone(argument.rule, argument.key.data(), argument.values(parameters).front());
  for (const DistributionArgument& argument : entry.arguments) {
    require_relation(entry, parameters, argument.rule, argument.key.data(),
                     argument.values(parameters).front());
  }
}

std::string_view in_words(ArgumentRule rule) {
  switch (rule) {
    case Rule::positive:
      return "positive";
    case Rule::above_lower:
    case Rule::extended_above_lower:
      return "greater than lower";
    case Rule::within_bounds:
      return "between lower and upper";
    case Rule::finite:
    case Rule::extended:
    case Rule::list:
    case Rule::text:
      break;
  }
  return "";
}

std::string in_words(const Distribution& distribution) {
  const DistributionEntry& entry = entry_of(distribution.parameters());
  std::vector<std::string> parts;
  for (const DistributionArgument& argument : entry.arguments) {
    const std::vector<double> values = argument.values(distribution.parameters());
    if (argument.rule == Rule::list) {
      return fmt::format("{}({} {})", entry.name, values.size(), argument.key);
    }
    parts.push_back(fmt::format("{} = {:.6g}", argument.key, values.front()));
  }
  return fmt::format("{}({})", entry.name, fmt::join(parts, ", "));
}

std::optional<Distribution> logarithm(const Distribution& distribution) {
  const DistributionEntry& entry = entry_of(distribution.parameters());
  if (!entry.logarithm) return std::nullopt;
  return Distribution(entry.logarithm(distribution.parameters()));
}

std::string names_with_logarithm() {
  std::vector<std::string_view> names;
  for (const DistributionEntry& entry : distribution_table()) {
    if (entry.logarithm) names.push_back(entry.name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace chaosgrad::internal
