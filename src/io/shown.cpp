#include "io/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

// Consecutive components of one variable.
struct Variable {
  std::string_view name;
  Index first = 0, count = 0;
};

std::vector<Variable> variables_of(const std::vector<std::string>& names) {
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = std::string_view(names[i]).substr(0, names[i].find('['));
    if (variables.empty() || variables.back().name != name)
      variables.push_back({name, static_cast<Index>(i), 0});
    ++variables.back().count;
  }
  return variables;
}

[[noreturn]] void refuse(std::string_view part, const std::string& expected) {
  throw InputError("components", fmt::format("\"{}\": {}", part, expected));
}

Index number_in(std::string_view part, std::string_view digits, Index count) {
  Index value = -1;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), value);
  if (failure != std::errc{} || end != digits.end() || value < 0 || value > count)
    refuse(part, fmt::format("expected numbers from 0 to {}", count));
  return value;
}

// The range of one part: "x", "x[3]", "x[10:20]".
std::pair<Index, Index> range_of(const std::vector<Variable>& variables, std::string_view part) {
  const std::size_t bracket = part.find('[');
  const std::string_view name = part.substr(0, bracket);
  const auto variable = std::ranges::find(variables, name, &Variable::name);
  if (variable == variables.end()) refuse(part, "there is no variable of this name");
  if (bracket == std::string_view::npos)
    return {variable->first, variable->first + variable->count};
  if (part.back() != ']') refuse(part, "expected NAME, NAME[i] or NAME[from:to]");
  const std::string_view inside = part.substr(bracket + 1, part.size() - bracket - 2);
  const std::size_t colon = inside.find(':');
  const Index from = number_in(part, inside.substr(0, colon), variable->count - 1);
  const Index to = colon == std::string_view::npos
                       ? from + 1
                       : number_in(part, inside.substr(colon + 1), variable->count);
  return {variable->first + from, variable->first + to};
}

Coefficients columns_of(const Coefficients& u, const std::vector<Index>& components) {
  return u(Eigen::all, components);
}

// What is told of a solution, of some components.
Solution part_of(const Solution& whole, const std::vector<Index>& components) {
  const Expansion& x = whole.expansion;
  Solution part{
      .expansion = Expansion(x.measure(), x.basis(), columns_of(x.coefficients(), components)),
      .status = whole.status,
      .message = whole.message,
      .error = whole.error,
      .true_error = whole.true_error,
      .gradients = whole.gradients,
      .diagnostic_gradients = whole.diagnostic_gradients,
      .unseen = whole.unseen,
      .skipped = whole.skipped,
      .skipped_share = whole.skipped_share,
      .seconds = whole.seconds,
      .constants = whole.constants,
      .history = whole.history,
      .notes = whole.notes,
      .fits = whole.fits,
      .options = whole.options};
  if (whole.error.components.size() > 0) part.error.components = whole.error.components(components);
  for (const Coefficients& replicate : whole.replicates)
    part.replicates.push_back(columns_of(replicate, components));
  part.state.texts = whole.state.texts;
  return part;
}

std::vector<Index> default_components(const Record& whole) {
  const Coefficients& u = whole.solution.expansion.coefficients();
  const Index most = std::clamp<Index>(most_shown_coefficients / std::max<Index>(u.rows(), 1), 1,
                                       most_shown_components);
  return spread_components(whole.labels.variables, most);
}

}  // namespace

std::vector<Index> spread_components(const std::vector<std::string>& names, Index most) {
  const auto count = static_cast<Index>(names.size());
  std::vector<Index> shown;
  if (count <= most) {
    shown.resize(names.size());
    std::iota(shown.begin(), shown.end(), Index{0});
    return shown;
  }
  // The smallest first: what they leave of their share goes to the larger ones.
  std::vector<Variable> variables = variables_of(names);
  std::ranges::stable_sort(variables, {}, &Variable::count);
  auto left = static_cast<Index>(variables.size());
  for (const Variable& variable : variables) {
    const Index share = std::min(variable.count, std::max<Index>(1, most / left));
    for (Index k = 0; k < share; ++k) shown.push_back(variable.first + k * variable.count / share);
    most = std::max<Index>(0, most - share);
    if (most == 0) break;
    --left;
  }
  std::ranges::sort(shown);
  return shown;
}

std::vector<Index> named_components(const std::vector<std::string>& names,
                                    const std::string& text) {
  const std::vector<Variable> variables = variables_of(names);
  std::vector<Index> shown;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const auto [first, end] =
        range_of(variables, std::string_view(text).substr(from, comma - from));
    for (Index i = first; i < end; ++i) shown.push_back(i);
    from = comma + 1;
  }
  std::ranges::sort(shown);
  shown.erase(std::ranges::unique(shown).begin(), shown.end());
  if (shown.empty()) refuse(text, "expected at least one component");
  if (static_cast<Index>(shown.size()) > most_shown_components)
    refuse(text, fmt::format("expected at most {} components, found {}", most_shown_components,
                             shown.size()));
  return shown;
}

ShownRecord::ShownRecord(const Record& whole) : ShownRecord(whole, default_components(whole)) {}

ShownRecord::ShownRecord(const Record& whole, std::vector<Index> components)
    : whole_(whole), components_(std::move(components)) {
  const Expansion& x = whole.solution.expansion;
  const Index q = x.coefficients().cols();
  if (x.lift() || components_.size() == size(q)) {
    components_.resize(size(q));
    std::iota(components_.begin(), components_.end(), Index{0});
    return;
  }
  solution_ = part_of(whole.solution, components_);
  part_.emplace(Record{.solution = *solution_,
                       .labels = whole.labels,
                       .quantities = whole.quantities,
                       .objective = whole.objective,
                       .source = whole.source,
                       .bounds = whole.bounds,
                       .seconds_around = whole.seconds_around});
  part_->labels.variables.clear();
  for (const Index i : components_)
    part_->labels.variables.push_back(whole.labels.variables[size(i)]);
}

}  // namespace chaosgrad::internal
