#include "report/report.h"

#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "io/summary.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;

void add_report(CLI::App& app, int& exit_code) {
  struct Arguments {
    std::string directory, components;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("report", "Write report.html of a finished run again");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  add_components(*command, arguments->components);
  command->callback([arguments, &exit_code] {
    const StoredRun run = open_run(arguments->directory);
    const Record record = run.record();
    if (arguments->components.empty()) {
      write_report(arguments->directory, record, run.summary, make_digest(record));
    } else {
      const Digest digest = make_digest(*shown_record(record, arguments->components));
      write_report(arguments->directory, record, full_summary(record, digest), digest);
    }
    fmt::print("{}/report.html\n", arguments->directory);
    exit_code = exit_solved;
  });
}

}  // namespace chaosgrad::cli
