#pragma once
// Tables of numbers with a header line, separated by commas.
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct CsvTable {
  std::vector<std::string> columns;
  Matrix rows;                                              // rows × columns
  [[nodiscard]] Index column(std::string_view name) const;  // −1: no such column
};

// Throws PlacedError with file, line and column.
[[nodiscard]] CsvTable parse_csv(std::string_view text, const std::string& file);
// The same from a file; throws IoError if it cannot be read.
[[nodiscard]] CsvTable read_csv(const std::string& path);
// Numbers only, no header.
[[nodiscard]] Matrix parse_csv_matrix(std::string_view text, const std::string& file);

}  // namespace chaosgrad::internal
