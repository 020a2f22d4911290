#include "chaosgrad/run_store.h"

#include <fmt/format.h>

#include <algorithm>
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
  if (bounds) column("bound", [&](const IterationRecord& r) { return r.bound.value_or(unknown); });
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
  write_history(store, solution.run, file.options.bounds);
  store.text("summary", summary);
  store.flush();
}

// The columns written by write_history.
std::vector<IterationRecord> read_history(const Hdf5Reader& store) {
  const auto column = [&](const char* name) {
    return store.vector(fmt::format("history/{}", name));
  };
  const auto known = [](double value) {
    return std::isnan(value) ? std::optional<double>() : std::optional(value);
  };
  const auto k = column("k"), basis_size = column("basis_size"), samples = column("samples"),
             step = column("step"), gradients = column("gradients"), seconds = column("seconds"),
             gradient_norm = column("gradient_norm"), error_squared = column("error_squared"),
             true_error = column("true_error");
  const auto bound =
      store.has("history/bound") ? column("bound") : std::vector<double>(k.size(), std::nan(""));
  std::vector<IterationRecord> history;
  for (std::size_t i = 0; i < k.size(); ++i) {
    history.push_back({.k = static_cast<Index>(k[i]),
                       .basis_size = static_cast<Index>(basis_size[i]),
                       .samples = static_cast<Index>(samples[i]),
                       .step = step[i],
                       .gradients = static_cast<std::int64_t>(gradients[i]),
                       .seconds = seconds[i],
                       .gradient_norm = gradient_norm[i],
                       .error_squared = known(error_squared[i]),
                       .true_error = known(true_error[i]),
                       .bound = known(bound[i])});
  }
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
  Expansion expansion(file.problem.parameters(), std::move(basis), store.matrix("coefficients"));
  return {std::move(file), std::move(expansion), store.text("summary"), read_history(store)};
}

}  // namespace chaosgrad
