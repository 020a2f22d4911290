#include "report/report.h"

#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;

void add_report(CLI::App& app, int& exit_code) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("report", "Write report.html of a finished run again");
  command->add_option("DIR", *directory, "folder of the run")->required();
  command->callback([directory, &exit_code] {
    const StoredRun run = open_run(*directory);
    const Record record = run.record();
    write_report(*directory, record, run.summary, make_digest(record));
    fmt::print("{}/report.html\n", *directory);
    exit_code = exit_solved;
  });
}

}  // namespace chaosgrad::cli
