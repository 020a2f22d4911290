#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "chaosgrad/chaosgrad.h"
#include "io/describe.h"
#include "io/store/hdf5.h"
#include "io/store/history.h"
#include "io/store/store_basis.h"
#include "io/store/store_content.h"
#include "io/store/store_lift.h"
#include "io/store/store_parts.h"

namespace chaosgrad::internal {
namespace {

// The problem file, for those that came from one.
void write_source(Hdf5Writer& store, const ProblemSource& source) {
  store.text("problem/name", source.name);
  store.text("problem/text", source.text);
  store.texts("problem/overrides", source.overrides);
  std::vector<std::string> names, contents;
  for (const auto& [name, content] : source.files) {
    names.push_back(name);
    contents.push_back(content);
  }
  store.texts("problem/files/names", names);
  store.texts("problem/files/contents", contents);
}

void write_labels(Hdf5Writer& store, const Labels& labels) {
  store.text("title", labels.title);
  store.texts("variables", labels.variables);
  store.texts("parameters", labels.parameters);
  store.texts("quantities", labels.quantities);
}

void write_options(Hdf5Writer& store, const Options& options) {
  store.text("options", describe(options));
  store.text("random/generator", "Philox4x32-10");
  store.text("random/seed", fmt::format("{}", options.seed));
}

void write_measure(Hdf5Writer& store, const Measure& measure) {
  std::vector<std::string> marginals, germs;
  for (const Distribution& marginal : measure.marginals()) marginals.push_back(describe(marginal));
  for (const Distribution& germ : measure.germs()) germs.push_back(describe(germ));
  store.texts("measure/marginals", marginals);
  store.texts("measure/germs", germs);
  if (measure.correlation()) store.matrix("measure/correlation", *measure.correlation());
}

void write_run(Hdf5Writer& store, const Solution& run) {
  store.text("status", std::string(to_string(run.status)));
  store.text("stop_reason", run.message);
  store.texts("notes", run.notes);
  store.integer("gradients", run.gradients);
  store.number("seconds", run.seconds);
  const ProblemConstants& constants = run.constants;
  const Constant* values[] = {&constants.mu, &constants.L, &constants.V, &constants.VG};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const Constant& constant = *values[i];
    store.vector(fmt::format("constants/{}", constant_names[i]),
                 {constant.value, constant.given ? 1.0 : 0.0, constant.lowest, constant.highest});
  }
  store.integer("constants/gradients", constants.gradients);
  for (std::size_t i = 0; i < run.replicates.size(); ++i)
    store.matrix(fmt::format("replicates/{:06}", i), run.replicates[i]);
  if (run.fits) {
    store.matrix("fits/least_squares", run.fits->least_squares);
    store.matrix("fits/projection", run.fits->projection);
    if (run.fits->least_squares_error) {
      store.number("fits/least_squares_error", *run.fits->least_squares_error);
      store.number("fits/projection_error", *run.fits->projection_error);
    }
  }
  for (const auto& [name, values_of] : run.state.arrays)
    store.matrix("state/arrays/" + name, values_of);
  for (const auto& [name, values_of] : run.state.integers)
    store.integers("state/integers/" + name, values_of);
  for (const auto& [name, value] : run.state.texts) store.text("state/texts/" + name, value);
}

// Only what is known is there.
void write_error(Hdf5Writer& store, const Solution& solution) {
  const auto known = [&](const std::string& name, const std::optional<double>& value) {
    if (value) store.number(name, *value);
  };
  const ErrorEstimate& error = solution.error;
  known("error/estimate", error.estimate);
  known("error/basis", error.basis);
  known("error/sampling", error.sampling);
  known("error/optimisation", error.optimisation);
  known("error/bound", error.bound);
  store.number("error/confidence", error.confidence);
  store.vector("error/components", {error.components.begin(), error.components.end()});
  if (solution.multiplier_errors.size() > 0) {
    store.vector("error/multipliers",
                 {solution.multiplier_errors.begin(), solution.multiplier_errors.end()});
  }
  known("true_error", solution.true_error);
  store.integer("diagnostic_gradients", solution.diagnostic_gradients);
  if (solution.hessians > 0) store.integer("hessians", solution.hessians);
  known("unseen", solution.unseen);
  if (solution.skipped > 0) {
    store.integer("skipped", solution.skipped);
    store.number("skipped_share", solution.skipped_share);
    store.integer("skipped_together", solution.skipped_together ? 1 : 0);
  }
}

}  // namespace

std::string write_content(const Record& record, const std::string& summary) {
  const Solution& solution = record.solution;
  Hdf5Writer store;
  store.attribute("format", format_name);
  store.attribute("format_version", std::int64_t{format_version});
  store.attribute("version", std::string(version()));
  if (record.source) write_source(store, *record.source);
  write_labels(store, record.labels);
  write_options(store, solution.options);
  const Expansion& expansion = solution.expansion;
  write_measure(store, expansion.measure());
  write_basis(store, "", expansion.measure(), expansion.basis(), expansion.coefficients().rows());
  store.matrix("coefficients", expansion.coefficients());
  if (expansion.lift()) write_lift(store, expansion.measure(), *expansion.lift());
  write_run(store, solution);
  write_history(store, solution.history);
  write_error(store, solution);
  store.text("summary", summary);
  return store.image();
}

}  // namespace chaosgrad::internal
