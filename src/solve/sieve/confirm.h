#pragma once
// The last word of a sieve: a stage whose error is within the tolerance by its own account is
// tested on fresh samples before the run may end as converged.
#include "solve/common/monitor.h"
#include "solve/sieve/context.h"
#include "solve/sieve/fresh_test.h"
#include "solve/sieve/sieve_batch.h"

namespace chaosgrad::internal {

// converged: confirmed, or nothing contradicts and a note says what is assumed. go_on: refuted, and
// the state says by how much; or no test is due yet. stalled: refuted again and again. stopped: no
// time for a test.
[[nodiscard]] SieveVerdict confirm(const SieveContext& context, Monitor& monitor,
                                   const SieveBatch& batch, SieveState& state, TestReport& report,
                                   Run& run);

}  // namespace chaosgrad::internal
