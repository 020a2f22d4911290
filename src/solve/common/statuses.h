#pragma once
// Every status on one line: its name, what it says, and what the fields of the result mean then.
#include <optional>
#include <string_view>
#include <vector>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// What a status means for whoever wants the result, and for the exit code of the program.
enum class Outcome {
  done,     // 0: what was asked for
  stopped,  // 1: usable, but not all that was asked for; the run can go on
  failed    // 3: numerical failure; the expansion is not an answer
};

struct StatusEntry {
  Status status;
  std::string_view name;  // in results and stores
  Outcome outcome;
  std::string_view meaning;
  std::string_view fields;  // what the expansion and its error are
};

[[nodiscard]] const std::vector<StatusEntry>& status_table();  // in the order of Status
[[nodiscard]] const StatusEntry& entry_of(Status status);
// Nothing for an unknown name.
[[nodiscard]] std::optional<Status> find_status(std::string_view name);

}  // namespace chaosgrad::internal
