#include <filesystem>

#include "chaosgrad/report.h"
#include "chaosgrad/version.h"
#include "io/source.h"
#include "report/expansion_data.h"
#include "report/page.h"

namespace chaosgrad {
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
               {"history", history_data(solution.run.history)}};
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

void write_report(const std::string& directory, const ProblemFile& file, const Solution& solution) {
  write_file(directory + "/report.html", report_html(file, solution, summary_json(file, solution)));
}

void write_report(const std::string& directory, const StoredRun& run) {
  write_file(directory + "/report.html", report_html(run.file, run, run.summary));
}

void write_comparison(const std::string& directory, const ProblemFile& file,
                      const std::vector<ComparedRun>& runs) {
  write_file(directory + "/report.html", comparison_html(file, runs));
}

}  // namespace chaosgrad
