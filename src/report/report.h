#pragma once
// Results as one HTML page that needs nothing but a browser: no network, opens from disk. Every
// text of the user stays text.
#include <optional>
#include <string>
#include <vector>

#include "io/run_statistics.h"
#include "io/store/run_store.h"

namespace chaosgrad::internal {

// A run: the answer first (status, error, what limits it), then x*(θ) along each parameter, the
// distribution of each component, correlations, Sobol' indices, convergence, coefficients, cost,
// and the problem itself. `summary` is that of full_summary.
[[nodiscard]] std::string report_html(const Record& record, const std::string& summary,
                                      const Digest& digest);
// Writes DIRECTORY/report.html. Throws IoError.
void write_report(const std::string& directory, const Record& record, const std::string& summary,
                  const Digest& digest);

// What of a run is for readers: history.csv, report.html and summary.json, in this order, so that
// whoever finds the right summary finds them all. Throws IoError.
void write_for_readers(const std::string& directory, const Record& record,
                       const std::string& summary, const Digest& digest);
// The end of a run: its statistics, solution.h5, and the files for readers.
struct FinishedRun {
  std::string summary;  // that of full_summary
  Digest digest;
};
FinishedRun finish_run(const std::string& directory, Record record);
// Whether DIRECTORY has them, and not those of another run.
[[nodiscard]] bool has_files_for_readers(const std::string& directory, const std::string& summary);

// Several methods on one problem.
struct ComparedRun {
  std::string label;    // the method
  std::string summary;  // JSON, that of full_summary
  std::vector<IterationRecord> history;
  std::optional<double> error;  // ‖x − x*‖_π as well as it is known
  std::string error_from;       // and from what
};
[[nodiscard]] std::string comparison_html(const ProblemFile& file,
                                          const std::vector<ComparedRun>& runs);
// Writes DIRECTORY/report.html. Throws IoError.
void write_comparison(const std::string& directory, const ProblemFile& file,
                      const std::vector<ComparedRun>& runs);

}  // namespace chaosgrad::internal
