#include "solve/sieve/growth.h"

#include <algorithm>
#include <cmath>

#include "solve/common/growth.h"

namespace chaosgrad::internal {

Basis with_candidates(const SieveState& state, const SieveTuning& tuning) {
  const Coefficients& variances = state.error.variances;  // without the newest functions
  std::vector<char> significant;
  for (Index i = 0; i < state.u.rows(); ++i) {
    const double noise = variances.rows() > i ? variances.row(i).sum() : 0;
    significant.push_back(i == 0 || state.u.row(i).squaredNorm() > tuning.significance * noise);
  }
  std::vector<MultiIndex> beyond = candidates(
      state.basis.indices(), significant, state.basis.families(), static_cast<int>(tuning.reach));
  if (static_cast<Index>(beyond.size()) > tuning.most_candidates)
    beyond.resize(static_cast<std::size_t>(tuning.most_candidates));
  return widened(state.basis, beyond);
}

std::vector<MultiIndex> functions_to_add(const Basis& wide, const SieveBatch& batch,
                                         const SieveError& error, double tolerance,
                                         const SieveTuning& tuning) {
  if (error.basis <= std::max(tuning.basis_share * error.sampling,
                              tuning.negligible_basis * std::pow(tolerance, 2)))
    return {};
  const Index beyond = batch.beyond.rows(), m = wide.size() - beyond;
  const Gains gains{batch.beyond.rowwise().squaredNorm(), batch.noise.tail(beyond)};
  const auto most = static_cast<Index>(tuning.most_growth * static_cast<double>(m));
  std::vector<MultiIndex> added;
  for (const Index i :
       mark(gains, {.noise_factor =
                        std::max(tuning.growth_signal,
                                 noise_maximum(beyond, static_cast<double>(batch.beyond.cols()))),
                   .bulk = tuning.bulk,
                   .always = 0,
                   .most = std::max<Index>(1, most)}))
    added.push_back(wide.indices()[m + i]);
  return added;
}

}  // namespace chaosgrad::internal
