#pragma once
// A model behind a server that speaks UM-Bridge 1.0: JSON over HTTP, docs/models.md. F has the
// inputs [x, θ, v], or [x, θ] without noise, and one output with one number.
#include <memory>
#include <string>

#include "io/models/model_call.h"
#include "problem/external_problem.h"

namespace chaosgrad::internal {

struct HttpModel {
  std::string url;            // http://host:port
  std::string model;          // its name there
  std::string config = "{}";  // JSON that goes with every request
};

// Does not call anybody yet; throws InputError for a url that is none.
[[nodiscard]] std::unique_ptr<const ModelAddress> http_address(const HttpModel& model,
                                                               const ExternalSizes& sizes,
                                                               const ModelLimits& limits);

}  // namespace chaosgrad::internal
