#include "io/problem_file/read_options.h"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace chaosgrad::internal {
namespace {

// Sets one option from its node; the document makes the complaints.
using Setter = std::function<void(TomlDocument&, const toml::node&, const std::string&, Options&)>;

Setter schedule(std::optional<Schedule> Options::*member) {
  return [member](TomlDocument& document, const toml::node& node, const std::string& what,
                  Options& options) {
    const FormulaText formula = document.formula(node, what);
    options.*member = Schedule(formula.text, formula.id);
  };
}

template <class Number>
Setter whole(Number Options::*member) {
  return [member](TomlDocument& document, const toml::node& node, const std::string& what,
                  Options& options) {
    const Index value = document.integer(node, what);
    if (value < 0)
      document.fail(node, fmt::format("{}: must not be negative, found {}", what, value));
    options.*member = static_cast<Number>(value);
  };
}

template <class Target>
Setter real(Target Options::*member) {
  return [member](TomlDocument& document, const toml::node& node, const std::string& what,
                  Options& options) { options.*member = document.number(node, what); };
}

template <class Enum>
Setter choice(Enum Options::*member, std::vector<std::pair<std::string, Enum>> choices) {
  return [member, choices](TomlDocument& document, const toml::node& node, const std::string& what,
                           Options& options) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.push_back(name);
    options.*member = choices[document.choice(node, what, names)].second;
  };
}

void set_index_set(TomlDocument& document, const toml::node& node, const std::string& what,
                   Options& options) {
  if (!node.is_array()) {
    const auto kind = document.choice(node, what, {"total-degree", "hyperbolic", "adaptive"});
    if (kind == 2) {
      options.indices = AdaptiveIndices{};
      return;
    }
    IndexOrder order = index_order(options.indices);
    order.kind = kind == 1 ? IndexOrder::Kind::hyperbolic : IndexOrder::Kind::total_degree;
    options.indices = order;
    return;
  }
  const Matrix rows = document.matrix(node, what);
  std::vector<MultiIndex> indices;
  for (Index i = 0; i < rows.rows(); ++i) {
    MultiIndex index;
    for (Index k = 0; k < rows.cols(); ++k) {
      if (rows(i, k) < 0 || rows(i, k) != std::floor(rows(i, k))) {
        document.fail(node, fmt::format("{}: expected whole numbers, found {}", what, rows(i, k)));
      }
      index.push_back(static_cast<int>(rows(i, k)));
    }
    indices.push_back(std::move(index));
  }
  options.indices = IndexSet::from(std::move(indices));
}

void set_index_weights(TomlDocument& document, const toml::node& node, const std::string& what,
                       Options& options) {
  const std::vector<double> weights = document.numbers(node, what);
  auto* order = std::get_if<IndexOrder>(&options.indices);
  if (!order)
    document.fail(node, fmt::format("{}: index_set is no order that could be weighted", what));
  order->weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
}

void set_guard(TomlDocument& document, const toml::node& node, const std::string& what,
               Options& options) {
  options.guard = document.boolean(node, what);
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"method", choice(&Options::method, {{"auto", Method::automatic},
                                           {"collocation", Method::collocation},
                                           {"sieve", Method::sieve},
                                           {"gd", Method::gd},
                                           {"agd", Method::agd},
                                           {"masg", Method::masg},
                                           {"uqsa", Method::uqsa},
                                           {"nested", Method::nested}})},
      {"tolerance", real(&Options::tolerance)},
      {"relative_tolerance", real(&Options::relative_tolerance)},
      {"confidence", real(&Options::confidence)},
      {"seed", whole(&Options::seed)},
      {"max_gradients", whole(&Options::max_gradients)},
      {"max_seconds", real(&Options::max_seconds)},
      {"checkpoint_seconds", real(&Options::checkpoint_seconds)},
      {"threads", whole(&Options::threads)},
      {"iterations", whole(&Options::iterations)},
      {"basis_size", schedule(&Options::basis_size)},
      {"samples", schedule(&Options::samples)},
      {"step", schedule(&Options::step)},
      {"momentum", schedule(&Options::momentum)},
      {"gradient", choice(&Options::gradient, {{"monte-carlo", GradientRule::monte_carlo},
                                               {"sobol", GradientRule::sobol},
                                               {"quadrature", GradientRule::quadrature}})},
      {"nodes", whole(&Options::nodes)},
      {"sampling", choice(&Options::sampling, {{"automatic", Sampling::automatic},
                                               {"parameter", Sampling::parameter},
                                               {"christoffel", Sampling::christoffel}})},
      {"guard", set_guard},
      {"index_set", set_index_set},
      {"index_weights", set_index_weights},
      {"radius", real(&Options::radius)},
      {"points", whole(&Options::points)},
      {"point_tolerance", real(&Options::point_tolerance)},
      {"fit", choice(&Options::fit,
                     {{"least-squares", Fit::least_squares}, {"projection", Fit::projection}})},
  };
  return table;
}

}  // namespace

Options read_options(TomlDocument& document) {
  Options options;
  const toml::table* section = document.section("solve");
  if (!section) return options;
  std::vector<std::string> keys;
  for (const auto& [key, setter] : setters()) keys.push_back(key);
  document.require_keys(*section, "[solve]", keys);
  for (const TomlDocument::Entry& entry : document.entries(*section)) {
    const std::string what = "solve." + entry.key;
    try {
      setters().at(entry.key)(document, *entry.value, what, options);
    } catch (const InputError& error) {
      document.fail(*entry.value, fmt::format("{}: {}", what, error.message()));
    }
  }
  return options;
}

}  // namespace chaosgrad::internal
