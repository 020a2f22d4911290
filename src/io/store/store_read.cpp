#include <fmt/format.h>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "io/describe.h"
#include "io/store/hdf5.h"
#include "io/store/history.h"
#include "io/store/store_basis.h"
#include "io/store/store_content.h"
#include "io/store/store_lift.h"
#include "io/store/store_parts.h"
#include "solve/common/statuses.h"

namespace chaosgrad::internal {
namespace {

void require_known_format(const Hdf5Reader& store, const std::string& path) {
  if (store.text_attribute("format") != format_name) throw IoError(path + ": not a chaosgrad run");
  const std::int64_t found = store.integer_attribute("format_version");
  if (found <= format_version) return;
  throw IoError(
      fmt::format("{}: has format {}, written by chaosgrad {}; this is chaosgrad {}, which reads "
                  "up to format {}",
                  path, found, store.text_attribute("version"), version(), format_version));
}

std::optional<ProblemFile> read_problem(const Hdf5Reader& store) {
  if (!store.has("problem")) return {};
  ProblemSource source{.name = store.text("problem/name"),
                       .directory = {},
                       .text = store.text("problem/text"),
                       .overrides = store.texts("problem/overrides"),
                       .files = {}};
  const std::vector<std::string> names = store.texts("problem/files/names"),
                                 contents = store.texts("problem/files/contents");
  for (std::size_t i = 0; i < names.size(); ++i) source.files[names[i]] = contents[i];
  return load_problem(std::move(source), Checked::before);
}

Labels read_labels(const Hdf5Reader& store) {
  return {.title = store.text("title"),
          .parameters = store.texts("parameters"),
          .variables = store.texts("variables"),
          .quantities = store.texts("quantities")};
}

Measure read_measure(const Hdf5Reader& store) {
  std::vector<Distribution> marginals;
  for (const std::string& text : store.texts("measure/marginals"))
    marginals.push_back(distribution_of(text));
  Measure measure = store.has("measure/correlation")
                        ? Measure(std::move(marginals), store.matrix("measure/correlation"))
                        : Measure(std::move(marginals));
  const std::vector<std::string> kinds = store.texts("basis/kinds");
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == "log") measure = measure.with_logarithm(static_cast<Index>(k));
  }
  return measure;
}

Status read_status(const std::string& name, const std::string& path) {
  if (const std::optional<Status> status = find_status(name)) return *status;
  throw IoError(fmt::format("{}: has the unknown status '{}'", path, name));
}

std::optional<double> read_optional(const Hdf5Reader& store, const std::string& name) {
  return store.has(name) ? std::optional(store.number(name)) : std::nullopt;
}

ProblemConstants read_constants(const Hdf5Reader& store) {
  ProblemConstants constants;
  Constant* values[] = {&constants.mu, &constants.L, &constants.V, &constants.VG};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const std::vector<double> row = store.vector(fmt::format("constants/{}", constant_names[i]));
    *values[i] = {row.at(0), row.at(1) != 0, row.at(2), row.at(3)};
  }
  constants.gradients = store.integer("constants/gradients");
  return constants;
}

SolverState read_state(const Hdf5Reader& store) {
  SolverState state;
  for (const std::string& name : store.names("state/arrays"))
    state.arrays[name] = store.matrix("state/arrays/" + name);
  for (const std::string& name : store.names("state/integers"))
    state.integers[name] = store.integers("state/integers/" + name);
  for (const std::string& name : store.names("state/texts"))
    state.texts[name] = store.text("state/texts/" + name);
  return state;
}

Vector read_vector(const Hdf5Reader& store, const std::string& name) {
  const std::vector<double> values = store.vector(name);
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

ErrorEstimate read_error(const Hdf5Reader& store) {
  ErrorEstimate error;
  error.estimate = read_optional(store, "error/estimate");
  error.basis = read_optional(store, "error/basis");
  error.sampling = read_optional(store, "error/sampling");
  error.optimisation = read_optional(store, "error/optimisation");
  error.bound = read_optional(store, "error/bound");
  error.confidence = store.number("error/confidence");
  error.components = read_vector(store, "error/components");
  return error;
}

std::optional<NestedFits> read_fits(const Hdf5Reader& store) {
  if (!store.has("fits")) return {};
  return NestedFits{.least_squares = store.matrix("fits/least_squares"),
                    .projection = store.matrix("fits/projection"),
                    .least_squares_error = read_optional(store, "fits/least_squares_error"),
                    .projection_error = read_optional(store, "fits/projection_error")};
}

Solution read_solution(const Hdf5Reader& store, const Measure& measure, Options options,
                       std::shared_ptr<const Lift> lift, const std::string& path) {
  Solution solution{
      .expansion = Expansion(measure, read_basis(store, "", measure), store.matrix("coefficients"),
                             std::move(lift)),
      .status = read_status(store.text("status"), path),
      .message = store.text("stop_reason"),
      .error = read_error(store),
      .true_error = read_optional(store, "true_error"),
      .gradients = store.integer("gradients"),
      .diagnostic_gradients = store.integer("diagnostic_gradients"),
      .hessians = store.has("hessians") ? store.integer("hessians") : 0,
      .unseen = read_optional(store, "unseen"),
      .skipped = store.has("skipped") ? store.integer("skipped") : 0,
      .skipped_share = read_optional(store, "skipped_share").value_or(0),
      .skipped_together = store.has("skipped_together") && store.integer("skipped_together") == 1,
      .seconds = store.number("seconds"),
      .constants = read_constants(store),
      .history = read_history(store),
      .notes = store.texts("notes"),
      .fits = read_fits(store),
      .state = read_state(store),
      .options = std::move(options)};
  for (const std::string& name : store.names("replicates"))
    solution.replicates.push_back(store.matrix("replicates/" + name));
  if (store.has("error/multipliers"))
    solution.multiplier_errors = read_vector(store, "error/multipliers");
  return solution;
}

}  // namespace

// The measure of a problem file is read from the file itself: what it was made of, to the bit.
StoredRun read_content(const std::string& path, const std::string& image,
                       std::shared_ptr<const Constraints> constraints) {
  const Hdf5Reader store(path, image);
  require_known_format(store, path);
  std::optional<ProblemFile> file = read_problem(store);
  const Measure measure = file ? file->problem.parameters() : read_measure(store);
  Options options = file ? file->options : options_of(store.text("options"));
  Labels labels = file ? labels_of(*file) : read_labels(store);
  if (file) constraints = file->problem.facts().constraints;
  Solution solution = read_solution(store, measure, std::move(options),
                                    read_lift(store, measure, std::move(constraints), path), path);
  return {.solution = std::move(solution),
          .labels = std::move(labels),
          .file = std::move(file),
          .summary = store.text("summary"),
          .warning = {}};
}

}  // namespace chaosgrad::internal
