#include "core/run.h"

#include <fmt/format.h>

#include "constraint/infeasible.h"
#include "core/session.h"
#include "io/describe.h"
#include "io/store/evaluation_log.h"
#include "io/store/run_store.h"
#include "io/summary.h"
#include "report/report.h"
#include "samples/parameters.h"

namespace chaosgrad::python {
using namespace internal;
namespace {

// A problem of a file that notices Ctrl-C in the middle of a stage.
class WatchedProblem : public AnyProblem {
 public:
  WatchedProblem(const AnyProblem& problem, const Session& session)
      : AnyProblem(problem), session_(session) {}
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const {
    session_.before_gradient();
    AnyProblem::gradient(x, theta, noise, g);
  }
  void gradient(const Block& x, const Block& theta, const Block& noise, const Block& known,
                BlockOut g) const {
    session_.before_gradient();
    AnyProblem::gradient(x, theta, noise, known, g);
  }

 private:
  const Session& session_;
};

Solution run_session(const auto& problem, Options options, Session& session,
                     const PythonRun* resume) {
  const Options asked = options;
  if (resume) options.resume = std::make_shared<const Solution>(resume->solution);
  options.callback = [&](const Progress& progress) { return session.tell(progress); };
  Solution solution = session.run([&] { return solve(problem, options); });
  solution.options = asked;
  return solution;
}

}  // namespace

Record PythonRun::record(const PythonProblem* problem) const {
  if (file) return record_of(solution, *file);
  Record record = record_of(solution, labels);
  if (problem && problem->has_value()) {
    constexpr double operations = 1e5;  // of a Python function: unknown, and never few
    record.objective = {.count = 1,
                        .noise_dimension = problem->noise_dimension(),
                        .evaluate = [problem](Block x, Block theta, Block noise,
                                              BlockOut f) { problem->value(x, theta, noise, f); },
                        .noise_axes = problem->facts().noise_axes,
                        .operations = operations};
  }
  return record;
}

PythonRun solve_functions(PythonProblem& problem, const Labels& labels, const std::string& options,
                          const PythonRun* resume, py::object progress) {
  const Options asked = options_of(options);
  Session session(std::move(progress), is_adaptive(asked.method));
  problem.watch([&] { session.before_gradient(); });
  Solution solution = run_session(problem, asked, session, resume);
  problem.watch({});
  return {.solution = std::move(solution), .labels = labels};
}

PythonRun solve_problem_file(const std::shared_ptr<const ProblemFile>& file,
                             const PythonRun* resume, py::object progress,
                             const std::string& directory) {
  Session session(std::move(progress), is_adaptive(file->options.method));
  const WatchedProblem problem(file->problem, session);
  try {
    std::optional<EvaluationLog> log;
    Options options = file->options;
    if (file->model && !directory.empty()) {
      log.emplace(
          directory, *file,
          resume ? EvaluationLog::Failures::remembered : EvaluationLog::Failures::forgotten);
      if (!resume) options.earlier = log->earlier();
    }
    PythonRun run{.solution = run_session(problem, options, session, resume),
                  .labels = labels_of(*file),
                  .file = file};
    run.solution.options = file->options;
    if (log) {
      log->add_run(run.record(nullptr));
      log->close();
    }
    return run;
  } catch (const InputError& error) {
    fail_at_place(file->source, error);
  }
}

PythonRun load_folder(const std::string& directory,
                      const std::shared_ptr<const Constraints>& constraints) {
  StoredRun stored = without_interpreter([&] { return load_run(directory, constraints); });
  PythonRun run{.solution = std::move(stored.solution),
                .labels = std::move(stored.labels),
                .warning = std::move(stored.warning)};
  if (stored.file) run.file = std::make_shared<const ProblemFile>(std::move(*stored.file));
  return run;
}

void save_folder(const PythonRun& run, const std::string& directory, const PythonProblem* problem) {
  (void)without_interpreter([&] { return finish_run(directory, run.record(problem)); });
}

void store(const PythonRun& run, const std::string& directory) {
  const Record record = run.record(nullptr);
  save_run(directory, record, brief_summary(record));
}

Optima optima_at(const PythonRun& run, const Matrix& thetas) {
  const Expansion& expansion = run.solution.expansion;
  if (!expansion.lift()) return {.x = expansion.evaluate(thetas), .multipliers = {}};
  const Constraints& constraints = expansion.lift()->constraints();
  const LiftedBlock lifted = expansion.evaluate_lifted(thetas);
  for (Index i = 0; i < thetas.rows(); ++i) {
    if (lifted.x.row(i).allFinite()) continue;
    const std::string reason = why_infeasible(constraints, thetas.row(i).transpose());
    throw InputError(fmt::format("theta, row {}", i), reason.empty() ? "x is not finite" : reason);
  }
  return {.x = lifted.x, .multipliers = multipliers(constraints, lifted)};
}

Draws draw(const PythonRun& run, Index count, std::uint64_t seed) {
  const Expansion& expansion = run.solution.expansion;
  const Stream stream = make_stream(seed, Purpose::sample, 0);
  Draws draws{Matrix(count, expansion.measure().dimension()),
              Matrix(count, expansion.coefficients().cols())};
  for (Index first = 0; first < count; first += block_size) {
    const Index n = std::min(block_size, count - first);
    const auto [eta, theta] = draw_parameters(expansion.measure(), stream, first, n);
    draws.theta.middleRows(first, n) = theta;
    draws.x.middleRows(first, n) = expansion.evaluate_germ(eta);
  }
  return draws;
}

}  // namespace chaosgrad::python
