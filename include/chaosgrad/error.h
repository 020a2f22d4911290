#pragma once
// Errors that a user can cause. Numerical trouble is a status of the result, never an exception.
#include <stdexcept>
#include <string>
#include <utility>

#include "chaosgrad/types.h"

namespace chaosgrad {

// A bad argument. `field` names it as the user wrote it ("parameters.theta.lower", "samples"), or
// is empty.
class InputError : public std::invalid_argument {
 public:
  InputError(std::string field, const std::string& message)
      : std::invalid_argument(field.empty() ? message : field + ": " + message),
        field_(std::move(field)),
        message_(message) {}
  [[nodiscard]] const std::string& field() const { return field_; }
  [[nodiscard]] const std::string& message() const { return message_; }  // without the field

 private:
  std::string field_;
  std::string message_;
};

// Where a node was written: bytes [begin, end) of text number `text` (the caller numbers its texts;
// −1: nowhere).
struct SourceSpan {
  int text = -1;
  Index begin = 0, end = 0;
};

// A formula that cannot be understood. what() is the message without a place: what was found, what
// was expected, and a nearest-name suggestion for unknown names.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(const std::string& message, SourceSpan span)
      : std::runtime_error(message), span_(span) {}
  [[nodiscard]] SourceSpan span() const { return span_; }

 private:
  SourceSpan span_;
};

// A file cannot be read or written.
class IoError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A model that runs elsewhere is not there at all: nothing is said about the point.
class ModelAbsent : public IoError {
  using IoError::IoError;
};

}  // namespace chaosgrad
