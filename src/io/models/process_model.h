#pragma once
// A model that is a program on this machine. It reads one JSON object per line,
//   {"x": [...], "theta": [...], "noise": [...]}
// and answers each with a line {"value": …, "gradient": [...]}, of which the value may be missing.
#include <memory>
#include <string>

#include "io/models/model_call.h"
#include "problem/external_problem.h"

namespace chaosgrad::internal {

struct ProcessModel {
  std::string command;    // as a shell reads it
  std::string directory;  // where it runs; empty: here
};

// Each channel is a process of its own, started when it is first called and again where it died.
[[nodiscard]] std::unique_ptr<const ModelAddress> process_address(const ProcessModel& model,
                                                                  const ExternalSizes& sizes,
                                                                  const ModelLimits& limits);

}  // namespace chaosgrad::internal
