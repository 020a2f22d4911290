#include "chaosgrad/io.h"
#include "io/store/run_store.h"
#include "io/summary.h"
#include "report/report.h"

namespace chaosgrad {
using namespace internal;

void save(const std::string& directory, const Solution& solution, const Labels& labels,
          const Quantities& quantities) {
  (void)finish_run(directory, record_of(solution, labels, quantities));
}

void save_checkpoint(const std::string& directory, const Solution& solution, const Labels& labels) {
  Labels named = labels;
  named.quantities.clear();
  save_unfinished(directory, record_of(solution, named));
}

Loaded load(const std::string& directory, const std::shared_ptr<const Constraints>& constraints) {
  StoredRun stored = load_run(directory, constraints);
  return {.solution = std::move(stored.solution),
          .labels = std::move(stored.labels),
          .warning = std::move(stored.warning)};
}

std::string report_page(const Solution& solution, const Labels& labels,
                        const Quantities& quantities) {
  const Record record = record_of(solution, labels, quantities);
  const Digest digest = make_digest(record);
  return report_html(record, full_summary(record, digest), digest);
}

std::string summary_json(const Solution& solution, const Labels& labels,
                         const Quantities& quantities) {
  const Record record = record_of(solution, labels, quantities);
  return full_summary(record, make_digest(record));
}

}  // namespace chaosgrad
