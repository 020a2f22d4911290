#pragma once
// A run as one HTML page that needs nothing but a browser.
#include <string>

#include "chaosgrad/problem_file.h"
#include "chaosgrad/solution.h"

namespace chaosgrad {

// The answer first: status and error, then statistics, x*(θ) along each parameter, convergence, and
// the problem itself. No scripts, nothing loaded from elsewhere, every text of the user escaped.
[[nodiscard]] std::string report_html(const ProblemFile& file, const Solution& solution);

// Writes DIRECTORY/report.html. Throws IoError.
void write_report(const std::string& directory, const ProblemFile& file, const Solution& solution);

}  // namespace chaosgrad
