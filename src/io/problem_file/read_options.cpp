#include "io/problem_file/read_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/common/option_table.h"

namespace chaosgrad::internal {
namespace {

IndexSet read_indices(const TomlDocument& document, const toml::node& node,
                      const std::string& what) {
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
  return IndexSet::from(std::move(indices));
}

// Sets one option from its node; the document makes the complaints.
struct SetOption {
  TomlDocument& document;
  const toml::node& node;
  std::string what;
  Options& options;

  void operator()(double Options::*member) const { options.*member = document.number(node, what); }
  void operator()(std::optional<double> Options::*member) const {
    options.*member = document.number(node, what);
  }
  void operator()(bool Options::*member) const { options.*member = document.boolean(node, what); }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(Number Options::*member) const {
    const Index value = document.integer(node, what);
    if (value < 0)
      document.fail(node, fmt::format("{}: must not be negative, found {}", what, value));
    options.*member = static_cast<Number>(value);
  }
  void operator()(std::optional<Schedule> Options::*member) const {
    const FormulaText formula = document.formula(node, what);
    options.*member = Schedule(formula.text, formula.id);
  }
  void operator()(const ChoiceMember& member) const { member.set(options, choice(member.choices)); }
  void operator()(const IndexSetMember& member) const {
    const Vector weights = index_order(options.indices).weights;
    if (node.is_array()) {
      options.indices = read_indices(document, node, what);
    } else {
      set_index_set(options, static_cast<IndexSetName>(choice(member.choices)));
    }
    if (weights.size() > 0 && !std::holds_alternative<IndexOrder>(options.indices))
      document.fail(node, fmt::format("{}: no order for index_weights to weigh", what));
  }
  void operator()(const IndexWeightsMember&) const {
    auto* order = std::get_if<IndexOrder>(&options.indices);
    if (!order) document.fail(node, fmt::format("{}: index_set is no order to be weighted", what));
    const std::vector<double> weights = document.numbers(node, what);
    order->weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
  }

  [[nodiscard]] int choice(const std::vector<OptionChoice>& choices) const {
    std::vector<std::string> names;
    for (const OptionChoice& entry : choices) names.emplace_back(entry.name);
    return choices[document.choice(node, what, names)].value;
  }
};

}  // namespace

Options read_options(TomlDocument& document) {
  Options options;
  const toml::table* section = document.section("solve");
  if (!section) return options;
  std::vector<std::string> keys;
  for (const OptionEntry& entry : option_table()) keys.emplace_back(entry.key);
  document.require_keys(*section, "[solve]", keys);
  for (const TomlDocument::Entry& entry : document.entries(*section)) {
    const std::string what = "solve." + entry.key;
    try {
      std::visit(SetOption{document, *entry.value, what, options}, option_entry(entry.key).member);
    } catch (const InputError& error) {
      document.fail(*entry.value, fmt::format("{}: {}", what, error.message()));
    }
  }
  return options;
}

void refuse_stray_options(const TomlDocument& document) {
  for (const TomlDocument::Entry& entry : document.entries(document.root())) {
    const bool is_option = std::ranges::any_of(
        option_table(), [&](const OptionEntry& option) { return option.key == entry.key; });
    if (is_option)
      document.fail(entry.place, fmt::format("unknown key '{0}' in the problem file; did you mean "
                                             "'solve.{0}'?",
                                             entry.key));
  }
}

}  // namespace chaosgrad::internal
