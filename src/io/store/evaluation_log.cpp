#include "io/store/evaluation_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/problem_file/source.h"
#include "io/store/hdf5.h"
#include "io/store/store_content.h"
#include "io/store/store_file.h"

namespace chaosgrad::internal {
namespace {

// What is known of an evaluation, as bits.
constexpr std::int64_t kept_value = 1, kept_gradient = 2, kept_failed_value = 4,
                       kept_failed_gradient = 8;

std::int64_t flags_of(const Evaluation& evaluation) {
  return (evaluation.value ? kept_value : 0) | (evaluation.gradient ? kept_gradient : 0) |
         (evaluation.failed_value ? kept_failed_value : 0) |
         (evaluation.failed_gradient ? kept_failed_gradient : 0);
}

// x, θ, v, flags, F, ∇F.
Vector row_of(const Evaluation& evaluation) {
  const Index q = evaluation.x.size();
  Vector row(2 * q + evaluation.theta.size() + evaluation.v.size() + 2);
  row << evaluation.x, evaluation.theta, evaluation.v, static_cast<double>(flags_of(evaluation)),
      evaluation.value.value_or(0), evaluation.gradient.value_or(Vector::Zero(q));
  return row;
}

Evaluation evaluation_of(const Vector& row, const ExternalSizes& sizes) {
  Evaluation evaluation{.x = row.head(sizes.x),
                        .theta = row.segment(sizes.x, sizes.theta),
                        .v = row.segment(sizes.x + sizes.theta, sizes.v)};
  const Index next = sizes.x + sizes.theta + sizes.v;
  const auto flags = static_cast<std::int64_t>(row(next));
  if (flags & kept_value) evaluation.value = row(next + 1);
  if (flags & kept_gradient) evaluation.gradient = row.tail(sizes.x);
  evaluation.failed_value = (flags & kept_failed_value) != 0;
  evaluation.failed_gradient = (flags & kept_failed_gradient) != 0;
  return evaluation;
}

Index row_size(const ExternalSizes& sizes) { return 2 * sizes.x + sizes.theta + sizes.v + 2; }

std::string file_path(const std::string& directory) { return directory + "/evaluations.h5"; }
std::string journal_path(const std::string& directory) {
  return directory + "/evaluations.journal";
}

// Bytes as whole numbers, eight in each, and back.
std::vector<std::int64_t> packed(const std::string& bytes) {
  std::vector<std::int64_t> numbers((bytes.size() + 7) / 8);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::string unpacked(const std::vector<std::int64_t>& numbers, std::int64_t size) {
  return {reinterpret_cast<const char*>(numbers.data()), static_cast<std::size_t>(size)};
}

// What the samples of a run depend on.
std::string key_of(const ProblemFile& file) {
  std::string key = fmt::format("seed {}", file.options.seed);
  const ProblemFacts facts = file.problem.facts();
  const std::vector<Distribution>& germs = file.problem.parameters().germs();
  for (std::size_t k = 0; k < germs.size(); ++k) {
    const bool fourier = k < facts.bases.size() && facts.bases[k] == Family::Kind::fourier;
    key += fmt::format("; {} of {}", fourier ? "fourier" : "polynomials", germs[k].name());
  }
  return key;
}

bool differ(const Vector& a, const Vector& b) {
  constexpr double rounding = 1e-6;  // a model on several threads may round otherwise each time
  return (a - b).norm() > rounding * (1e-300 + a.norm() + b.norm());
}

}  // namespace

EvaluationLog::EvaluationLog(const std::string& directory, const ProblemFile& file,
                             Failures failures, Access access)
    : directory_(directory),
      model_name_(file.model->name()),
      key_(key_of(file)),
      fingerprint_(file.fingerprint),
      sizes_(file.sizes),
      model_(file.model) {
  const std::vector<Evaluation> fresh = model_->evaluations().all();
  read_file();
  read_journal();
  for (const Evaluation& one : std::exchange(logged_, {})) take(one, failures);
  if (access == Access::read) return;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw IoError(fmt::format("{}: cannot be created: {}", directory, error.message()));
  begin_journal();
  for (const Evaluation& one : fresh) append(one);
  model_->evaluations().observe([this](const Evaluation& one) { append(one); });
}

EvaluationLog::~EvaluationLog() {
  try {
    close();
  } catch (const std::exception&) {  // the journal is still there
  }
}

void EvaluationLog::read_file() {
  const std::string path = file_path(directory_);
  if (!std::filesystem::exists(path)) return;
  const Hdf5Reader store(path, read_store(path));
  const std::string name = store.text("model");
  const std::vector<std::int64_t> sizes = store.integers("sizes");
  if (name != model_name_ || sizes != std::vector<std::int64_t>{sizes_.x, sizes_.theta, sizes_.v})
    throw InputError("objective",
                     fmt::format("{} holds evaluations of another model ({}, with {} numbers x, {} "
                                 "theta and {} of noise); another folder (-o), or none of them",
                                 path, name, sizes[0], sizes[1], sizes[2]));
  const Coefficients rows = store.matrix("evaluations");
  for (Index i = 0; i < rows.rows(); ++i)
    logged_.push_back(evaluation_of(rows.row(i).transpose(), sizes_));
  if (!store.has("runs")) return;
  for (const std::string& run : store.names("runs")) {
    const std::string at = "runs/" + run + "/";
    runs_.push_back({store.text(at + "key"), store.text(at + "fingerprint"),
                     store.integer(at + "optima"),
                     unpacked(store.integers(at + "store"), store.integer(at + "bytes"))});
  }
}

// A last line that was not written whole is none.
void EvaluationLog::read_journal() {
  const std::string path = journal_path(directory_);
  if (!std::filesystem::exists(path)) return;
  const std::string bytes = internal::read_file(path);
  const std::size_t size = static_cast<std::size_t>(row_size(sizes_)) * sizeof(double);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    Vector row(row_size(sizes_));
    std::memcpy(row.data(), bytes.data() + at, size);
    logged_.push_back(evaluation_of(row, sizes_));
  }
}

void EvaluationLog::take(Evaluation evaluation, Failures failures) {
  if (failures == Failures::forgotten) evaluation.failed_value = evaluation.failed_gradient = false;
  if (flags_of(evaluation) == 0) return;
  EvaluationTable& table = model_->evaluations();
  const auto known = table.find(evaluation.x, evaluation.theta, evaluation.v);
  if (known && known->gradient && evaluation.gradient &&
      differ(*known->gradient, *evaluation.gradient))
    throw InputError(
        "objective",
        fmt::format("the model has changed: at the start its gradient was {:.6g}, …, "
                    "and is {:.6g}, … now; remove {}, or take another folder (-o)",
                    (*evaluation.gradient)(0), (*known->gradient)(0), file_path(directory_)));
  table.add(evaluation);
}

void EvaluationLog::begin_journal() {
  const std::string path = journal_path(directory_);
  journal_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (journal_ < 0)
    throw IoError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  const std::size_t size = static_cast<std::size_t>(row_size(sizes_)) * sizeof(double);
  const auto whole = std::filesystem::file_size(path) / size * size;
  std::filesystem::resize_file(path, whole);
}

// One write for each: what the system has taken survives this program.
void EvaluationLog::append(const Evaluation& evaluation) {
  const Vector row = row_of(evaluation);
  const auto size = static_cast<std::size_t>(row.size()) * sizeof(double);
  if (::write(journal_, row.data(), size) != static_cast<ssize_t>(size))
    throw IoError(
        fmt::format("{}: cannot be written: {}", journal_path(directory_), std::strerror(errno)));
}

std::shared_ptr<const Solution> EvaluationLog::earlier() const {
  const Run* found = nullptr;
  for (const Run& run : runs_) {
    if (run.fingerprint != fingerprint_) continue;
    if (run.key == key_) break;  // then the same θ come again, and are there
    found = &run;
  }
  if (!found) return {};
  return std::make_shared<const Solution>(
      read_content(file_path(directory_), found->image, {}).solution);
}

void EvaluationLog::add_run(const Record& record) {
  const auto& arrays = record.solution.state.arrays;
  const auto optima = arrays.find("optima_eta");
  if (!record.solution.ok() || optima == arrays.end()) return;
  const std::int64_t count = optima->second.rows();
  for (const Run& run : runs_) {
    if (run.key == key_ && run.fingerprint == fingerprint_ && run.optima >= count) return;
  }
  runs_.push_back({key_, fingerprint_, count, write_content(record, "{}")});
}

void EvaluationLog::close() {
  if (journal_ < 0) return;
  model_->evaluations().observe({});
  ::close(std::exchange(journal_, -1));
  const std::vector<Evaluation> all = model_->evaluations().all();
  Coefficients rows(static_cast<Index>(all.size()), row_size(sizes_));
  for (std::size_t i = 0; i < all.size(); ++i)
    rows.row(static_cast<Index>(i)) = row_of(all[i]).transpose();
  Hdf5Writer store;
  store.text("model", model_name_);
  store.integers("sizes", {sizes_.x, sizes_.theta, sizes_.v});
  store.matrix("evaluations", rows);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::string at = fmt::format("runs/{:06}/", i);
    store.text(at + "key", runs_[i].key);
    store.text(at + "fingerprint", runs_[i].fingerprint);
    store.integer(at + "optima", runs_[i].optima);
    store.integer(at + "bytes", static_cast<std::int64_t>(runs_[i].image.size()));
    store.integers(at + "store", packed(runs_[i].image));
  }
  write_checked(file_path(directory_), store.image());
  std::filesystem::remove(journal_path(directory_));
}

}  // namespace chaosgrad::internal
