#pragma once
// A run on disk: DIR/solution.h5, everything needed to evaluate, resume and audit; its format is
// docs/run-format.md.
#include <string>

#include "io/problem_file/problem_file.h"
#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// The summary as JSON text (see the contract of `chaosgrad solve --json`). NaN never appears: what
// is unknown is null.
[[nodiscard]] std::string summary_json(const ProblemFile& file, const Solution& solution);

// Each of these creates `directory` if needed, puts a new solution.h5 into place by rename, keeps
// the one before as solution.h5.previous, and throws IoError.
//   begin_run        a store of nothing but the problem, so that whatever happens can be resumed;
//                    forgets the run that was there
//   save_checkpoint  a run underway, as Options::checkpoint gives it
//   save_run         the end; `summary` is that of summary_json
void begin_run(const std::string& directory, const ProblemFile& file);
void save_checkpoint(const std::string& directory, const ProblemFile& file, const Run& run);
void save_run(const std::string& directory, const ProblemFile& file, const Solution& solution,
              const std::string& summary);

// What solution.h5 holds, read back. The run is fit for Options::resume, unless its state is empty:
// then no iteration was stored.
struct StoredRun : Solution {
  ProblemFile file;
  std::string summary;  // JSON text
  std::string warning;  // not empty: solution.h5 was damaged or missing, this is the one before
};
// Throws IoError if there is no run or it cannot be understood.
[[nodiscard]] StoredRun load_run(const std::string& directory);

// Moves a damaged solution.h5 out of the way, to solution.h5.damaged, so that going on from the
// previous one does not overwrite that with it.
void set_damaged_aside(const std::string& directory);

}  // namespace chaosgrad::internal
