#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "io/store/hdf5.h"
#include "io/store/history.h"
#include "io/store/store_content.h"
#include "io/store/store_parts.h"
#include "problem/problem_samples.h"

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

ProblemFile read_problem(const Hdf5Reader& store) {
  ProblemSource source{.name = store.text("problem/name"),
                       .directory = {},
                       .text = store.text("problem/text"),
                       .overrides = store.texts("problem/overrides"),
                       .files = {}};
  const std::vector<std::string> names = store.texts("problem/files/names"),
                                 contents = store.texts("problem/files/contents");
  for (std::size_t i = 0; i < names.size(); ++i) source.files[names[i]] = contents[i];
  return load_problem(std::move(source));
}

Basis read_basis(const Hdf5Reader& store, const ProblemFile& file) {
  const std::vector<std::int64_t> stored = store.integers("indices");
  const std::size_t d = file.problem.parameter_names().size();
  std::vector<MultiIndex> indices;
  for (auto row = stored.begin(); row != stored.end(); row += static_cast<std::ptrdiff_t>(d))
    indices.emplace_back(row, row + static_cast<std::ptrdiff_t>(d));
  return {make_families(file.problem), IndexSet::from(std::move(indices))};
}

Status read_status(const std::string& name, const std::string& path) {
  for (const Status status :
       {Status::completed, Status::converged, Status::out_of_gradients, Status::out_of_time,
        Status::interrupted, Status::stalled, Status::diverged, Status::bad_gradient,
        Status::not_strongly_convex, Status::inconsistent}) {
    if (to_string(status) == name) return status;
  }
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

Run read_run(const Hdf5Reader& store, Basis basis, const std::string& path) {
  Run run{.basis = std::move(basis), .u = store.matrix("coefficients")};
  run.status = read_status(store.text("status"), path);
  run.stop_reason = store.text("stop_reason");
  run.history = read_history(store);
  run.constants = read_constants(store);
  run.gradients = store.integer("gradients");
  run.seconds = store.number("seconds");
  run.notes = store.texts("notes");
  if (store.has("fits")) {
    run.fits = {.least_squares = store.matrix("fits/least_squares"),
                .projection = store.matrix("fits/projection"),
                .least_squares_error = read_optional(store, "fits/least_squares_error"),
                .projection_error = read_optional(store, "fits/projection_error")};
  }
  for (const std::string& name : store.names("replicates"))
    run.replicates.push_back(store.matrix("replicates/" + name));
  run.state = read_state(store);
  return run;
}

ErrorEstimate read_error(const Hdf5Reader& store) {
  ErrorEstimate error;
  error.estimate = read_optional(store, "error/estimate");
  error.basis = read_optional(store, "error/basis");
  error.sampling = read_optional(store, "error/sampling");
  error.optimisation = read_optional(store, "error/optimisation");
  error.bound = read_optional(store, "error/bound");
  error.confidence = store.number("error/confidence");
  const std::vector<double> components = store.vector("error/components");
  error.components =
      Eigen::Map<const Vector>(components.data(), static_cast<Index>(components.size()));
  return error;
}

}  // namespace

StoredRun read_content(const std::string& path, const std::string& image) {
  const Hdf5Reader store(path, image);
  require_known_format(store, path);
  ProblemFile file = read_problem(store);
  Run run = read_run(store, read_basis(store, file), path);
  Expansion expansion(file.problem.parameters(), run.basis, run.u);
  Solution solution{.expansion = std::move(expansion),
                    .run = std::move(run),
                    .error = read_error(store),
                    .true_error = read_optional(store, "true_error"),
                    .diagnostic_gradients = store.integer("diagnostic_gradients")};
  return {std::move(solution), std::move(file), store.text("summary"), {}};
}

}  // namespace chaosgrad::internal
