#pragma once
// What a run tells while it goes on, on standard error: a bar on a terminal, plain lines elsewhere,
// or JSON lines for programs.
#include <chrono>
#include <optional>
#include <string>

#include "chaosgrad/options.h"

namespace chaosgrad::cli {
using namespace internal;

// bar   one line that is drawn anew ten times a second
// line  a line every half minute, and one at the end
// json  a JSON object per line, ten times a second and one at the end
enum class ProgressStyle { none, bar, line, json };

// The asked style; by default a bar on a terminal and a line elsewhere, nothing if `quiet`.
[[nodiscard]] ProgressStyle progress_style(const std::optional<ProgressStyle>& asked, bool quiet);

[[nodiscard]] std::string progress_text(const Progress& progress);
[[nodiscard]] std::string progress_json(const Progress& progress);

class ProgressDisplay {
 public:
  explicit ProgressDisplay(ProgressStyle style);
  ~ProgressDisplay() { finish(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const Progress& progress);
  // What is done after the solve: the bar and JSON lines say so.
  void close(const std::string& what);
  // Clears the bar, or tells the last state.
  void finish();

 private:
  void draw();

  ProgressStyle style_;
  std::optional<Progress> latest_;  // not yet shown
  std::optional<Progress> seen_;    // the last one of all
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace chaosgrad::cli
