#include "chaosgrad/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "chaosgrad/error.h"
#include "chaosgrad/version.h"
#include "estimate/sample_source.h"
#include "io/hdf5.h"
#include "io/source.h"

namespace chaosgrad {
namespace {

constexpr const char* format_name = "chaosgrad run";
constexpr long format_version = 1;

std::string history_csv(const Run& run, bool bounds) {
  std::string text =
      "k,basis_size,samples,step,gradients,seconds,gradient_norm,error_squared,true_error";
  text += bounds ? ",bound\n" : "\n";
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.17g}", *value) : "";
  };
  for (const IterationRecord& record : run.history) {
    text += fmt::format("{},{},{},{:.17g},{},{:.6f},{:.17g},{},{}", record.k, record.basis_size,
                        record.samples, record.step, record.gradients, record.seconds,
                        record.gradient_norm, optional(record.error_squared),
                        optional(record.true_error));
    if (bounds) text += fmt::format(",{}", optional(record.bound));
    text += "\n";
  }
  return text;
}

void write_history(Hdf5Writer& store, const Run& run, bool bounds) {
  const auto column = [&](const char* name, auto value) {
    std::vector<double> values;
    for (const IterationRecord& record : run.history) values.push_back(value(record));
    store.vector(fmt::format("history/{}", name), values);
  };
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  column("k", [](const IterationRecord& r) { return static_cast<double>(r.k); });
  column("basis_size", [](const IterationRecord& r) { return static_cast<double>(r.basis_size); });
  column("samples", [](const IterationRecord& r) { return static_cast<double>(r.samples); });
  column("step", [](const IterationRecord& r) { return r.step; });
  column("gradients", [](const IterationRecord& r) { return static_cast<double>(r.gradients); });
  column("seconds", [](const IterationRecord& r) { return r.seconds; });
  column("gradient_norm", [](const IterationRecord& r) { return r.gradient_norm; });
  column("error_squared",
         [&](const IterationRecord& r) { return r.error_squared.value_or(unknown); });
  column("true_error", [&](const IterationRecord& r) { return r.true_error.value_or(unknown); });
  column("estimate", [&](const IterationRecord& r) { return r.estimate.value_or(unknown); });
  column("basis", [&](const IterationRecord& r) { return r.basis.value_or(unknown); });
  column("sampling", [&](const IterationRecord& r) { return r.sampling.value_or(unknown); });
  column("optimisation",
         [&](const IterationRecord& r) { return r.optimisation.value_or(unknown); });
  if (bounds) column("bound", [&](const IterationRecord& r) { return r.bound.value_or(unknown); });
}

constexpr std::array error_names = {"estimate", "basis", "sampling", "optimisation", "bound"};
constexpr std::array error_members = {&ErrorEstimate::estimate, &ErrorEstimate::basis,
                                      &ErrorEstimate::sampling, &ErrorEstimate::optimisation,
                                      &ErrorEstimate::bound};

// Unknown norms are left out.
void write_accuracy(Hdf5Writer& store, const Solution& solution) {
  for (std::size_t g = 0; g < solution.run.replicates.size(); ++g)
    store.matrix(fmt::format("replicates/{}", g), solution.run.replicates[g]);
  for (std::size_t i = 0; i < error_names.size(); ++i) {
    if (const std::optional<double>& norm = solution.error.*error_members[i])
      store.matrix(fmt::format("error/{}", error_names[i]), Matrix::Constant(1, 1, *norm));
  }
  if (solution.error.components.size() > 0)
    store.matrix("error/components", solution.error.components);
  store.matrix("error/confidence", Matrix::Constant(1, 1, solution.error.confidence));
}

void read_accuracy(const Hdf5Reader& store, Solution& solution) {
  for (std::size_t g = 0; store.has(fmt::format("replicates/{}", g)); ++g)
    solution.run.replicates.emplace_back(store.matrix(fmt::format("replicates/{}", g)));
  if (!store.has("error/confidence")) return;
  for (std::size_t i = 0; i < error_names.size(); ++i) {
    const std::string name = fmt::format("error/{}", error_names[i]);
    if (store.has(name)) solution.error.*error_members[i] = store.matrix(name)(0, 0);
  }
  if (store.has("error/components")) solution.error.components = store.matrix("error/components");
  solution.error.confidence = store.matrix("error/confidence")(0, 0);
}

