#pragma once
// Every evaluation of a model that was paid for, by its inputs.
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "chaosgrad/types.h"
#include "problem/external_problem.h"

namespace chaosgrad::internal {

// What is known at one (x, θ, v). `failed_…`: it was asked for, and did not come.
struct Evaluation {
  Vector x, theta, v;
  std::optional<double> value = {};
  std::optional<Vector> gradient = {};
  bool failed_value = false, failed_gradient = false;
  auto members() { return std::tie(x, theta, v, value, gradient, failed_value, failed_gradient); }
};

// Thread-safe. Inputs are the same only if all their bits are.
class EvaluationTable {
 public:
  [[nodiscard]] std::optional<Evaluation> find(const Vector& x, const Vector& theta,
                                               const Vector& v) const;
  // Adds what the evaluation knows to what is there; a success takes the place of a failure. Tells
  // the observer, in the order of calls.
  void add(const Evaluation& evaluation);
  // Is told of all that add() gets from now on.
  void observe(std::function<void(const Evaluation&)> observer);
  [[nodiscard]] std::vector<Evaluation> all() const;  // in the order in which they came
  [[nodiscard]] Index size() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Evaluation> list_;
  std::function<void(const Evaluation&)> observer_;
};

}  // namespace chaosgrad::internal
