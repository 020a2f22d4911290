#include "chaosgrad/io.h"
#include "io/store/run_store.h"
#include "io/summary.h"
#include "report/report.h"

namespace chaosgrad {
using namespace internal;

void save(const std::string& directory, const Solution& solution, const Labels& labels,
          const Quantities& quantities) {
  const Record record = record_of(solution, labels, quantities);
  const std::string summary = full_summary(record);
  save_run(directory, record, summary);
  write_for_readers(directory, record, summary);
}

void save_checkpoint(const std::string& directory, const Solution& solution, const Labels& labels) {
  Labels named = labels;
  named.quantities.clear();
  save_unfinished(directory, record_of(solution, named));
}

Loaded load(const std::string& directory) {
  StoredRun stored = load_run(directory);
  return {.solution = std::move(stored.solution),
          .labels = std::move(stored.labels),
          .warning = std::move(stored.warning)};
}

std::string report_page(const Solution& solution, const Labels& labels,
                        const Quantities& quantities) {
  const Record record = record_of(solution, labels, quantities);
  return report_html(record, full_summary(record));
}

std::string summary_json(const Solution& solution, const Labels& labels,
                         const Quantities& quantities) {
  return full_summary(record_of(solution, labels, quantities));
}

}  // namespace chaosgrad
