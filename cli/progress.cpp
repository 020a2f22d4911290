#include "progress.h"
#include "io/json_numbers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace chaosgrad::cli {
using namespace internal;
namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// The share of the work that is done, as far as it is known: by iterations, or by how far the error
// has come down to its tolerance (on a logarithmic scale from 1), where the end is never certain.
double share_done(const Progress& progress) {
  if (progress.iterations > 0)
    return static_cast<double>(progress.iteration) / static_cast<double>(progress.iterations);
  if (!progress.error || !progress.tolerance || *progress.tolerance >= 1) return 0;
  return std::min(0.95, std::log(std::min(1.0, *progress.error)) / std::log(*progress.tolerance));
}

}  // namespace

ProgressStyle progress_style(const std::optional<ProgressStyle>& asked, bool quiet) {
  if (asked) return *asked;
  if (quiet) return ProgressStyle::none;
  return ::isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar : ProgressStyle::line;
}

std::string progress_text(const Progress& progress) {
  std::string text = progress.stage;
  if (progress.iterations > 0)
    text += fmt::format(" {}/{}", progress.iteration, progress.iterations);
  else
    text += fmt::format(", stage {}", progress.iteration);
  text += fmt::format("  m {}  samples {}  ", progress.basis_size, progress.samples);
  if (progress.error) {
    text += fmt::format("error {:.2e}", *progress.error);
    if (progress.tolerance) text += fmt::format(" of {:.0e}", *progress.tolerance);
  } else {
    text += fmt::format("gradient {:.2e}", progress.gradient_norm);
  }
  text += fmt::format("  {:.2g} gradients/s", progress.gradients_per_second);
  if (progress.seconds_left) text += fmt::format("  {} left", duration(*progress.seconds_left));
  return text;
}

std::string progress_json(const Progress& progress) {
  const Json json = {
      {"stage", progress.stage},
      {"iteration", progress.iteration},
      {"iterations", progress.iterations > 0 ? Json(progress.iterations) : Json(nullptr)},
      {"basis_size", progress.basis_size},
      {"samples", progress.samples},
      {"error", number(progress.error)},
      {"tolerance", number(progress.tolerance)},
      {"gradient_norm", number(progress.gradient_norm)},
      {"gradients", progress.gradients},
      {"gradients_per_second", number(progress.gradients_per_second)},
      {"seconds", number(progress.seconds)},
      {"seconds_left", number(progress.seconds_left)}};
  return json.dump();
}

ProgressDisplay::ProgressDisplay(ProgressStyle style)
    : style_(style), last_(std::chrono::steady_clock::now()) {}

void ProgressDisplay::show(const Progress& progress) {
  if (style_ == ProgressStyle::none || progress.iteration == 0) return;
  latest_ = progress;
  latest_->solution = nullptr;  // refers to what is gone by then
  seen_ = latest_;
  const auto now = std::chrono::steady_clock::now();
  const bool first = !drawn_ && style_ != ProgressStyle::line;
  const auto pause = style_ == ProgressStyle::line ? std::chrono::milliseconds(30'000)
                                                   : std::chrono::milliseconds(100);
  if (!first && now - last_ < pause) return;
  last_ = now;
  draw();
}

void ProgressDisplay::close(const std::string& what) {
  if (latest_ && style_ != ProgressStyle::bar) draw();
  if (!seen_ || style_ == ProgressStyle::none || style_ == ProgressStyle::line) return;
  latest_ = seen_;
  latest_->stage = what;
  draw();
}

void ProgressDisplay::draw() {
  if (style_ == ProgressStyle::bar) {
    constexpr int width = 20;
    const int filled = std::clamp(static_cast<int>(share_done(*latest_) * width), 0, width);
    fmt::print(stderr, "\r[{}{}] {}\033[K", std::string(static_cast<std::size_t>(filled), '#'),
               std::string(static_cast<std::size_t>(width - filled), '.'), progress_text(*latest_));
  } else if (style_ == ProgressStyle::json) {
    fmt::print(stderr, "{}\n", progress_json(*latest_));
  } else {
    fmt::print(stderr, "{}\n", progress_text(*latest_));
  }
  std::fflush(stderr);
  drawn_ = true;
  latest_.reset();
}

void ProgressDisplay::finish() {
  if (style_ == ProgressStyle::bar) {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  } else if (latest_) {
    draw();
  }
}

}  // namespace chaosgrad::cli
