#pragma once
// Solutions as files, wherever their problem came from: saved and loaded, as a page, as source
// code. Needs the library chaosgrad::io; everything throws IoError where a file cannot be read or
// written.
#include <memory>
#include <string>

#include "chaosgrad/solution.h"
#include "chaosgrad/statistics.h"

namespace chaosgrad {

// Writes DIRECTORY/solution.h5 (everything: to evaluate, resume and audit), summary.json,
// history.csv and report.html. `quantities` are further functions of x* and θ whose statistics are
// wanted; labels.quantities are their names.
void save(const std::string& directory, const Solution& solution, const Labels& labels = {},
          const Quantities& quantities = {});

// Writes solution.h5 only, and keeps the one before as solution.h5.previous: for a callback that
// finds Progress::checkpoint_due.
void save_checkpoint(const std::string& directory, const Solution& solution,
                     const Labels& labels = {});

// What DIRECTORY holds; the solution is fit for Options::resume. A schedule that was a C++ function
// is not stored.
struct Loaded {
  Solution solution;
  Labels labels;
  std::string warning;  // not empty: solution.h5 was damaged or missing, this is the one before
};
// A store holds LinearConstraints and the constraints of problem files; `constraints` are those of a
// problem with others, and an IoError asks for them.
[[nodiscard]] Loaded load(const std::string& directory,
                          const std::shared_ptr<const Constraints>& constraints = {});

// One HTML page that needs nothing but a browser: no network, opens from disk.
[[nodiscard]] std::string report_page(const Solution& solution, const Labels& labels = {},
                                      const Quantities& quantities = {});

// x*(θ) and dx*/dθ as one source file without any dependency, and with a test of itself. Throws
// InputError if there is no source text for one of the distributions (under a copula only).
enum class Language { c, python };
[[nodiscard]] std::string export_source(const Solution& solution, Language language,
                                        const Labels& labels = {});

// The solution as JSON text, as `chaosgrad solve --json` prints it. What is unknown is null.
[[nodiscard]] std::string summary_json(const Solution& solution, const Labels& labels = {},
                                       const Quantities& quantities = {});

}  // namespace chaosgrad
