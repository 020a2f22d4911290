#pragma once
// x*(θ) as a model that others can call: a UM-Bridge 1.0 server with one model, whose input is θ and
// whose output is x. Evaluate, Gradient and ApplyJacobian.
#include <memory>
#include <string>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

class ExpansionServer {
 public:
  static constexpr const char* model_name = "optimum";

  // Refers to the expansion, which must outlive it.
  explicit ExpansionServer(const Expansion& expansion);
  ~ExpansionServer();

  // Takes the port, or any free one for 0, and returns it. Throws IoError.
  [[nodiscard]] int bind(const std::string& address, int port);
  // Answers until the program ends.
  void serve();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace chaosgrad::internal
