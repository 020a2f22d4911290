#pragma once
// All that files and pages tell of a solution, whether its problem came from a file or from a
// program.
#include "chaosgrad/io.h"
#include "io/problem_file/problem_file.h"

namespace chaosgrad::internal {

struct Record {
  const Solution& solution;
  Labels labels;                          // with a name for everything
  Quantities quantities = {};             // named by labels.quantities
  Quantities objective = {};              // E_v F(x*(θ), θ, v), where it is known: count 0 or 1
  const ProblemSource* source = nullptr;  // the problem file, if there is one
  bool bounds = false;        // the history has a column of bounds, even where none is known
  double seconds_around = 0;  // of this session, outside of the solve: reading, writing

  [[nodiscard]] std::string title() const;  // or the name of the file
};

// Throws InputError for labels that do not fit.
[[nodiscard]] Record record_of(const Solution& solution, const Labels& labels,
                               const Quantities& quantities = {});
// Refers to the file, which must outlive it.
[[nodiscard]] Record record_of(const Solution& solution, const ProblemFile& file);

[[nodiscard]] Labels labels_of(const ProblemFile& file);

// The objective, called "objective" (unless a quantity has that name), and the quantities.
struct NamedQuantities {
  std::vector<std::string> names;
  Quantities functions;
};
[[nodiscard]] NamedQuantities named_quantities(const Record& record);

}  // namespace chaosgrad::internal
