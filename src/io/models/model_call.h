#pragma once
// One call of a model that runs elsewhere, whatever the way to it.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "chaosgrad/error.h"
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct ModelRequest {
  Vector x, theta, v;
  bool value = false;  // F is wanted; otherwise ∇ₓF
};

// What came back; a way may give more than it was asked for. Numbers that are not finite are left
// to whoever asked.
struct ModelAnswer {
  std::optional<double> value = {};
  std::optional<Vector> gradient = {};
};

// This call failed; another try, or another point, may not.
class CallFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A way to the model, used by one thread at a time. Throws CallFailed, ModelAbsent, or InputError
// where the model is another one than the problem needs.
class ModelChannel {
 public:
  virtual ~ModelChannel() = default;
  [[nodiscard]] virtual ModelAnswer call(const ModelRequest& request) = 0;
};

// How many numbers it takes, and how long to be patient.
struct ModelLimits {
  double timeout = 600;  // seconds for one answer
  int retries = 2;       // of a call that failed
  int parallel = 4;      // calls under way at a time
};

// A model as the problem file names it.
class ModelAddress {
 public:
  virtual ~ModelAddress() = default;
  [[nodiscard]] virtual std::unique_ptr<ModelChannel> open() const = 0;
  // Whether F can be asked for; throws as calls do. Empty: the first answer will tell.
  [[nodiscard]] virtual std::optional<bool> offers_value() const = 0;
  // For messages, and to tell whose evaluations a log holds.
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace chaosgrad::internal
