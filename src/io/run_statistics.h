#pragma once
// Statistics of a solution: its variables, its objective and its quantities.
#include <string>
#include <vector>

#include "chaosgrad/statistics.h"
#include "io/record.h"

namespace chaosgrad::internal {

// Options as the run had them: seed and threads.
[[nodiscard]] StatisticsOptions statistics_options(const Solution& solution);

// The distribution of θ with the marginals that `assignments` replace, each
// NAME={distribution=…} in TOML; a copula stays. Throws PlacedError.
[[nodiscard]] Measure reweighted_measure(const Record& record,
                                         const std::vector<std::string>& assignments);

// JSON text; unknown bars are null. `names` are those of the quantities.
[[nodiscard]] std::string statistics_json(const Record& record, const Statistics& statistics,
                                          const std::vector<std::string>& names, double confidence);

}  // namespace chaosgrad::internal
