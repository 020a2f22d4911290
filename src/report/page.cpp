#include "report/page.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "report/markup.h"

namespace chaosgrad::internal {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string base64(const void* data, std::size_t size) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t count = std::min<std::size_t>(3, size - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= count ? letters[group >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

// Rows of a history that a chart can tell apart: evenly spaced ones, and evenly spaced logarithms.
std::set<std::size_t> rows_to_show(std::size_t count) {
  constexpr std::size_t most = 500;
  std::set<std::size_t> rows;
  for (std::size_t j = 0; j < std::min(most, count); ++j) {
    const double share = count <= most ? 0 : static_cast<double>(j) / (most - 1);
    const auto last = static_cast<double>(count - 1);
    rows.insert(count <= most ? j : static_cast<std::size_t>(std::lround(share * last)));
    rows.insert(count <= most ? j : static_cast<std::size_t>(std::pow(last, share)));
  }
  return rows;
}

}  // namespace

std::string packed(const std::vector<double>& values) {
  return base64(values.data(), values.size() * sizeof(double));
}

std::string packed(const std::vector<std::uint16_t>& values) {
  return base64(values.data(), values.size() * sizeof(std::uint16_t));
}

std::string page_html(std::string_view title, const Json& data) {
  // Inside a script element only "<" could end the data; in JSON it stands in strings alone.
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string harmless;
  harmless.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      harmless += "\\u003c";
    else
      harmless += c;
  }
  const PageFrame& frame = page_frame();
  std::string page;
  page.reserve(frame.opening.size() + frame.middle.size() + frame.ending.size() + harmless.size() +
               256);
  page += frame.opening;
  page += escaped(title);
  page += frame.middle;
  page += harmless;
  page += frame.ending;
  return page;
}

Json history_data(const std::vector<IterationRecord>& history) {
  const std::set<std::size_t> rows = rows_to_show(history.size());
  Json columns = Json::object();
  const auto column = [&](const char* name, auto value) {
    Json values = Json::array();
    bool known = false;
    for (const std::size_t row : rows) {
      values.push_back(number(value(history[row])));
      known = known || !values.back().is_null();
    }
    if (known) columns[name] = std::move(values);
  };
  column("k", [](const IterationRecord& r) { return static_cast<double>(r.k); });
  column("basis_size", [](const IterationRecord& r) { return static_cast<double>(r.basis_size); });
  column("samples", [](const IterationRecord& r) { return static_cast<double>(r.samples); });
  column("step", [](const IterationRecord& r) { return r.step; });
  column("gradients", [](const IterationRecord& r) { return static_cast<double>(r.gradients); });
  column("seconds", [](const IterationRecord& r) { return r.seconds; });
  column("gradient_norm", [](const IterationRecord& r) { return r.gradient_norm; });
  column("error_squared", [](const IterationRecord& r) { return r.error_squared; });
  column("true_error", [](const IterationRecord& r) { return r.true_error; });
  column("estimate", [](const IterationRecord& r) { return r.estimate; });
  column("basis", [](const IterationRecord& r) { return r.basis; });
  column("sampling", [](const IterationRecord& r) { return r.sampling; });
  column("optimisation", [](const IterationRecord& r) { return r.optimisation; });
  column("bound", [](const IterationRecord& r) { return r.bound; });
  return columns;
}

}  // namespace chaosgrad::internal
