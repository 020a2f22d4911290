#include "io/store/run_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "chaosgrad/error.h"
#include "io/problem_file/source.h"
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

void write_unfinished(const std::string& directory, const Record& record, Previous previous) {
  create_directory(directory);
  write_store(directory, write_content(record, brief_summary(record)), previous);
}

}  // namespace

Record StoredRun::record() const {
  // The quantities of a program are not stored, but their names are.
  if (file) return record_of(solution, *file);
  Labels known = labels;
  known.quantities.clear();
  return record_of(solution, known);
}

void begin_run(const std::string& directory, const Record& record) {
  write_unfinished(directory, record, Previous::forget);
  for (const char* name : {"summary.json", "history.csv", "report.html"}) {
    std::error_code ignored;
    std::filesystem::remove(directory + "/" + name, ignored);
  }
}

void save_unfinished(const std::string& directory, const Record& record) {
  write_unfinished(directory, record, Previous::keep);
}

void save_run(const std::string& directory, const Record& record, const std::string& summary) {
  create_directory(directory);
  write_store(directory, write_content(record, summary), Previous::keep);
}

StoredRun load_run(const std::string& directory,
                   const std::shared_ptr<const Constraints>& constraints) {
  const std::string path = store_path(directory), before = previous_store_path(directory);
  std::string trouble;
  if (std::filesystem::exists(path)) {
    try {
      return read_content(path, read_store(path), constraints);
    } catch (const DamagedError& error) {
      trouble = error.what();
    }
  } else {
    trouble = fmt::format("{}: no run is there ({} is missing)", directory, path);
  }
  if (!std::filesystem::exists(before)) throw IoError(trouble);
  try {
    StoredRun stored = read_content(before, read_store(before), constraints);
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
