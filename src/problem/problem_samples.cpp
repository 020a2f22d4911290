#include "problem/problem_samples.h"

namespace chaosgrad::internal {

std::vector<Family> make_families(const Oracle& oracle) {
  std::vector<Family> families;
  const std::vector<Distribution>& germs = oracle.parameters().germs();
  for (std::size_t k = 0; k < germs.size(); ++k)
    families.emplace_back(germs[k], oracle.facts().bases[k]);
  return families;
}

QuadratureSource problem_quadrature(const Oracle& oracle, const std::vector<Family>& families,
                                    Index nodes, bool with_noise) {
  const ProblemFacts& facts = oracle.facts();
  return QuadratureSource(oracle.parameters(), families, facts.breakpoints,
                          with_noise ? facts.noise_axes : std::vector<NoiseAxis>{}, nodes);
}

}  // namespace chaosgrad::internal