void write_store(const std::string& path, const ProblemFile& file, const Solution& solution,
                 const std::string& summary) {
  Hdf5Writer store(path);
  store.attribute("format", format_name);
  store.attribute("format_version", format_version);
  store.attribute("version", std::string(version()));
  store.text("problem/name", file.source.name);
  store.text("problem/text", file.source.text);
  store.texts("problem/overrides", file.source.overrides);
  std::vector<std::string> names, contents;
  for (const auto& [name, content] : file.source.files) {
    names.push_back(name);
    contents.push_back(content);
  }
  store.texts("problem/files/names", names);
  store.texts("problem/files/contents", contents);
  store.texts("variables", file.problem.component_names());
  store.texts("parameters", file.problem.parameter_names());

  store.matrix("coefficients", solution.expansion.coefficients());
  const Index m = solution.expansion.coefficients().rows(),
              d = solution.expansion.measure().dimension();
  std::vector<long> indices;
  for (Index i = 0; i < m; ++i) {
    const MultiIndex& index = solution.expansion.basis().indices()[i];
    indices.insert(indices.end(), index.begin(), index.end());
  }
  store.integers("indices", indices, m, d);
  write_accuracy(store, solution);
  write_history(store, solution.run, file.options.bounds);
  store.text("summary", summary);
  store.flush();
}

// The columns written by write_history; a store may lack those that came later.
std::vector<IterationRecord> read_history(const Hdf5Reader& store) {
  std::vector<IterationRecord> history;
  const auto column = [&](const char* name, auto set) {
    const std::string path = fmt::format("history/{}", name);
    if (!store.has(path)) return;
    const std::vector<double> values = store.vector(path);
    history.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isnan(values[i])) set(history[i], values[i]);
  };
  column("k", [](IterationRecord& r, double v) { r.k = static_cast<Index>(v); });
  column("basis_size", [](IterationRecord& r, double v) { r.basis_size = static_cast<Index>(v); });
  column("samples", [](IterationRecord& r, double v) { r.samples = static_cast<Index>(v); });
  column("step", [](IterationRecord& r, double v) { r.step = v; });
  column("gradients",
         [](IterationRecord& r, double v) { r.gradients = static_cast<std::int64_t>(v); });
  column("seconds", [](IterationRecord& r, double v) { r.seconds = v; });
  column("gradient_norm", [](IterationRecord& r, double v) { r.gradient_norm = v; });
  column("error_squared", [](IterationRecord& r, double v) { r.error_squared = v; });
  column("true_error", [](IterationRecord& r, double v) { r.true_error = v; });
  column("estimate", [](IterationRecord& r, double v) { r.estimate = v; });
  column("basis", [](IterationRecord& r, double v) { r.basis = v; });
  column("sampling", [](IterationRecord& r, double v) { r.sampling = v; });
  column("optimisation", [](IterationRecord& r, double v) { r.optimisation = v; });
  column("bound", [](IterationRecord& r, double v) { r.bound = v; });
  return history;
}

}  // namespace

void save_run(const std::string& directory, const ProblemFile& file, const Solution& solution) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw IoError(fmt::format("{}: cannot be created: {}", directory, error.message()));
  const std::string summary = summary_json(file, solution);
  const std::string path = directory + "/solution.h5", temporary = path + ".tmp";
  try {
    write_store(temporary, file, solution, summary);
  } catch (const IoError&) {
    std::filesystem::remove(temporary, error);
    throw;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    throw IoError(path + ": cannot be renamed into place");
  write_file(directory + "/summary.json", summary + "\n");
  write_file(directory + "/history.csv", history_csv(solution.run, file.options.bounds));
}

StoredRun load_run(const std::string& directory) {
  const std::string path = directory + "/solution.h5";
  if (!std::filesystem::exists(path))
    throw IoError(fmt::format("{}: no run is there ({} is missing)", directory, path));
  const Hdf5Reader store(path);
  if (store.text_attribute("format") != format_name) throw IoError(path + ": not a chaosgrad run");
  if (const long found = store.integer_attribute("format_version"); found > format_version) {
    throw IoError(
        fmt::format("{}: has format {}, written by chaosgrad {}; this is chaosgrad {}, which reads "
                    "up to format {}",
                    path, found, store.text_attribute("version"), version(), format_version));
  }
  ProblemSource source{.name = store.text("problem/name"),
                       .directory = {},
                       .text = store.text("problem/text"),
                       .overrides = store.texts("problem/overrides"),
                       .files = {}};
  const std::vector<std::string> names = store.texts("problem/files/names"),
                                 contents = store.texts("problem/files/contents");
  for (std::size_t i = 0; i < names.size(); ++i) source.files[names[i]] = contents[i];
  ProblemFile file = load_problem(std::move(source));

  const Matrix stored_indices = store.matrix("indices");
  std::vector<MultiIndex> indices;
  for (Index i = 0; i < stored_indices.rows(); ++i) {
    MultiIndex index;
    for (const double n : stored_indices.row(i)) index.push_back(static_cast<int>(n));
    indices.push_back(std::move(index));
  }
  Basis basis(make_families(file.problem), IndexSet::from(std::move(indices)));
  const Coefficients u = store.matrix("coefficients");
  Solution solution{.expansion = Expansion(file.problem.parameters(), basis, u),
                    .run = {.basis = basis, .u = u},
                    .error = {},
                    .true_error = {}};
  solution.run.history = read_history(store);
  read_accuracy(store, solution);
  return {std::move(solution), std::move(file), store.text("summary")};
}

}  // namespace chaosgrad
