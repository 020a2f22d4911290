#include "solve/common/option_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

using Range = OptionRange;

template <auto member>
ChoiceMember choice(std::vector<OptionChoice> choices) {
  return {std::move(choices),
          [](const Options& options) { return static_cast<int>(options.*member); },
          [](Options& options, int value) {
            using Enum = std::remove_reference_t<decltype(options.*member)>;
            options.*member = static_cast<Enum>(value);
          }};
}

template <class Enum>
OptionChoice word(std::string_view name, Enum value, std::string_view meaning = {}) {
  return {name, static_cast<int>(value), meaning};
}

ChoiceMember method_choice() {
  std::vector<OptionChoice> choices;
  for (const MethodEntry& entry : method_table())
    choices.push_back(word(entry.name, entry.method, entry.summary));
  return choice<&Options::method>(std::move(choices));
}

ChoiceMember gradient_choice() {
  return choice<&Options::gradient>(
      {word("monte-carlo", GradientRule::monte_carlo, "random samples"),
       word("sobol", GradientRule::sobol, "scrambled Sobol' points"),
       word("quadrature", GradientRule::quadrature,
            "Gauss rules, piecewise between breakpoints; noise is drawn")});
}

ChoiceMember sampling_choice() {
  return choice<&Options::sampling>(
      {word("automatic", Sampling::automatic, "christoffel where Q_m is infinite, else parameter"),
       word("parameter", Sampling::parameter, "from their own distribution"),
       word("christoffel", Sampling::christoffel, "from the density of the basis, with weights")});
}

ChoiceMember fit_choice() {
  return choice<&Options::fit>(
      {word("least-squares", Fit::least_squares), word("projection", Fit::projection)});
}

IndexSetMember index_sets() {
  return {{word("total-degree", IndexSetName::total_degree, "by the sum of the degrees"),
           word("hyperbolic", IndexSetName::hyperbolic, "by the product of the degrees + 1"),
           word("adaptive", IndexSetName::adaptive,
                "as a coarse run of an adaptive method finds them")}};
}

std::vector<OptionEntry> make_table() {
  const MethodSet all = every_method();
  const MethodSet descent = methods_of({MethodKind::descent});
  const MethodSet nested = methods_of({MethodKind::nested});
  const MethodSet scheduled = methods_of({MethodKind::descent, MethodKind::nested});
  return {
      {"method", method_choice(), Range::any, all, "how to solve"},
      {"tolerance",
       &Options::tolerance,
       Range::positive,
       all,
       "on ‖x − x*‖_π, absolute. The adaptive methods go on until the error estimate is below; for "
       "the others it decides the verdict only",
       {{{}, "none"}}},
      {"relative_tolerance",
       &Options::relative_tolerance,
       Range::positive,
       all,
       "the same, relative to ‖x‖_π, which all components share: a small one beside large ones "
       "may be off by more",
       {{methods_of({MethodKind::adaptive}), "1e-3 without a tolerance"}}},
      {"confidence", &Options::confidence, Range::between_zero_and_one, all,
       "of error estimates and bars"},
      {"seed", &Options::seed, Range::any, all, "of all random numbers: same seed, same bits"},
      {"max_gradients", &Options::max_gradients, Range::at_least_one, all,
       "stop before more evaluations of ∇F"},
      {"max_seconds", &Options::max_seconds, Range::positive, all,
       "stop after this time; a resumed run may take as long again"},
      {"checkpoint_seconds", &Options::checkpoint_seconds, Range::positive, all,
       "write the state this often"},
      {"threads", &Options::threads, Range::not_negative, all,
       "0: all cores. The result does not depend on it"},
      {"iterations", &Options::iterations, Range::at_least_one, scheduled,
       "how many; for nested at most, at each point"},
      {"basis_size",
       &Options::basis_size,
       Range::any,
       scheduled,
       "m_k, the number of functions at iteration k; rounded down, never decreasing",
       {{scheduled, "sqrt(k + 10) + 2"}}},
      {"samples",
       &Options::samples,
       Range::any,
       scheduled,
       "M_k, samples per iteration; for nested the noise draws per gradient",
       {{descent, "500"}, {nested, "1"}}},
      {"step",
       &Options::step,
       Range::any,
       descent,
       "the step size; masg takes it times 4^−s in stage s > 1",
       {{{Method::gd}, "2/((mu + L)*(1 + 2*VG*Q/M))"},
        {{Method::agd, Method::masg}, "1/L"},
        {{Method::uqsa}, "(2/mu)/(2*L/mu + k)"}}},
      {"momentum",
       &Options::momentum,
       Range::any,
       {Method::agd},
       "β",
       {{{Method::agd}, "(1 - sqrt(step*mu))/(1 + sqrt(step*mu))"}}},
      {"radius",
       &Options::radius,
       Range::positive,
       {Method::uqsa},
       "project on the ball ‖u‖ ≤ radius",
       {{{}, "none"}}},
      {"gradient", gradient_choice(), Range::any, descent, "how D'(u) is estimated"},
      {"nodes", &Options::nodes, Range::at_least_one, descent,
       "of the Gauss rules, per dimension and piece"},
      {"sampling", sampling_choice(), Range::any, descent, "where the parameters are drawn"},
      {"guard", &Options::guard, Range::any, descent,
       "notice divergence before it happens, and cut the step"},
      {"index_set", index_sets(), Range::any, scheduled,
       "the order in which functions enter the basis; or a list of multi-indices, [[0, 0], [1, 0], "
       "…], to enter in this order"},
      {"index_weights",
       IndexWeightsMember{},
       Range::any,
       scheduled,
       "one number per parameter: a large one lets its degree grow late",
       {{{}, "all 1"}}},
      {"points", &Options::points, Range::at_least_one, nested, "samples of θ"},
      {"point_tolerance", &Options::point_tolerance, Range::positive, nested,
       "a point is solved when |∇f| ≤ μ · point_tolerance"},
      {"fit", fit_choice(), Range::any, nested, "which expansion of the points is the result"},
  };
}

