#pragma once
// evaluations.h5 in the folder of a run: every evaluation of its model that was ever paid for, by
// this run and those before it in the folder, and the optima that they found (docs/models.md). What
// is new goes to evaluations.journal at once, and into evaluations.h5 at the end: a kill loses
// nothing.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/models/remote_model.h"
#include "io/record.h"

namespace chaosgrad::internal {

class EvaluationLog {
 public:
  // Whether failures of before are failures now, or are tried again.
  enum class Failures { remembered, forgotten };

  // Of several ranks one keeps the log; the others read it.
  enum class Access { keep, read };

  // Tells the model of the file what the folder knows, and keeps what it learns from now on. Throws
  // IoError, or InputError where the log is that of another model, or the model has changed.
  EvaluationLog(const std::string& directory, const ProblemFile& file, Failures failures,
                Access access = Access::keep);
  EvaluationLog(const EvaluationLog&) = delete;
  EvaluationLog& operator=(const EvaluationLog&) = delete;
  ~EvaluationLog();  // close(), as far as that is possible

  // The last run of the same problem in the log from which one with these options can take optima:
  // with another seed or basis, from before the first with the same. Null: none.
  [[nodiscard]] std::shared_ptr<const Solution> earlier() const;
  // The run is over, and its optima are there for others.
  void add_run(const Record& record);
  // Writes evaluations.h5; the journal is not needed any more.
  void close();

 private:
  struct Run {
    std::string key, fingerprint;  // of seed and basis; of all else
    std::int64_t optima = 0;
    std::string image;  // of the store
  };
  void read_file();
  void read_journal();
  void take(Evaluation evaluation, Failures failures);
  void begin_journal();
  void append(const Evaluation& evaluation);

  std::string directory_, model_name_, key_, fingerprint_;
  ExternalSizes sizes_;
  std::shared_ptr<RemoteModel> model_;
  std::vector<Evaluation> logged_;
  std::vector<Run> runs_;
  int journal_ = -1;
};

}  // namespace chaosgrad::internal
