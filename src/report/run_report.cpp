#include <fmt/format.h>

#include <filesystem>

#include "chaosgrad/error.h"
#include "report/report.h"
#include "chaosgrad/chaosgrad.h"
#include "io/store/history.h"
#include "io/source.h"
#include "io/store/store_file.h"
#include "report/expansion_data.h"
#include "report/page.h"
#include "solve/common/goal.h"

namespace chaosgrad::internal {
namespace {

// What it takes to compute the same again.
Json problem_data(const ProblemFile& file) {
  Json files = Json::array();
  for (const auto& [name, content] : file.source.files)
    files.push_back({{"name", name}, {"bytes", content.size()}});
  return {{"name", std::filesystem::path(file.source.name).filename().string()},
          {"text", file.source.text},
          {"overrides", file.source.overrides},
          {"files", std::move(files)}};
}

// As an absolute number; null where none was asked for.
Json tolerance_data(const Options& options, const Solution& solution) {
  const bool adaptive = solution.run.error.has_value();
  if (!adaptive && !options.tolerance && !options.relative_tolerance) return nullptr;
  return number(absolute_tolerance(options, solution.expansion.coefficients().norm()));
}

std::string title_of(const ProblemFile& file) {
  return file.title.empty() ? std::filesystem::path(file.source.name).filename().string()
                            : file.title;
}

}  // namespace

std::string report_html(const ProblemFile& file, const Solution& solution,
                        const std::string& summary) {
  Json data = {{"kind", "run"},
               {"title", title_of(file)},
               {"version", version()},
               {"summary", Json::parse(summary)},
               {"problem", problem_data(file)},
               {"history", history_data(solution.run.history)},
               {"tolerance", tolerance_data(file.options, solution)}};
  if (!is_failure(solution.run.status)) {
    data["expansion"] = expansion_data(solution.expansion, file.problem.parameter_names());
    data["distribution"] = distribution_data(file, solution);
  }
  return page_html(title_of(file), data);
}

std::string comparison_html(const ProblemFile& file, const std::vector<ComparedRun>& runs) {
  Json compared = Json::array();
  for (const ComparedRun& run : runs) {
    compared.push_back({{"label", run.label},
                        {"summary", Json::parse(run.summary)},
                        {"history", history_data(run.history)},
                        {"error", run.error ? Json(*run.error) : Json(nullptr)},
                        {"error_from", run.error_from}});
  }
  return page_html(title_of(file), {{"kind", "comparison"},
                                    {"title", title_of(file)},
                                    {"version", version()},
                                    {"problem", problem_data(file)},
                                    {"runs", std::move(compared)}});
}

void write_report(const std::string& directory, const ProblemFile& file, const Solution& solution,
                  const std::string& summary) {
  write_file(directory + "/report.html", report_html(file, solution, summary));
}

void write_for_readers(const std::string& directory, const ProblemFile& file,
                       const Solution& solution, const std::string& summary) {
  try {
    write_file(directory + "/history.csv", history_csv(solution.run));
    write_report(directory, file, solution, summary);
    write_file(directory + "/summary.json", summary + "\n");
  } catch (const IoError& failure) {
    throw IoError(fmt::format(
        "{}; the run itself is complete in {}, and `chaosgrad resume {}` writes the other files",
        failure.what(), store_path(directory), directory));
  }
}

bool has_files_for_readers(const std::string& directory, const std::string& summary) {
  const auto there = [&](const char* name) {
    return std::filesystem::exists(directory + "/" + name);
  };
  return there("history.csv") && there("report.html") && there("summary.json") &&
         read_file(directory + "/summary.json") == summary + "\n";
}

void write_comparison(const std::string& directory, const ProblemFile& file,
                      const std::vector<ComparedRun>& runs) {
  write_file(directory + "/report.html", comparison_html(file, runs));
}

}  // namespace chaosgrad::internal
