#pragma once
// The page that every report is: a fixed frame (src/report/page, packed into the program by
// cmake/embed_page.py) around a title and one block of data that its scripts draw.
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/solution.h"
#include "io/json_numbers.h"

namespace chaosgrad::internal {

// The frame: opening, title, middle, data, ending. The content security policy in it allows the two
// scripts that it holds, by their hashes, and nothing from elsewhere.
struct PageFrame {
  std::string_view opening, middle, ending;
};
[[nodiscard]] const PageFrame& page_frame();  // defined by cmake/embed_page.py

// The whole page. Title and data may hold any text: none of it can become markup.
[[nodiscard]] std::string page_html(std::string_view title, const Json& data);

// Numbers as text that the page reads quickly and without rounding: base64 of their bytes, the
// lowest first.
[[nodiscard]] std::string packed(const std::vector<double>& values);
[[nodiscard]] std::string packed(const std::vector<std::uint16_t>& values);

// The history as columns by name, null where a value is not known; at most about a thousand rows,
// dense at the beginning as a logarithmic axis wants them.
[[nodiscard]] Json history_data(const std::vector<IterationRecord>& history);

}  // namespace chaosgrad::internal
