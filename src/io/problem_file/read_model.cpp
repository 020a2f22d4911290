// A model that runs elsewhere: [objective] with server or command.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "io/models/http_model.h"
#include "io/models/process_model.h"
#include "io/models/remote_model.h"
#include "io/problem_file/read_problem.h"

namespace chaosgrad::internal {
namespace {

ModelLimits read_limits(const TomlDocument& document, const toml::table& objective) {
  ModelLimits limits;
  const auto whole = [&](const char* key, Index least, Index most, int& target) {
    const toml::node* node = objective.get(key);
    if (!node) return;
    const Index value = document.integer(*node, fmt::format("objective.{}", key));
    if (value < least || value > most)
      document.fail(*node, fmt::format("objective.{}: expected a number from {} to {}, found {}",
                                       key, least, most, value));
    target = static_cast<int>(value);
  };
  whole("parallel", 1, 256, limits.parallel);
  whole("retries", 0, 100, limits.retries);
  if (const toml::node* node = objective.get("timeout")) {
    limits.timeout = document.number(*node, "objective.timeout");
    if (!(limits.timeout > 0 && limits.timeout < 1e6))
      document.fail(*node, fmt::format("objective.timeout: expected seconds above 0, found {}",
                                       limits.timeout));
  }
  return limits;
}

std::string text_or(const TomlDocument& document, const toml::table& objective, const char* key,
                    const std::string& otherwise) {
  const toml::node* node = objective.get(key);
  return node ? document.string(*node, fmt::format("objective.{}", key)) : otherwise;
}

std::string read_config(const TomlDocument& document, const toml::table& objective) {
  const toml::node* node = objective.get("config");
  if (!node) return "{}";
  std::ostringstream text;
  text << toml::json_formatter{document.table(*node, "objective.config")};
  return text.str();
}

}  // namespace

bool names_model(const TomlDocument& document) {
  const toml::table* objective = document.section("objective");
  return objective && (objective->get("server") || objective->get("command"));
}

std::string model_fingerprint(const TomlDocument& document, const ProblemSource& source) {
  toml::table root = document.root();
  for (const char* section : {"title", "solve", "quantities", "reference"}) root.erase(section);
  for (auto&& [name, parameter] : *root["parameters"].as_table())
    parameter.as_table()->erase("basis");
  for (const char* key : {"parallel", "timeout", "retries"})
    root["objective"].as_table()->erase(key);
  std::ostringstream text;
  text << toml::json_formatter{root};
  for (const auto& [name, content] : source.files) text << name << '\n' << content;
  return text.str();
}

std::shared_ptr<RemoteModel> read_model(const TomlDocument& document, const ProblemSource& source,
                                        const ExternalSizes& sizes) {
  const toml::table& objective = *document.section("objective");
  const ModelLimits limits = read_limits(document, objective);
  const toml::node* command = objective.get("command");
  const toml::node* server = objective.get("server");
  if (command && server)
    document.fail(*command,
                  "objective.command: the model is a server already; expected one of both");
  if (command) {
    for (const char* key : {"model", "config"}) {
      if (const toml::node* node = objective.get(key))
        document.fail(*node,
                      fmt::format("objective.{}: belongs to a server, not to a command", key));
    }
    const ProcessModel model{document.string(*command, "objective.command"),
                             std::filesystem::path(source.name).parent_path().string()};
    return std::make_shared<RemoteModel>(process_address(model, sizes, limits), limits);
  }
  const HttpModel model{document.string(*server, "objective.server"),
                        text_or(document, objective, "model", "F"),
                        read_config(document, objective)};
  return std::make_shared<RemoteModel>(http_address(model, sizes, limits), limits);
}

}  // namespace chaosgrad::internal
