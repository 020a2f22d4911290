#include "io/models/model_json.h"

#include <algorithm>
#include <array>

namespace chaosgrad::internal {

nlohmann::json parse_answer(std::string_view text) {
  constexpr std::array<std::string_view, 8> words = {"-Infinity", "Infinity", "-NaN", "NaN",
                                                     "-nan",      "nan",      "-inf", "inf"};
  std::string plain;
  bool quoted = false, escaped = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto word = quoted ? words.end() : std::ranges::find_if(words, [&](std::string_view one) {
      return text.substr(i, one.size()) == one;
    });
    if (word != words.end()) {
      plain += "null";
      i += word->size();
      continue;
    }
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = c == '\\' && !escaped;
    plain += c;
    ++i;
  }
  return nlohmann::json::parse(plain, nullptr, false);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 80;
  return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + " …";
}

}  // namespace chaosgrad::internal
