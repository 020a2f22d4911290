#pragma once
// A solution on disk: DIR/solution.h5, everything needed to evaluate, resume and audit; its format
// is docs/run-format.md.
#include <optional>
#include <string>

#include "io/record.h"

namespace chaosgrad::internal {

// Each of these creates `directory` if needed, puts a new solution.h5 into place by rename, and
// throws IoError.
//   begin_run        the first one, so that whatever happens can be resumed; forgets the run that
//                    was there
//   save_unfinished  a solution underway; keeps the one before as solution.h5.previous
//   save_run         the end, likewise; `summary` is that of full_summary
void begin_run(const std::string& directory, const Record& record);
void save_unfinished(const std::string& directory, const Record& record);
void save_run(const std::string& directory, const Record& record, const std::string& summary);

// What solution.h5 holds, read back.
struct StoredRun {
  Solution solution;
  Labels labels;
  std::optional<ProblemFile> file;  // where the problem came from one
  std::string summary;              // JSON text
  std::string warning;  // not empty: solution.h5 was damaged or missing, this is the one before

  // Refers to this.
  [[nodiscard]] Record record() const;
};
// Throws IoError if there is no run or it cannot be understood. `constraints` are those of a problem
// that is C++ code: a store holds linear ones and those of problem files only.
[[nodiscard]] StoredRun load_run(const std::string& directory,
                                 const std::shared_ptr<const Constraints>& constraints = {});

// Moves a damaged solution.h5 out of the way, to solution.h5.damaged, so that going on from the
// previous one does not overwrite that with it.
void set_damaged_aside(const std::string& directory);

}  // namespace chaosgrad::internal
