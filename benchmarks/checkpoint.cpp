// What checkpoints cost: a run with m q = 10^6 coefficients, at the default interval of 30 s.
// Usage: checkpoint [SECONDS] [FOLDER]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "chaosgrad/chaosgrad.h"
#include "io/store/run_store.h"
#include "solve/run.h"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr const char* text = R"(
[parameters]
a = { distribution = "uniform", lower = -1, upper = 1 }
b = { distribution = "uniform", lower = -1, upper = 1 }
[noise]
v = { distribution = "uniform", lower = -1, upper = 1 }
[variables]
x = { size = 1000 }
[objective]
minimize = "dot(x, x)/2*(1 + a^2) - sum(x)*exp(a*b) + v*sum(x)/100"
strong_convexity = "1"
smoothness = "2"
noise_variance = "1"
noise_growth = "1"
[solve]
method = "agd"
iterations = 1000000
basis_size = 1000
samples = 500
max_gradients = 1000000000000
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace chaosgrad;
  using namespace chaosgrad::internal;
  const std::string folder = argc > 2 ? argv[2] : "runs/checkpoint-benchmark";
  const ProblemFile file = load_problem(
      {.name = "benchmark", .directory = {}, .text = text, .overrides = {}, .files = {}});
  Options options = file.options;
  options.max_seconds = argc > 1 ? std::atof(argv[1]) : 100;
  double writing = 0;
  int written = 0;
  options.callback = [&](const Progress& progress) {
    if (!progress.checkpoint_due) return Action::go_on;
    const auto start = std::chrono::steady_clock::now();
    save_unfinished(folder, record_of(progress.solution(), file));
    writing += seconds_since(start);
    ++written;
    return Action::go_on;
  };
  const auto start = std::chrono::steady_clock::now();
  const Run result = run(file.problem, options);
  const double total = seconds_since(start);
  if (written == 0) {
    fmt::print("no checkpoint in {:.1f} s: ask for more time than {} s\n", total,
               options.checkpoint_seconds);
    return 1;
  }
  fmt::print("m q = {}, {} iterations in {:.1f} s, a checkpoint of {:.1f} MB every {} s\n",
             result.u.size(), result.history.size(), total,
             static_cast<double>(std::filesystem::file_size(folder + "/solution.h5")) / 1e6,
             options.checkpoint_seconds);
  fmt::print("{} checkpoints took {:.3f} s each: {:.2f} % of the run\n", written, writing / written,
             100 * writing / total);
  return 0;
}
