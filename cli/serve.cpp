#include <fmt/format.h>

#include <csignal>
#include <memory>

#include "io/models/expansion_server.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct ServeArguments {
  std::string directory, address = "127.0.0.1";
  int port = 4242;
  bool anyway = false;
};

int run_serve(const ServeArguments& arguments) {
  const StoredRun run = open_answer(arguments.directory, arguments.anyway);
  ExpansionServer server(run.solution.expansion);
  const int port = server.bind(arguments.address, arguments.port);
  fmt::print("x*(theta) of {} as the UM-Bridge model \"{}\" at http://{}:{}; Ctrl-C ends\n",
             arguments.directory, ExpansionServer::model_name, arguments.address, port);
  std::fflush(stdout);
  server.serve();
  return exit_solved;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command = app.add_subcommand(
      "serve", "Offer x*(theta) of a finished run as a UM-Bridge model, over HTTP");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("--port", arguments->port, "where to listen; 0: any free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--bind", arguments->address,
                   "address to listen at; the default is for programs on this machine only")
      ->capture_default_str();
  add_anyway(*command, arguments->anyway);
  command->callback([arguments, &exit_code] { exit_code = run_serve(*arguments); });
}

}  // namespace chaosgrad::cli
