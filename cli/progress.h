#pragma once
// A progress bar on one line of a terminal.
#include <chrono>

#include "chaosgrad/options.h"

namespace chaosgrad::cli {

class ProgressBar {
 public:
  // Shows nothing unless `wanted` and standard error is a terminal.
  explicit ProgressBar(bool wanted);
  ~ProgressBar();  // clears the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);

 private:
  bool active_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace chaosgrad::cli
