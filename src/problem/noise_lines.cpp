#include "problem/noise_lines.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {

// Ends of an interval at the zero of another kink are looked at this far inside, relative.
constexpr double inside = 1e-10;
// Zeros are known when a step is shorter than this, relative to 1 + |t|.
constexpr double zero_accuracy = 1e-14;
constexpr int most_steps = 120;

struct Query {
  Index line;
  double t;
};

// Values of one kink at points of lines, a block at a time.
class KinkValues {
 public:
  KinkValues(const NoiseShape& shape, const NoiseCoordinate& along, const Block& x,
             const Block& theta, const NoisePoints& points)
      : shape_(shape), along_(along), x_(x), theta_(theta), points_(points) {}

  [[nodiscard]] std::vector<double> at(Index kink, const std::vector<Query>& queries) const {
    const auto count = static_cast<Index>(queries.size());
    const Index most = std::min(block_size, count);
    Matrix x(most, x_.cols()), theta(most, theta_.cols()), noise(most, points_.noise.cols()),
        s(most, static_cast<Index>(shape_.kinks.size()));
    std::vector<double> values(queries.size());
    for (Index first = 0; first < count; first += most) {
      const Index n = std::min(most, count - first);
      for (Index i = 0; i < n; ++i) {
        const Query& query = queries[static_cast<std::size_t>(first + i)];
        const Index row = points_.rows[static_cast<std::size_t>(query.line)];
        x.row(i) = x_.row(row);
        theta.row(i) = theta_.row(row);
        noise.row(i) = points_.noise.row(query.line);
        noise(i, along_.axis) = uniform_at(along_.chart, query.t);
      }
      shape_.switching(x.topRows(n), theta.topRows(n), noise.topRows(n), s.topRows(n));
      for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(first + i)] = s(i, kink);
    }
    return values;
  }

 private:
  const NoiseShape& shape_;
  const NoiseCoordinate& along_;
  const Block& x_;
  const Block& theta_;
  const NoisePoints& points_;
};

// A change of sign between a and b on a line.
struct Bracket {
  Index line;
  double a, b, f_a, f_b;
  double t = 0, before = 0;  // the last two places
  int step = 0, moved = 0;   // which end the last step moved
  bool done = false;

  // Where to look next: the secant with Illinois' rule, and a bisection every third time.
  void choose() {
    before = t;
    t = b - f_b * (b - a) / (f_b - f_a);
    if (++step % 3 == 0 || !(t > a && t < b)) t = 0.5 * (a + b);
    done = step > 1 && step % 3 != 0 && std::abs(t - before) <= zero_accuracy * (1 + std::abs(t));
    if (b - a <= zero_accuracy * (1 + std::abs(t)) || step > most_steps) done = true;
  }
  void see(double f) {
    if (f == 0 || std::isnan(f)) {
      done = true;
    } else if ((f > 0) == (f_b > 0)) {
      b = t;
      f_b = f;
      if (moved == 1) f_a *= 0.5;
      moved = 1;
    } else {
      a = t;
      f_a = f;
      if (moved == -1) f_b *= 0.5;
      moved = -1;
    }
  }
};

void solve(Index kink, const KinkValues& values, std::vector<Bracket>& brackets) {
  std::vector<Query> queries;
  std::vector<std::size_t> open;
  for (;;) {
    queries.clear();
    open.clear();
    for (std::size_t i = 0; i < brackets.size(); ++i) {
      if (brackets[i].done) continue;
      brackets[i].choose();
      if (brackets[i].done) continue;
      queries.push_back({brackets[i].line, brackets[i].t});
      open.push_back(i);
    }
    if (open.empty()) return;
    const std::vector<double> found = values.at(kink, queries);
    for (std::size_t k = 0; k < open.size(); ++k) brackets[open[k]].see(found[k]);
  }
}

// Where one kink is looked at on a line: on both sides of the breaks so far, and between them where
// it may have several zeros.
std::vector<double> places(const ChartRange& range, const std::vector<Break>& breaks,
                           bool straight) {
  std::vector<double> ends = {range.lower};
  for (const Break& known : breaks) {
    ends.push_back(known.t);
    ends.push_back(known.t);
  }
  ends.push_back(range.upper);
  std::vector<double> result;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    const double a = ends[i], b = ends[i + 1], margin = inside * (b - a);
    result.push_back(i == 0 ? a : a + margin);
    if (!straight) {
      const auto count =
          static_cast<Index>(std::ceil(scan_intervals * (b - a) / (range.upper - range.lower)));
      for (Index k = 1; k < count; ++k)
        result.push_back(a + (b - a) * static_cast<double>(k) / static_cast<double>(count));
    }
    result.push_back(i + 2 == ends.size() ? b : b - margin);
  }
  return result;
}

}  // namespace

bool is_straight(const NoiseShape::Kink& kink, Index axis) {
  const auto at = std::ranges::find(kink.numbers, axis) - kink.numbers.begin();
  return kink.straight[static_cast<std::size_t>(at)];
}

Breaks find_breaks(const NoiseShape& shape, const std::vector<Index>& which,
                   const NoiseCoordinate& along, const Block& x, const Block& theta,
                   const NoisePoints& points) {
  const KinkValues values(shape, along, x, theta, points);
  const ChartRange range = chart_range(along.chart);
  Breaks breaks(static_cast<std::size_t>(points.size()));
  for (const Index kink : which) {
    const bool straight = is_straight(shape.kinks[static_cast<std::size_t>(kink)], along.axis);
    std::vector<Query> queries;
    for (std::size_t line = 0; line < breaks.size(); ++line) {
      for (const double t : places(range, breaks[line], straight))
        queries.push_back({static_cast<Index>(line), t});
    }
    const std::vector<double> found = values.at(kink, queries);
    std::vector<Bracket> brackets;
    for (std::size_t i = 0; i + 1 < queries.size(); ++i) {
      // Not across the zero of another kink: that one is a break already.
      const bool ordered =
          queries[i].line == queries[i + 1].line &&
          queries[i + 1].t - queries[i].t > 2 * inside * (range.upper - range.lower);
      const bool changes =
          (found[i] < 0 && found[i + 1] >= 0) || (found[i] >= 0 && found[i + 1] < 0);
      if (!ordered || !changes) continue;
      brackets.push_back({queries[i].line, queries[i].t, queries[i + 1].t, found[i], found[i + 1]});
    }
    solve(kink, values, brackets);
    for (const Bracket& bracket : brackets)
      breaks[static_cast<std::size_t>(bracket.line)].push_back({bracket.t, kink});
    for (std::vector<Break>& line : breaks) {
      std::ranges::sort(line, {}, [](const Break& one) { return std::pair(one.t, one.kink); });
    }
  }
  return breaks;
}

}  // namespace chaosgrad::internal
