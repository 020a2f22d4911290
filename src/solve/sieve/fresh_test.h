#pragma once
// Fresh samples for the sieve's last word: several draws of the noise at each θ of the defensive
// mixture. What they measure, what that says about the error that the run claims, how many there
// are, and what must be told.
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// The most draws of the noise at a θ. Origin: fifteen times as many products per gradient as from
// pairs; with more the θ become too few.
inline constexpr Index most_test_draws = 16;
// Where they are Sobol' points. Origin: their mean gains by every doubling, and the test needs some
// thousand θ.
inline constexpr Index most_sobol_draws = 128;

// With R = H(θ)⁻¹∇F(x_u, θ, v) and weights w of the θ; a test may be made longer by add().
struct FreshTest {
  Index draws = 2;     // of the noise at each θ
  Matrix points = {};  // Sobol' points for them, in two halves; empty: independent draws
  // One per θ. Their means are, in this order, ‖H⁻¹∇f(x_u)‖²_π, ‖∇f(x_u)‖²_π, and what the noise
  // as seen here makes of the sampling error: E w²|R|² Σ_i ψ_i²/N_i.
  Vector steps = {}, gradients = {}, spreads = {};
  // Over the functions beyond the basis: Σ w R̄ ψ_ν, R̄ the mean over the draws, and Σ |w R̄ ψ_ν|².
  Coefficients sums = {};
  Vector squares = {};
  std::optional<OutsidePoint> outside = {};

  [[nodiscard]] Index samples() const { return steps.size(); }
  [[nodiscard]] std::int64_t cost() const { return samples() * draws; }  // gradients
  // c_ν = ⟨H⁻¹∇f, ψ_ν⟩ as a mean over the samples, and the variance of |c_ν|.
  [[nodiscard]] Coefficients coefficients() const;
  [[nodiscard]] Vector noise() const;
};

// The functions that are looked for: the basis, then the first of all by total degree.
[[nodiscard]] Basis test_basis(const Basis& basis, const SieveTuning& tuning);
// The total degree up to which `wide` holds every function of its families.
[[nodiscard]] int complete_degree(const Basis& wide);

// Draws of the noise at each θ, where one draw has the variance E w²|R|² = `variance`: as many as
// make its share in the test small, because K draws make K(K − 1)/2 products; few in short runs, so
// that there are enough θ.
[[nodiscard]] Index test_draws(double variance, double tolerance, std::int64_t spent, bool sobol,
                               const SieveTuning& tuning);
// Two halves of Sobol' points, independent of each other (draws × r): at each θ they are rotated.
[[nodiscard]] Matrix test_points(const Oracle& oracle, std::uint64_t seed, Index look, Index draws);

// Adds `blocks` blocks of θ to the test of look number `look`.
void add(const Oracle& oracle, const Basis& wide, const SieveState& state, std::uint64_t seed,
         Index look, Index blocks, Executor& executor, FreshTest& test);

// ---- What a test says. Pure functions.

// Squared norms ‖·‖²_π.
struct TestReport {
  enum class Finding {
    confirmed,  // the limit of the whole error is within the tolerance
    assumed,    // the test is too weak for that, but nothing that it looked for contradicts
    too_weak,   // not even an error of many tolerances can be excluded
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
