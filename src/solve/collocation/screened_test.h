#pragma once
// The half of the test that looks at very many θ (docs/algorithms.md, Algorithm 4, lines 3 to 9).
#include <string>

#include "solve/collocation/context.h"
#include "solve/collocation/design/design.h"
#include "solve/collocation/judge.h"
#include "solve/collocation/screen.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// What a test has found so far: weighted squares at its samples.
struct Evidence {
  Vector errors, gradients;  // w |x_u − x*|², w |∇f(x_u)|²
  Index from_measure = 0;    // samples from π itself
  double outside = 0;        // weight of the samples whose expansion is outside of the domain
  std::string note = {};     // about these, if there are any
};

enum class Screened { passed, undecided, refuted, stopped };

// As many samples as are affordable, and once more with four times as many if that is not enough to
// decide. The evidence and what follows from it are there if it passed; what refutes it is handed to
// the design. The second time spends more of the doubt: `confidence` is what is left for this one.
[[nodiscard]] Screened screen_expansion(const Context& context, ScreenPlan plan, double& confidence,
                                        Design& design, CollocationState& state, Evidence& evidence,
                                        TestResult& result);

}  // namespace chaosgrad::internal::collocation
