#pragma once
// The program, whatever main() it is started by.
#include <memory>
#include <string>

#include "commands.h"
#include "parallel/ranks.h"

namespace chaosgrad::cli {

struct Ending {
  int exit_code = exit_solved;
  std::string error = {};  // what ended it, if that was an exception
};

// `ranks`: the processes that share `solve` and `resume`; everything else rank 0 does alone, and it
// alone writes and prints. Null: one process.
[[nodiscard]] Ending run_program(int argc, char** argv,
                                 const std::shared_ptr<internal::Ranks>& ranks);

}  // namespace chaosgrad::cli
