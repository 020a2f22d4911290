#pragma once
// Problems written down in a TOML file.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chaosgrad/error.h"
#include "chaosgrad/options.h"
#include "problem/any_problem.h"

namespace chaosgrad::internal {

class RemoteModel;

// Everything needed to read a problem again, anywhere.
struct ProblemSource {
  std::string name;                    // file name, for messages
  std::string directory;               // where its data files are
  std::string text;                    // TOML
  std::vector<std::string> overrides;  // KEY=VALUE, later ones win
  std::map<std::string, std::string>
      files;  // contents of the data files, by the name used in the text
};

struct ProblemFile {
  std::string title;
  AnyProblem problem;
  Options options;
  ProblemSource source;  // complete: with the contents of its data files
  // Where F is computed elsewhere: what the problem calls, and how many numbers it gives it.
  std::shared_ptr<RemoteModel> model = {};
  ExternalSizes sizes = {};
  // All that x*(θ) depends on, as text: without bases, [solve], titles and limits of calls.
  std::string fingerprint = {};
};

// Reads the file's text (throws IoError), not yet its meaning.
[[nodiscard]] ProblemSource read_problem_source(const std::string& path,
                                                std::vector<std::string> overrides = {});

// Throws PlacedError (a std::runtime_error with file, line, column, and what was expected) or
// IoError. A problem that has been solved was validated before, which is not done again.
enum class Checked { now, before };
[[nodiscard]] ProblemFile load_problem(ProblemSource source, Checked checked = Checked::now);

// An InputError of a later step (a schedule, a grid), told at its place in the file: throws
// PlacedError.
[[noreturn]] void fail_at_place(const ProblemSource& source, const InputError& error);

// A mistake in an input file. what() = "file:line:column: message", followed by the line and a
// marker where it is known.
struct Place {
  std::string file;
  Index line = 0, column = 0;  // from 1, column in characters; 0: unknown
};
class PlacedError : public std::runtime_error {
 public:
  PlacedError(const Place& place, const std::string& message, std::string_view text = {});
};

}  // namespace chaosgrad::internal
