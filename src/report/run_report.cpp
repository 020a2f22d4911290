#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "io/problem_file/source.h"
#include "io/shown.h"
#include "io/store/history.h"
#include "io/store/store_file.h"
#include "io/summary.h"
#include "report/expansion_data.h"
#include "report/page.h"
#include "report/report.h"
#include "solution/statistics/coefficients.h"
#include "solve/common/goal.h"

namespace chaosgrad::internal {
namespace {

// What it takes to compute the same again; null for a problem that came from a program.
Json problem_data(const ProblemSource* source) {
  if (!source) return nullptr;
  Json files = Json::array();
  for (const auto& [name, content] : source->files)
    files.push_back({{"name", name}, {"bytes", content.size()}});
  return {{"name", std::filesystem::path(source->name).filename().string()},
          {"text", source->text},
          {"overrides", source->overrides},
          {"files", std::move(files)}};
}

// As an absolute number; null where none was asked for.
Json tolerance_data(const Solution& solution) {
  const Options& options = solution.options;
  const bool asked = options.tolerance || options.relative_tolerance;
  if (!is_adaptive(options.method) && !asked) return nullptr;
  return number(absolute_tolerance(options, norm_of(solution.expansion)));
}

}  // namespace

std::string report_html(const Record& whole, const std::string& summary, const Digest& digest) {
  const ShownRecord shown(whole, digest.components);
  const Record& record = shown.record();
  const Solution& solution = record.solution;
  Json data = {{"kind", "run"},
               {"title", record.title()},
               {"version", version()},
               {"summary", Json::parse(summary)},
               {"problem", problem_data(record.source)},
               {"history", history_data(solution.history)},
               {"tolerance", tolerance_data(whole.solution)}};
  if (solution.ok()) {
    data["expansion"] = expansion_data(solution.expansion, record.labels.parameters);
    data["distribution"] = distribution_data(record, digest);
    if (solution.expansion.lift()) data["constraints"] = constraint_data(record, digest);
  }
  return page_html(record.title(), data);
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
  const std::string title =
      file.title.empty() ? std::filesystem::path(file.source.name).filename().string() : file.title;
  return page_html(title, {{"kind", "comparison"},
                           {"title", title},
                           {"version", version()},
                           {"problem", problem_data(&file.source)},
                           {"runs", std::move(compared)}});
}

void write_report(const std::string& directory, const Record& record, const std::string& summary,
                  const Digest& digest) {
  write_file(directory + "/report.html", report_html(record, summary, digest));
}

void write_for_readers(const std::string& directory, const Record& record,
                       const std::string& summary, const Digest& digest) {
  try {
    write_file(directory + "/history.csv", history_csv(record.solution.history, record.bounds));
    write_report(directory, record, summary, digest);
    write_file(directory + "/summary.json", summary + "\n");
  } catch (const IoError& failure) {
    throw IoError(fmt::format(
        "{}; the run itself is complete in {}, and `chaosgrad resume {}` writes the other files",
        failure.what(), store_path(directory), directory));
  }
}

FinishedRun finish_run(const std::string& directory, Record record) {
  Digest digest = make_digest(record);
  record.seconds_around += digest.seconds;
  std::string summary = full_summary(record, digest);
  save_run(directory, record, summary);
  write_for_readers(directory, record, summary, digest);
  return {std::move(summary), std::move(digest)};
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
