#pragma once
// Ready problems that travel inside the program.
#include <string_view>
#include <utility>
#include <vector>

namespace chaosgrad::internal {

struct GalleryProblem {
  std::string_view name;
  std::string_view text;  // the problem file
  std::vector<std::pair<std::string_view, std::string_view>>
      files;  // data files it refers to, by relative name
};

[[nodiscard]] const std::vector<GalleryProblem>& gallery();

}  // namespace chaosgrad::internal
