#pragma once
// The experiments of "Uncertainty Quantification for Gradient Methods on Strongly Convex Functions"
// (McMeel, Parpas), and those that it only describes: tables, pictures, and the headline facts
// beside the paper's.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chaosgrad/types.h"
#include "paper/chart.h"

namespace chaosgrad::internal {

struct ReproduceOptions {
  Index trials = 200;
  std::uint64_t seed = 1;
  int threads = 0;                                        // trials at a time; 0: all cores
  std::function<void(Index done, Index total)> progress;  // after each trial, one call at a time
};

// One figure. The numbers depend on trials and seed, not on the number of threads (times excepted).
struct Figure {
  std::string name;
  std::vector<std::string> columns;
  Matrix rows;                // rows × columns; NaN where a curve has ended
  std::vector<Chart> charts;  // side by side
  std::string facts;          // JSON
};

// fig1a, fig1b, fig2, fig3, blowup, equal-time, nested, optimum, slips.
[[nodiscard]] std::vector<std::string> figure_names();

// Throws InputError for an unknown name.
void check_figure_name(const std::string& name);

// Throws InputError for an unknown name, or fewer than one trial.
[[nodiscard]] Figure reproduce(const std::string& name, const ReproduceOptions& options = {});

// Writes DIR/<name>.csv, .svg and .json; an entry of the table that is NaN is left empty. Throws
// IoError.
void save_figure(const std::string& directory, const Figure& figure);

// The figures as one page.
[[nodiscard]] std::string figures_html(const std::vector<Figure>& figures);
// Writes DIRECTORY/report.html. Throws IoError.
void write_figures(const std::string& directory, const std::vector<Figure>& figures);

}  // namespace chaosgrad::internal