bool in_range(OptionRange range, double value) {
  switch (range) {
    case Range::positive:
      return value > 0;
    case Range::not_negative:
      return value >= 0;
    case Range::at_least_one:
      return value >= 1;
    case Range::between_zero_and_one:
      return value > 0 && value < 1;
    case Range::any:
      break;
  }
  return true;
}

// The option as a number, where it is one and is set.
struct AsNumber {
  const Options& options;

  template <class Number>
  requires std::is_arithmetic_v<Number> std::optional<double>
  operator()(Number Options::*member) const { return static_cast<double>(options.*member); }
  std::optional<double> operator()(std::optional<double> Options::*member) const {
    return options.*member;
  }
  template <class Other>
  std::optional<double> operator()(const Other&) const {
    return std::nullopt;
  }
};

struct DiffersFromDefault {
  const Options& options;
  Options fallback = {};

  template <class Number>
  requires std::is_arithmetic_v<Number>
  bool operator()(Number Options::*member) const { return options.*member != fallback.*member; }
  template <class Value>
  bool operator()(std::optional<Value> Options::*member) const {
    return (options.*member).has_value();
  }
  bool operator()(const ChoiceMember& member) const {
    return member.get(options) != member.get(fallback);
  }
  bool operator()(const IndexSetMember&) const {
    return index_set_name(options) != index_set_name(fallback);
  }
  bool operator()(const IndexWeightsMember&) const {
    return index_order(options.indices).weights.size() > 0;
  }
};

}  // namespace

const std::vector<OptionEntry>& option_table() {
  static const std::vector<OptionEntry> table = make_table();
  return table;
}

const OptionEntry& option_entry(std::string_view key) {
  return *std::ranges::find(option_table(), key, &OptionEntry::key);
}

Schedule default_schedule(std::string_view key, Method method) {
  const std::vector<MethodDefault>& defaults = option_entry(key).defaults;
  const auto found = std::ranges::find_if(
      defaults, [&](const MethodDefault& entry) { return entry.methods.contains(method); });
  return (found == defaults.end() ? defaults.front() : *found).value;
}

std::optional<IndexSetName> index_set_name(const Options& options) {
  if (std::holds_alternative<IndexSet>(options.indices)) return std::nullopt;
  if (std::holds_alternative<AdaptiveIndices>(options.indices)) return IndexSetName::adaptive;
  return index_order(options.indices).kind == IndexOrder::Kind::hyperbolic
             ? IndexSetName::hyperbolic
             : IndexSetName::total_degree;
}

void set_index_set(Options& options, IndexSetName name) {
  if (name == IndexSetName::adaptive) {
    options.indices = AdaptiveIndices{};
    return;
  }
  IndexOrder order = index_order(options.indices);
  order.kind = name == IndexSetName::hyperbolic ? IndexOrder::Kind::hyperbolic
                                                : IndexOrder::Kind::total_degree;
  options.indices = std::move(order);
}

bool is_given(const OptionEntry& entry, const Options& options) {
  return std::visit(DiffersFromDefault{options}, entry.member);
}

std::string_view in_words(OptionRange range) {
  switch (range) {
    case Range::positive:
      return "must be positive";
    case Range::not_negative:
      return "must not be negative";
    case Range::at_least_one:
      return "must be at least 1";
    case Range::between_zero_and_one:
      return "must be between 0 and 1";
    case Range::any:
      break;
  }
  return "";
}

void check_ranges(const Options& options) {
  for (const OptionEntry& entry : option_table()) {
    const std::optional<double> value = std::visit(AsNumber{options}, entry.member);
    if (value && !in_range(entry.range, *value)) {
      throw InputError(fmt::format("solve.{}", entry.key), std::string(in_words(entry.range)));
    }
  }
}

std::vector<std::string> notes_on_unused(const Options& options) {
  std::vector<std::string> notes;
  for (const OptionEntry& entry : option_table()) {
    if (entry.users.contains(options.method) || !is_given(entry, options)) continue;
    notes.push_back(
        fmt::format("solve.{} is not used by method {}", entry.key, entry_of(options.method).name));
  }
  return notes;
}

}  // namespace chaosgrad::internal
