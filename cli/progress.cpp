#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace chaosgrad::cli {

ProgressBar::ProgressBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(const Progress& progress) {
  if (!active_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 24;
  const double done =
      static_cast<double>(progress.iteration) / static_cast<double>(progress.iterations);
  const int filled = std::clamp(static_cast<int>(done * width), 0, width);
  const double left = done > 0 ? progress.seconds * (1 - done) / done : 0;
  const std::string error = progress.error ? fmt::format("error {:.2e}", *progress.error)
                                           : fmt::format("gradient {:.2e}", progress.gradient_norm);
  fmt::print(stderr, "\r[{}{}] {}/{}  m {}  {}  {:.0f} s left\033[K",
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(width - filled), '.'), progress.iteration,
             progress.iterations, progress.basis_size, error, left);
  std::fflush(stderr);
}

}  // namespace chaosgrad::cli
