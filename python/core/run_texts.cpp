#include "core/constraints.h"
#include "core/run.h"
#include "io/json_numbers.h"
#include "io/run_statistics.h"
#include "io/summary.h"
#include "report/report.h"

namespace chaosgrad::python {
using namespace internal;
namespace {

// Constraints that are Python functions take some microseconds per sample, on one thread at a time.
StatisticsOptions bounded_options(const Solution& solution) {
  StatisticsOptions options = statistics_options(solution);
  const Lift* lift = solution.expansion.lift();
  if (lift && dynamic_cast<const PythonConstraints*>(&lift->constraints())) options.samples = 8192;
  return options;
}

}  // namespace

std::string statistics_text(const PythonRun& run, const PythonProblem* problem,
                            const std::vector<double>& levels, bool indices) {
  return without_interpreter([&] {
    const Record record = run.record(problem);
    const NamedQuantities quantities = named_quantities(record);
    StatisticsOptions options = bounded_options(run.solution);
    if (!levels.empty()) options.levels = levels;
    options.indices = indices;
    if (!indices) options.work = 5e8;  // a second at most
    const ShownRecord shown(record);
    const Statistics found = shown_statistics(shown, quantities.functions, options);
    const ConstraintReport constraints = constraint_statistics(run.solution, options);
    return statistics_json(shown.record(), found, quantities.names, run.solution.error.confidence,
                           constraints);
  });
}

std::string summary_text(const PythonRun& run, const PythonProblem* problem) {
  return without_interpreter([&] {
    const Record record = run.record(problem);
    return full_summary(record, make_digest(record));
  });
}

std::string page_text(const PythonRun& run, const PythonProblem* problem) {
  return without_interpreter([&] {
    const Record record = run.record(problem);
    const Digest digest = make_digest(record);
    return report_html(record, full_summary(record, digest), digest);
  });
}

std::string verification_text(const PythonRun& run, const PythonProblem* problem,
                              const VerifyOptions& options) {
  const Verification found = without_interpreter([&] {
    return run.file ? verify(run.file->problem, run.solution.expansion, options)
                    : verify(*problem, run.solution.expansion, options);
  });
  Json json = {{"error", number(found.error)},
               {"lower", number(found.lower)},
               {"upper", number(found.upper)},
               {"confidence", options.confidence},
               {"verdict", nullptr},
               {"components", numbers(found.components)},
               {"worst", number(found.worst)},
               {"worst_theta", numbers(found.worst_theta)},
               {"points", found.points},
               {"unsolved", found.unsolved},
               {"skipped", found.skipped},
               {"unseen", number(found.unseen)},
               {"other_minima", found.minima.count()},
               {"outside_domain", found.outside},
               {"leaves_domain", leaves_domain(found, options.confidence)},
               {"gradients", found.gradients},
               {"failure", found.failure}};
  if (run.solution.error.estimate && found.failure.empty())
    json["verdict"] = to_string(judge_estimate(*run.solution.error.estimate, found));
  return json.dump();
}

}  // namespace chaosgrad::python
