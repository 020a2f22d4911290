#include "io/run_statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>

#include "io/constraint_json.h"
#include "io/json_numbers.h"
#include "io/problem_file/read_distribution.h"
#include "io/problem_file/toml_document.h"
#include "solution/constrained/infeasible_note.h"
#include "solution/statistics/coefficients.h"
#include "solution/statistics/statistic_table.h"

namespace chaosgrad::internal {
namespace {

Json estimate(const Estimate& found) {
  return {{"value", number(found.value)}, {"error", number(found.error)}};
}

// One statistic of one output, in the shape that the table gives it.
struct StatisticJson {
  const StatisticEntry& entry;
  const OutputStatistics& output;
  const Statistics& statistics;
  const std::vector<std::string>& parameters;

  Json operator()(Estimate OutputStatistics::*member) const { return estimate(output.*member); }

  Json operator()(Histogram OutputStatistics::*member) const {
    const Histogram& histogram = output.*member;
    return {{"edges", numbers(histogram.edges)},
            {"value", numbers(histogram.density)},
            {"error", numbers(histogram.error)}};
  }

  Json operator()(std::vector<Estimate> OutputStatistics::*member) const {
    const std::vector<Estimate>& estimates = output.*member;
    const bool named = entry.shape == StatisticShape::per_parameter;
    Json result = named ? Json::object() : Json::array();
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      Json found = estimate(estimates[i]);
      if (named) {
        result[parameters[i]] = std::move(found);
        continue;
      }
      if (entry.shape == StatisticShape::per_level) {
        found["level"] = statistics.levels[i];
      } else {
        const auto& [k, l] = statistics.pairs[i];
        found["parameters"] = {parameters[static_cast<std::size_t>(k)],
                               parameters[static_cast<std::size_t>(l)]};
      }
      result.push_back(std::move(found));
    }
    return result;
  }
};

Json output_json(const OutputStatistics& output, const Statistics& statistics,
                 const std::vector<std::string>& parameters) {
  Json json = Json::object();
  for (const StatisticEntry& entry : statistic_table()) {
    Json& place = entry.group.empty() ? json : json[std::string(entry.group)];
    place[std::string(entry.key)] =
        std::visit(StatisticJson{entry, output, statistics, parameters}, entry.member);
  }
  return json;
}

}  // namespace

StatisticsOptions statistics_options(const Solution& solution) {
  StatisticsOptions options;
  options.seed = solution.options.seed;
  options.threads = solution.options.threads;
  return options;
}

Statistics shown_statistics(const ShownRecord& shown, const Quantities& quantities,
                            const StatisticsOptions& options) {
  const Solution &part = shown.record().solution, &whole = shown.whole().solution;
  if (shown.all()) return statistics(whole, quantities, options);
  Statistics result = statistics(part, {}, options);
  Statistics more = quantity_statistics(whole.expansion, accuracy(whole), quantities, options);
  std::ranges::move(more.outputs, std::back_inserter(result.outputs));
  return result;
}

Digest make_digest(const Record& record) { return make_digest(ShownRecord(record)); }

Digest make_digest(const ShownRecord& shown) {
  Digest digest{.components = shown.components()};
  const Record& record = shown.record();
  const Solution& solution = record.solution;
  if (!solution.ok()) return digest;
  const auto start = std::chrono::steady_clock::now();
  const Expansion& expansion = solution.expansion;
  // Multiplications, a few tenths of a second; each sampled component takes its share of them.
  constexpr double work = 2.5e8, least_samples = 16384, sorting = 100;
  const auto most = static_cast<Index>(
      work / (least_samples * (static_cast<double>(expansion.coefficients().rows()) + sorting)));
  digest.sampled = std::min(expansion.coefficients().cols(), std::max<Index>(8, most));
  std::vector<Index> chosen(static_cast<std::size_t>(digest.sampled));
  std::iota(chosen.begin(), chosen.end(), 0);
  StatisticsOptions options = statistics_options(solution);
  options.bins = 60;
  options.indices = false;
  options.work = work;
  options.components = std::move(chosen);
  NamedQuantities quantities = named_quantities(record);
  digest.statistics = shown_statistics(shown, quantities.functions, options);
  digest.quantities = std::move(quantities.names);
  if (expansion.lift()) {
    digest.sampled = expansion.coefficients().cols();  // all of them are
    digest.constraints = constraint_statistics(solution, options);
    const std::vector<OutputStatistics> x = sampled_moments(expansion, accuracy(solution), true);
    for (std::size_t i = 0; i < x.size(); ++i) {
      digest.statistics.outputs[i].main = x[i].main;
      digest.statistics.outputs[i].total = x[i].total;
    }
  }
  digest.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return digest;
}

