#pragma once
// The registry of random numbers: every use that the library makes of them has a purpose of its own
// here, and no two purposes share a stream. A new use gets a new line at the end of both lists.
#include <array>
#include <cstdint>

namespace chaosgrad::internal {

// One independent sequence of samples.
struct Stream {
  std::uint64_t seed = 1;
  std::uint64_t id = 0;
};

// Who draws, and what `step` counts. A run has one method, so the methods share the first three.
enum class Purpose : std::uint8_t {
  parameters,  // solvers, θ. Step: iteration (descent), stage (sieve), metric_stage() (its metric),
               // 0 (nested, collocation: drawn once)
  noise,       // solvers, v. Step: the same; nested: iteration · 2^24 + draw
  scramble,    // solvers, digital shifts of Sobol' points. Step: iteration (descent), 0 (induced
               // densities), 1 (not a shift: where in the gaps of a line points are placed)
  constants_parameters,    // estimates of μ, L, V, V_G: θ
  constants_noise,         // the same: v. Step: number of the θ
  certificate_parameters,  // certificate: θ
  certificate_noise,       // the same: v. Step: draw 0 or 1
  validation,              // history of adaptive runs, the distance to a known optimum: θ
  test,                    // tests of the library, never the library itself
  statistics,              // statistics, digital shifts. Step: 2 · shift (θ), 2 · shift + 1 (v);
                           // 2^40: directions of x along which quantities are differenced
  sample,                  // `chaosgrad sample`. Step: 0 (θ), 1 + digital shift (v)
  krylov,                  // adaptive solvers: the first vector of Lanczos' method
  constants_krylov,        // estimates of μ and L: the same. Step: number of the θ
  model_parameters,        // validation of a problem before it is solved: θ
  model_noise,             // the same: v
  model_offset,            // the same: where the search for kinks begins
  check_parameters,        // `chaosgrad check`, gradient against differences of F: θ
  check_noise,             // the same: v
  check_place,             // the same: x
  verify_parameters,       // verification of a solution: θ
  verify_noise,            // the same: v. Step: 2 · number of the θ + half
  verify_krylov,           // the same: the first vector of Lanczos' method
  exported_parameters,     // self-test of exported evaluators: θ
  screen_parameters,       // tests of collocation, θ ~ π. Step: number of the test
  screen_induced,          // the same, θ from the induced densities
  test_functions,          // the same, which induced density a sample comes from
  sieve_test_parameters,   // sieve, the test that confirms: θ. Step: number of the look
  sieve_test_noise,        // the same: v. Step: look · 16 + draw
  screen_elsewhere,  // tests of collocation, where f is tried beside x_u. Step: number of the test
  lift_parameters,   // the metric of problems with constraints and noise: θ
  lift_noise,        // the same: v
  noise_rule,  // scrambles of the Sobol' points of a rule for E_v. Step: 256 · rule + group; rule 0
  // is that of the run, 1 the finer one of its tests, 2 and 3 those of its pilot, 4 that
  // of verifications
  noise_pilot,  // the pilot that chooses the rule. Step: 0 (θ), 1 (v)
};

// The streams of a purpose have the ids group · 2^48 + first + step, step < count.
struct StreamRange {
  Purpose purpose;
  std::uint64_t group, first, count;
};
inline constexpr std::uint64_t all_steps = std::uint64_t{1} << 48;
// In the order of the purposes. Ids are part of the results: those in use never change.
inline constexpr std::array<StreamRange, 33> stream_registry = {{
    {Purpose::parameters, 0, 0, all_steps},
    {Purpose::noise, 1, 0, all_steps},
    {Purpose::scramble, 2, 0, all_steps},
    {Purpose::constants_parameters, 3, 0, 1},
    {Purpose::constants_noise, 3, 1, all_steps - 1},
    {Purpose::certificate_parameters, 4, 100, 1},
    {Purpose::certificate_noise, 4, 101, 2},
    {Purpose::validation, 5, 0, 1},
    {Purpose::test, 6, 0, all_steps},
    {Purpose::statistics, 7, 0, all_steps},
    {Purpose::sample, 8, 0, all_steps},
    {Purpose::krylov, 9, 0, 1},
    {Purpose::constants_krylov, 10, 0, all_steps},
    {Purpose::model_parameters, 11, 0, 1},
    {Purpose::model_noise, 12, 0, 1},
    {Purpose::model_offset, 13, 0, 1},
    {Purpose::check_parameters, 14, 0, 1},
    {Purpose::check_noise, 15, 0, 1},
    {Purpose::check_place, 16, 0, 1},
    {Purpose::verify_parameters, 17, 0, 1},
    {Purpose::verify_noise, 18, 0, all_steps},
    {Purpose::verify_krylov, 19, 0, 1},
    {Purpose::exported_parameters, 20, 0, 1},
    {Purpose::screen_parameters, 21, 0, all_steps},
    {Purpose::screen_induced, 22, 0, all_steps},
    {Purpose::test_functions, 23, 0, 1},
    {Purpose::sieve_test_parameters, 24, 0, all_steps},
    {Purpose::sieve_test_noise, 25, 0, all_steps},
    {Purpose::screen_elsewhere, 26, 0, all_steps},
    {Purpose::lift_parameters, 27, 0, 1},
    {Purpose::lift_noise, 28, 0, 1},
    {Purpose::noise_rule, 29, 0, all_steps},
    {Purpose::noise_pilot, 30, 0, 2},
}};

// The stream of one purpose at one step. Throws InputError unless step < count.
[[nodiscard]] Stream make_stream(std::uint64_t seed, Purpose purpose, std::uint64_t step = 0);

// The metric of the sieve's stage draws far from its batches, whose step is the stage itself.
[[nodiscard]] constexpr std::int64_t metric_stage(std::int64_t stage) {
  return (std::int64_t{1} << 24) + stage;
}

}  // namespace chaosgrad::internal
