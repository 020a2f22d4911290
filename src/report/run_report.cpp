#include <filesystem>
#include <limits>

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

// The error of each component where it is known by itself, else that of all together.
Vector component_errors(const Json& summary) {
  const auto q = static_cast<Index>(summary.at("variables").size());
  const Json& all = summary.at("error").at("estimate");
  Vector errors = Vector::Constant(
      q, all.is_null() ? std::numeric_limits<double>::infinity() : all.get<double>());
  if (const auto found = summary.find("component_errors"); found != summary.end()) {
    for (Index i = 0; i < q; ++i) errors(i) = found->at(static_cast<std::size_t>(i));
  }
  return errors;
}

bool has_failed(const Json& summary) {
  const std::string status = summary.at("status");
  for (const Status failure : {Status::diverged, Status::bad_gradient, Status::not_strongly_convex})
    if (status == to_string(failure)) return true;
  return false;
}

}  // namespace

std::string report_html(const ProblemFile& file, const Expansion& expansion,
                        const std::string& summary, const std::vector<IterationRecord>& history) {
  Json data = {{"kind", "run"},
               {"title", title_of(file)},
               {"version", version()},
               {"summary", Json::parse(summary)},
               {"problem", problem_data(file)},
               {"history", history_data(history)}};
  if (!has_failed(data["summary"])) {
    data["expansion"] = expansion_data(expansion, file.problem.parameter_names());
    data["distribution"] = distribution_data(expansion, file.problem.component_names(),
                                             component_errors(data["summary"]), file.options.seed);
  }
  return page_html(title_of(file), data);
}

std::string comparison_html(const ProblemFile& file, const std::vector<ComparedRun>& runs) {
  Json compared = Json::array();
  for (const ComparedRun& run : runs) {
    compared.push_back({{"label", run.label},
                        {"summary", Json::parse(run.summary)},
                        {"history", history_data(run.history)}});
  }
  return page_html(title_of(file), {{"kind", "comparison"},
                                    {"title", title_of(file)},
                                    {"version", version()},
                                    {"problem", problem_data(file)},
                                    {"runs", std::move(compared)}});
}

void write_report(const std::string& directory, const ProblemFile& file, const Solution& solution) {
  write_file(
      directory + "/report.html",
      report_html(file, solution.expansion, summary_json(file, solution), solution.run.history));
}

void write_report(const std::string& directory, const StoredRun& run) {
  write_file(directory + "/report.html",
             report_html(run.file, run.expansion, run.summary, run.history));
}

void write_comparison(const std::string& directory, const ProblemFile& file,
                      const std::vector<ComparedRun>& runs) {
  write_file(directory + "/report.html", comparison_html(file, runs));
}

}  // namespace chaosgrad
