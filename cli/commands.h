#pragma once
// The commands of the program; each adds itself to the command line.
#include <CLI/CLI.hpp>

#include <memory>
#include <stdexcept>

#include "parallel/ranks.h"

namespace chaosgrad::cli {

// Exit codes.
inline constexpr int exit_solved = 0;  // solved, or all the asked iterations done
inline constexpr int exit_stopped =
    1;  // stopped early (budget, time, signal); the result is usable
inline constexpr int exit_bad_input = 2;  // the input is wrong
inline constexpr int exit_numerical = 3;  // numerical failure
inline constexpr int exit_io = 4;         // a file cannot be read or written

// A run that failed is asked for its answer: exit_numerical.
class FailedRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each adds a subcommand that sets `exit_code` when it runs. Those with ranks run on all of them.
void add_solve(CLI::App& app, int& exit_code, const std::shared_ptr<internal::Ranks>& ranks);
void add_resume(CLI::App& app, int& exit_code, const std::shared_ptr<internal::Ranks>& ranks);
void add_check(CLI::App& app, int& exit_code);
void add_eval(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_gallery(CLI::App& app, int& exit_code);
void add_reproduce(CLI::App& app, int& exit_code);
void add_stats(CLI::App& app, int& exit_code);
void add_sample(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);

}  // namespace chaosgrad::cli
