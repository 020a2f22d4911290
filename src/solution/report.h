#pragma once
// The outcome as text, from statistics that were made already: what is printed beside a summary has
// its numbers.
#include <string>
#include <vector>

#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

struct SampledReport {
  // Of the components and the constraints; not looked at where x is not constrained.
  std::vector<OutputStatistics> x = {};
  ConstraintReport constraints = {};
  std::vector<std::string> notes = {};
};
// report() with Detail::full. `labels` are complete.
[[nodiscard]] std::string full_report(const Solution& solution, const Labels& labels,
                                      const SampledReport& sampled);

}  // namespace chaosgrad::internal
