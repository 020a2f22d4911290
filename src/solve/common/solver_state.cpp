#include "chaosgrad/solution.h"

#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;
namespace {

template <class Value>
const Value& find(const std::map<std::string, Value>& entries, const std::string& name) {
  const auto found = entries.find(name);
  if (found == entries.end()) {
    throw InputError("resume", "the state holds no '" + name + "': it is that of another method");
  }
  return found->second;
}

}  // namespace

void SolverState::set_number(const std::string& name, double value) {
  arrays[name] = Coefficients::Constant(1, 1, value);
}

void SolverState::set_integer(const std::string& name, std::int64_t value) {
  integers[name] = {value};
}

const Coefficients& SolverState::array(const std::string& name) const { return find(arrays, name); }

double SolverState::number(const std::string& name) const {
  const Coefficients& value = array(name);
  if (value.size() != 1)
    throw InputError("resume", "the state's '" + name + "' is not a single number");
  return value(0, 0);
}

const std::vector<std::int64_t>& SolverState::integer_list(const std::string& name) const {
  return find(integers, name);
}

std::int64_t SolverState::integer(const std::string& name) const {
  const std::vector<std::int64_t>& value = integer_list(name);
  if (value.size() != 1)
    throw InputError("resume", "the state's '" + name + "' is not a single number");
  return value.front();
}

const std::string& SolverState::text(const std::string& name) const { return find(texts, name); }

}  // namespace chaosgrad
