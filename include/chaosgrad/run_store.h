#pragma once
// A run on disk: DIR/solution.h5 (everything needed to evaluate and audit), summary.json,
// history.csv.
#include <string>

#include "chaosgrad/problem_file.h"
#include "chaosgrad/solution.h"

namespace chaosgrad {

// The summary as JSON text (see the contract of `chaosgrad solve --json`). NaN never appears: what
// is unknown is null.
[[nodiscard]] std::string summary_json(const ProblemFile& file, const Solution& solution);

// Creates `directory` if needed and writes the three files, each by rename. Throws IoError.
void save_run(const std::string& directory, const ProblemFile& file, const Solution& solution);

// What solution.h5 holds, read back: of the solution its expansion, replicates, error
// and history.
struct StoredRun : Solution {
  ProblemFile file;
  std::string summary;  // JSON text
};
// Throws IoError if there is no run or it cannot be understood.
[[nodiscard]] StoredRun load_run(const std::string& directory);

}  // namespace chaosgrad
