#include "io/problem_file/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "io/problem_file/source.h"

namespace chaosgrad::internal {
namespace {

struct Field {
  std::string text;
  Index column = 1;  // where it begins in its line
};

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<Field> split_line(std::string_view line) {
  std::vector<Field> fields;
  std::size_t i = 0;
  while (true) {
    Field field{.text = {}, .column = static_cast<Index>(i) + 1};
    bool quoted = false;
    for (; i < line.size() && (quoted || line[i] != ','); ++i) {
      if (line[i] == '"') {
        quoted = !quoted;
      } else {
        field.text += line[i];
      }
    }
    field.text = trim(field.text);
    fields.push_back(std::move(field));
    if (i >= line.size()) return fields;
    ++i;
  }
}

struct Line {
  std::vector<Field> fields;
  Index number = 0;
};

std::vector<Line> split(std::string_view text) {
  std::vector<Line> lines;
  for (Index number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trim(text.substr(0, end));
    if (!line.empty()) lines.push_back({split_line(line), number});
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

double field_value(const Field& field, const Line& line, const std::string& file,
                   std::string_view text) {
  double value = 0;
  const char* end = field.text.data() + field.text.size();
  const auto [rest, error] = std::from_chars(field.text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    throw PlacedError({file, line.number, field.column},
                      fmt::format("expected a number, found '{}'", field.text), text);
  }
  return value;
}

Matrix row_values(const std::vector<Line>& lines, std::size_t first, std::size_t columns,
                  const std::string& file, std::string_view text) {
  Matrix rows(static_cast<Index>(lines.size() - first), static_cast<Index>(columns));
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (lines[i].fields.size() != columns) {
      throw PlacedError(
          {file, lines[i].number, 1},
          fmt::format("expected {} fields, found {}", columns, lines[i].fields.size()), text);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      rows(static_cast<Index>(i - first), static_cast<Index>(j)) =
          field_value(lines[i].fields[j], lines[i], file, text);
    }
  }
  return rows;
}

}  // namespace

Index CsvTable::column(std::string_view name) const {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j] == name) return static_cast<Index>(j);
  }
  return -1;
}

CsvTable parse_csv(std::string_view text, const std::string& file) {
  const std::vector<Line> lines = split(text);
  if (lines.size() < 2)
    throw PlacedError({file, 1, 1}, "expected a header line and at least one row of numbers");
  CsvTable table;
  for (const Field& field : lines[0].fields) {
    if (field.text.empty() || table.column(field.text) >= 0) {
      throw PlacedError({file, lines[0].number, field.column},
                        field.text.empty() ? "expected a column name"
                                           : "the column name '" + field.text + "' is used twice",
                        text);
    }
    table.columns.push_back(field.text);
  }
  table.rows = row_values(lines, 1, table.columns.size(), file, text);
  return table;
}

CsvTable read_csv(const std::string& path) { return parse_csv(read_file(path), path); }

Matrix parse_csv_matrix(std::string_view text, const std::string& file) {
  const std::vector<Line> lines = split(text);
  if (lines.empty()) throw PlacedError({file, 1, 1}, "expected numbers, found an empty file");
  return row_values(lines, 0, lines[0].fields.size(), file, text);
}

}  // namespace chaosgrad::internal
