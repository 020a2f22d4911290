#include "parallel/failure.h"

#include <cstring>
#include <new>
#include <stdexcept>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

enum class Kind { other, deadline, memory, input, absent, io };

struct Described {
  Kind kind = Kind::other;
  std::string text = "an unknown error", field = {};
};

Described describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const DeadlinePassed&) {
    return {Kind::deadline, {}};
  } catch (const std::bad_alloc&) {
    return {Kind::memory, {}};
  } catch (const InputError& error) {
    return {Kind::input, error.message(), error.field()};
  } catch (const ModelAbsent& error) {
    return {Kind::absent, error.what()};
  } catch (const IoError& error) {
    return {Kind::io, error.what()};
  } catch (const std::exception& error) {
    return {Kind::other, error.what()};
  } catch (...) {
    return {};
  }
}

}  // namespace

void flatten_text(const std::string& text, std::vector<double>& numbers) {
  const std::size_t first = numbers.size() + 1;
  numbers.push_back(static_cast<double>(text.size()));
  numbers.resize(first + (text.size() + 7) / 8);
  std::memcpy(numbers.data() + first, text.data(), text.size());
}

std::string unflatten_text(const double*& next) {
  const auto size = static_cast<std::size_t>(*next++);
  std::string text(size, ' ');
  std::memcpy(text.data(), next, size);
  next += (size + 7) / 8;
  return text;
}

void flatten_failure(const std::exception_ptr& failure, std::vector<double>& numbers) {
  const Described described = describe(failure);
  numbers.push_back(static_cast<double>(described.kind));
  flatten_text(described.text, numbers);
  flatten_text(described.field, numbers);
}

std::exception_ptr unflatten_failure(const double*& next) {
  const auto kind = static_cast<Kind>(*next++);
  const std::string text = unflatten_text(next), field = unflatten_text(next);
  switch (kind) {
    case Kind::deadline:
      return std::make_exception_ptr(DeadlinePassed{});
    case Kind::memory:
      return std::make_exception_ptr(std::bad_alloc{});
    case Kind::input:
      return std::make_exception_ptr(InputError(field, text));
    case Kind::absent:
      return std::make_exception_ptr(ModelAbsent(text));
    case Kind::io:
      return std::make_exception_ptr(IoError(text));
    default:
      return std::make_exception_ptr(std::runtime_error(text));
  }
}

}  // namespace chaosgrad::internal
