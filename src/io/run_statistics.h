#pragma once
// Statistics of a solution: its variables, its objective and its quantities.
#include <string>
#include <vector>

#include "chaosgrad/statistics.h"
#include "io/shown.h"
#include "solution/report.h"

namespace chaosgrad::internal {

// Options as the run had them: seed and threads.
[[nodiscard]] StatisticsOptions statistics_options(const Solution& solution);

// Of the components that are shown, then of the quantities. Where these are not all components, the
// covariance is that of the components alone.
[[nodiscard]] Statistics shown_statistics(const ShownRecord& shown, const Quantities& quantities,
                                          const StatisticsOptions& options);

// What summary and page tell of the outputs, made once for both with bounded work: of many
// components only the first have their distribution sampled. Nothing for a solution that is not ok.
struct Digest {
  std::vector<Index> components = {};        // that are shown
  Statistics statistics = {};                // of these components, then of the quantities
  ConstraintReport constraints = {};         // where x is constrained
  std::vector<std::string> quantities = {};  // their names: the objective first, where it is known
  Index sampled = 0;                         // of them with quantiles and histogram: the first
  double seconds = 0;                        // that it took
};
[[nodiscard]] Digest make_digest(const Record& record);
// What the run says, and what its statistics add.
[[nodiscard]] std::vector<std::string> notes_of(const Record& record, const Digest& digest);
// For full_report().
[[nodiscard]] SampledReport sampled_report(const Record& record, const Digest& digest);
[[nodiscard]] Digest make_digest(const ShownRecord& shown);

// The distribution of θ with the marginals that `assignments` replace, each
// NAME={distribution=…} in TOML; a copula stays. Throws PlacedError.
[[nodiscard]] Measure reweighted_measure(const Record& record,
                                         const std::vector<std::string>& assignments);

// JSON text; unknown bars are null. `names` are those of the quantities.
// `constraints` are told where there are some.
[[nodiscard]] std::string statistics_json(const Record& record, const Statistics& statistics,
                                          const std::vector<std::string>& names, double confidence,
                                          const ConstraintReport& constraints = {});

}  // namespace chaosgrad::internal