std::vector<std::string> notes_of(const Record& record, const Digest& digest) {
  std::vector<std::string> notes = record.solution.notes;
  std::string note = infeasible_note(record.solution.expansion, digest.constraints.infeasible,
                                     digest.statistics.infeasible, record.labels.parameters);
  if (!note.empty()) notes.push_back(std::move(note));
  return notes;
}

SampledReport sampled_report(const Record& record, const Digest& digest) {
  return {.x = digest.statistics.outputs,
          .constraints = digest.constraints,
          .notes = notes_of(record, digest)};
}

Measure reweighted_measure(const Record& record, const std::vector<std::string>& assignments) {
  ProblemSource source{.name = "--reweight",
                       .directory = {},
                       .text = fmt::format("{}\n", fmt::join(assignments, "\n")),
                       .overrides = {},
                       .files = {}};
  TomlDocument document(source);
  const std::vector<std::string>& names = record.labels.parameters;
  document.require_keys(document.root(), "the parameters of the run", names);
  DataFiles files(source);
  ConstantScope constants;
  const Measure& measure = record.solution.expansion.measure();
  std::vector<Distribution> marginals = measure.marginals();
  for (const TomlDocument::Entry& entry : document.entries(document.root())) {
    const auto k = std::find(names.begin(), names.end(), entry.key) - names.begin();
    marginals[static_cast<std::size_t>(k)] = read_distribution(
        document, document.table(*entry.value, entry.key), entry.key, {}, constants, files);
  }
  return measure.is_dependent() ? Measure(std::move(marginals), *measure.correlation())
                                : Measure(std::move(marginals));
}

std::string statistics_json(const Record& record, const Statistics& statistics,
                            const std::vector<std::string>& names, double confidence,
                            const ConstraintReport& constraints) {
  const std::vector<std::string>& variables = record.labels.variables;
  const std::vector<std::string>& parameters = record.labels.parameters;
  Json json = {{"confidence", confidence},
               {"parameters", parameters},
               {"sobol_refers_to",
                record.solution.expansion.measure().is_dependent() ? "germs" : "parameters"},
               {"reweighting", nullptr},
               {"variables", Json::object()},
               {"quantities", Json::object()}};
  if (statistics.reweighting) {
    json["reweighting"] = {{"error_factor", number(statistics.reweighting->error_factor)},
                           {"effective_share", number(statistics.reweighting->effective_share)}};
  }
  std::vector<std::string> all = variables;
  all.insert(all.end(), names.begin(), names.end());
  for (std::size_t j = 0; j < all.size(); ++j) {
    json[j < variables.size() ? "variables" : "quantities"][all[j]] =
        output_json(statistics.outputs[j], statistics, parameters);
  }
  all.resize(static_cast<std::size_t>(statistics.covariance.rows()));
  json["covariance"] = {{"names", all},
                        {"value", rows(statistics.covariance)},
                        {"error", rows(statistics.covariance_error)}};
  if (record.solution.expansion.lift()) add_constraints(constraints, json);
  return json.dump(2);
}

}  // namespace chaosgrad::internal
