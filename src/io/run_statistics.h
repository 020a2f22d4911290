#pragma once
// Statistics of the optimum of a problem file: its variables, its objective and its [quantities].
#include <string>
#include <vector>

#include "io/problem_file/problem_file.h"
#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

// The optimal value E_v F(x*(θ), θ, v), called "objective" (unless a quantity has that name, or
// the problem knows its gradient only), and the [quantities]. They refer to the file, which must
// outlive them.
struct NamedQuantities {
  std::vector<std::string> names;
  Quantities functions;
};
[[nodiscard]] NamedQuantities named_quantities(const ProblemFile& file);

// Options as the file has them: seed and threads.
[[nodiscard]] StatisticsOptions statistics_options(const ProblemFile& file);

// The file's distribution of θ with the marginals that `assignments` replace, each
// NAME={distribution=…} in TOML; a copula stays. Throws PlacedError.
[[nodiscard]] Measure reweighted_measure(const ProblemFile& file,
                                         const std::vector<std::string>& assignments);

// JSON text; unknown bars are null. `names` are those of the quantities.
[[nodiscard]] std::string statistics_json(const ProblemFile& file, const Statistics& statistics,
                                          const std::vector<std::string>& names, double confidence);

}  // namespace chaosgrad::internal
