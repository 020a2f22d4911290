#pragma once
// Statistics of a solution: its variables, its objective and its quantities.
#include <string>
#include <vector>

#include "chaosgrad/statistics.h"
#include "io/record.h"

namespace chaosgrad::internal {

// Options as the run had them: seed and threads.
[[nodiscard]] StatisticsOptions statistics_options(const Solution& solution);

// What summary and page tell of the outputs, made once for both with bounded work: of many
// components only the first have their distribution sampled. Nothing for a solution that is not ok.
struct Digest {
  Statistics statistics = {};                // of the components, then of the quantities
  ConstraintReport constraints = {};         // where x is constrained
  std::vector<std::string> quantities = {};  // their names: the objective first, where it is known
  Index sampled = 0;                         // components with quantiles and histogram
  double seconds = 0;                        // that it took
};
[[nodiscard]] Digest make_digest(const Record& record);

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
