#pragma once
// Exceptions on their way from one rank to the others, as doubles.
#include <exception>
#include <string>
#include <vector>

namespace chaosgrad::internal {

// Comes out of sums and lists of tasks when the deadline of the executor has passed.
struct DeadlinePassed {};

// Texts as doubles: their length, then eight bytes in each.
void flatten_text(const std::string& text, std::vector<double>& numbers);
[[nodiscard]] std::string unflatten_text(const double*& next);

// Of the errors of chaosgrad/error.h, DeadlinePassed and std::bad_alloc the type is kept, of all
// others the message.
void flatten_failure(const std::exception_ptr& failure, std::vector<double>& numbers);
[[nodiscard]] std::exception_ptr unflatten_failure(const double*& next);

}  // namespace chaosgrad::internal
