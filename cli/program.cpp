#include "program.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <sstream>

#include "chaosgrad/chaosgrad.h"
#include "io/problem_file/problem_file.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

void add_commands(CLI::App& app, int& exit_code, const std::shared_ptr<Ranks>& ranks) {
  add_solve(app, exit_code, ranks);
  add_resume(app, exit_code, ranks);
  add_check(app, exit_code);
  add_eval(app, exit_code);
  add_stats(app, exit_code);
  add_sample(app, exit_code);
  add_verify(app, exit_code);
  add_compare(app, exit_code);
  add_report(app, exit_code);
  add_serve(app, exit_code);
  add_export(app, exit_code);
  add_gallery(app, exit_code);
  add_reproduce(app, exit_code);
  if (!ranks || ranks->is_first()) return;
  for (CLI::App* command : app.get_subcommands({})) {  // rank 0 does these alone
    if (command->get_name() != "solve" && command->get_name() != "resume") command->callback([] {});
  }
}

// The exit code of what was thrown, and its message.
Ending ending_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const IoError& io) {
    return {exit_io, io.what()};
  } catch (const FailedRun& failed) {
    return {exit_numerical, failed.what()};
  } catch (const std::bad_alloc&) {
    return {exit_numerical, "out of memory"};
  } catch (
      const std::exception& input) {  // PlacedError, InputError, FormulaError: as the user wrote
    return {exit_bad_input, input.what()};
  }
}

}  // namespace

Ending run_program(int argc, char** argv, const std::shared_ptr<Ranks>& ranks) {
  const bool speaks = !ranks || ranks->is_first();
  CLI::App app{"The optimum of an uncertain problem, as a function of the uncertainty.",
               "chaosgrad"};
  app.set_version_flag("--version", std::string(version()));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 solved to tolerance, or all the asked iterations done; 1 stopped early "
      "(budget, time, signal), the result is usable; 2 bad input; 3 numerical failure (also: a "
      "failed run is asked for its answer), or an error estimate that `verify` finds too small; 4 "
      "files cannot be read or written.");
  int exit_code = exit_solved;
  add_commands(app, exit_code, ranks);
  try {
    app.parse(argc, argv);
    return {exit_code};
  } catch (const CLI::ParseError& error) {
    std::ostringstream unheard;
    const int code = speaks ? app.exit(error) : app.exit(error, unheard, unheard);
    return {code == 0 ? exit_solved : exit_bad_input};
  } catch (...) {
    Ending ending = ending_of(std::current_exception());
    if (speaks) fmt::print(stderr, "error: {}\n", ending.error);
    return ending;
  }
}

}  // namespace chaosgrad::cli
