#include "io/store/run_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "chaosgrad/error.h"
#include "io/source.h"
#include "io/store/store_content.h"
#include "io/store/store_file.h"
#include "io/summary.h"
#include "problem/problem_samples.h"

namespace chaosgrad::internal {
namespace {

void create_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw IoError(fmt::format("{}: cannot be created: {}", directory, error.message()));
}

Solution unfinished(const ProblemFile& file, const Run& run) {
  return {.expansion = Expansion(file.problem.parameters(), run.basis, run.u),
          .run = run,
          .error = {},
          .true_error = {}};
}

void write_unfinished(const std::string& directory, const ProblemFile& file, const Run& run,
                      Previous previous) {
  create_directory(directory);
  const Solution solution = unfinished(file, run);
  write_store(directory, write_content(file, solution, brief_summary(file, solution)), previous);
}

}  // namespace

void begin_run(const std::string& directory, const ProblemFile& file) {
  const Index d = file.problem.parameters().dimension();
  const Run run{.basis = Basis(make_families(file.problem), IndexSet::first(d, 1)),
                .u = Coefficients::Zero(1, file.problem.dimension()),
                .status = Status::interrupted,
                .stop_reason = "begun, nothing done yet"};
  write_unfinished(directory, file, run, Previous::forget);
  for (const char* name : {"summary.json", "history.csv", "report.html"}) {
    std::error_code ignored;
    std::filesystem::remove(directory + "/" + name, ignored);
  }
}

void save_checkpoint(const std::string& directory, const ProblemFile& file, const Run& run) {
  write_unfinished(directory, file, run, Previous::keep);
}

void save_run(const std::string& directory, const ProblemFile& file, const Solution& solution,
              const std::string& summary) {
  create_directory(directory);
  write_store(directory, write_content(file, solution, summary), Previous::keep);
}

StoredRun load_run(const std::string& directory) {
  const std::string path = store_path(directory), before = previous_store_path(directory);
  std::string trouble;
  if (std::filesystem::exists(path)) {
    try {
      return read_content(path, read_store(path));
    } catch (const DamagedError& error) {
      trouble = error.what();
    }
  } else {
    trouble = fmt::format("{}: no run is there ({} is missing)", directory, path);
  }
  if (!std::filesystem::exists(before)) throw IoError(trouble);
  try {
    StoredRun stored = read_content(before, read_store(before));
    stored.warning = fmt::format("{}; the checkpoint before it, {}, is used", trouble, before);
    return stored;
  } catch (const DamagedError& error) {
    throw IoError(fmt::format("{}; and {}", trouble, error.what()));
  }
}

void set_damaged_aside(const std::string& directory) {
  const std::string path = store_path(directory);
  if (std::filesystem::exists(path)) move_file(path, path + ".damaged");
}

}  // namespace chaosgrad::internal
