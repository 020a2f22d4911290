// chaosgrad: the solution map of an uncertain optimisation problem, from the command line.
#include <fmt/format.h>

#include <cstdio>

#include "chaosgrad/chaosgrad.h"
#include "commands.h"
#include "io/problem_file/problem_file.h"

int main(int argc, char** argv) {
  using namespace chaosgrad;
  using namespace chaosgrad::internal;
  CLI::App app{"The optimum of an uncertain problem, as a function of the uncertainty.",
               "chaosgrad"};
  app.set_version_flag("--version", std::string(version()));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 solved to tolerance, or all the asked iterations done; 1 stopped early "
      "(budget, time, signal), the result is usable; 2 bad input; 3 numerical failure (also: a "
      "failed run is asked for its answer), or an error estimate that `verify` finds too small; 4 "
      "files cannot be read or written.");
  int exit_code = cli::exit_solved;
  cli::add_solve(app, exit_code);
  cli::add_resume(app, exit_code);
  cli::add_check(app, exit_code);
  cli::add_eval(app, exit_code);
  cli::add_stats(app, exit_code);
  cli::add_sample(app, exit_code);
  cli::add_verify(app, exit_code);
  cli::add_compare(app, exit_code);
  cli::add_report(app, exit_code);
  cli::add_serve(app, exit_code);
  cli::add_export(app, exit_code);
  cli::add_gallery(app, exit_code);
  cli::add_reproduce(app, exit_code);
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::exit_solved : cli::exit_bad_input;
  } catch (const IoError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return cli::exit_io;
  } catch (const cli::FailedRun& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return cli::exit_numerical;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: out of memory\n");
    return cli::exit_numerical;
  } catch (
      const std::exception& error) {  // PlacedError, InputError, FormulaError: what the user wrote
    fmt::print(stderr, "error: {}\n", error.what());
    return cli::exit_bad_input;
  }
}
