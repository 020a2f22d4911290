#pragma once
// Every statistic of an output on one line: its name, where it stands in OutputStatistics and, for
// single numbers, its value on a sample and its error bar. JSON, tables of text and docs/file.md
// read from it.
#include <string_view>
#include <variant>
#include <vector>

#include "chaosgrad/statistics.h"
#include "solution/statistics/propagate.h"

namespace chaosgrad::internal {

enum class StatisticShape { number, per_level, histogram, per_parameter, per_pair };

// A sample of one output.
struct OutputSample {
  const ShapeMoments& shape;
  const Vector& sorted;
};
// What is known about the error of one output.
struct OutputError {
  const Propagated& propagated;
  const Vector& sorted;  // a sample of it
  double confidence;
};

// How a number is found by sampling. Means over several samples are taken of `value`; `finish`
// makes the statistic from that mean.
struct SampledNumber {
  double (*value)(const OutputSample&);
  double (*bar)(const OutputError&);  // beyond the error of the sampling
  double (*finish)(double) = [](double mean) { return mean; };
};

struct StatisticEntry {
  std::string_view key;    // in JSON,
  std::string_view group;  // inside this object, or directly if empty
  std::string_view title;  // in tables of text
  StatisticShape shape;
  std::variant<Estimate OutputStatistics::*, std::vector<Estimate> OutputStatistics::*,
               Histogram OutputStatistics::*>
      member;
  std::string_view meaning;
  SampledNumber sampled = {};  // of numbers only
};
[[nodiscard]] const std::vector<StatisticEntry>& statistic_table();

// The single numbers among them, in the same order.
struct NumberEntry {
  Estimate OutputStatistics::*member;
  SampledNumber sampled;
};
[[nodiscard]] const std::vector<NumberEntry>& number_statistics();
// Its place among them.
[[nodiscard]] Index number_column(Estimate OutputStatistics::*member);

}  // namespace chaosgrad::internal
