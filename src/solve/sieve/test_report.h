#pragma once
// Whether fresh samples bear out the error that the sieve claims: what a test says, how long it is
// made, and what of it must be told. Pure functions.
#include <optional>
#include <string>
#include <vector>

#include "solve/sieve/fresh_test.h"

namespace chaosgrad::internal {

// Squared norms ‖·‖²_π.
struct TestReport {
  enum class Finding {
    confirmed,  // the limit of the whole error is within the tolerance
    assumed,    // the test is too weak for that, but nothing that it looked for contradicts
    refuted     // there is an error beyond the tolerance that the run did not know of
  };
  Finding finding = Finding::refuted;
  double measured = 0;      // ‖H⁻¹∇f(x_u)‖², without bias, and so perhaps below 0
  double limit = infinity;  // its upper confidence limit
  double spread = 0;        // upper confidence limit of the sampling error by the noise seen here
  double found = 0;         // of `measured`, on the functions that were looked for, clear of noise
  double gradient_limit = infinity;  // upper confidence limit of ‖∇f(x_u)‖²
};

// α_k = α/(k(k + 1)) at look k. `error` is what the run claims. A test that can decide (its
// standard error is at `test_resolution`) refutes what it does not confirm; one at
// `coarse_resolution` refutes what it measures above the tolerance.
[[nodiscard]] TestReport judge_test(const FreshTest& test, const SieveError& error,
                                    double tolerance, double confidence, Index look,
                                    const SieveTuning& tuning);

// Blocks of θ of a test: the first look at its spread, and how many there should be then.
// Prices are in gradients; `cheap` ones are hardly noticed.
[[nodiscard]] Index first_test_blocks(std::int64_t spent, Index draws, bool cheap,
                                      const SieveTuning& tuning);
[[nodiscard]] Index all_test_blocks(const FreshTest& test, double tolerance, std::int64_t spent,
                                    const SieveTuning& tuning);

// Of the functions that the test looked for, those to add.
[[nodiscard]] std::vector<MultiIndex> functions_found(const Basis& wide, const FreshTest& test,
                                                      const SieveTuning& tuning);

// What a test that could not decide assumes, for the user.
[[nodiscard]] std::string assumption(const TestReport& report, const Basis& wide, double tolerance);

}  // namespace chaosgrad::internal
