#pragma once
// What a solver needs to go on from where it stopped, beyond the Run itself: named arrays, kept to
// the bit. A solver fills one for each checkpoint and at its end, and reads it back on resumption;
// who stores it need not know what it means. Random numbers are pure functions of (seed, stream,
// sample), so their whole state is the seed and the counters put here.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad {

struct SolverState {
  std::map<std::string, Coefficients> arrays;
  std::map<std::string, std::vector<std::int64_t>> integers;
  std::map<std::string, std::string> texts;

  [[nodiscard]] bool empty() const { return arrays.empty() && integers.empty() && texts.empty(); }

  void set_number(const std::string& name, double value);  // a 1×1 array
  void set_integer(const std::string& name, std::int64_t value);

  // All throw InputError("resume", …) if there is no such entry.
  [[nodiscard]] const Coefficients& array(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::vector<std::int64_t>& integer_list(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;
};

}  // namespace chaosgrad
