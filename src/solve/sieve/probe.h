#pragma once
// Functions that no basis was chosen for, to look for errors that no basis function shows:
//   √2 cos 2π k·U and √2 sin 2π k·U,   U_j = F_j(η_j) uniform on [0, 1],
// k with one or two entries other than 0, all small. They are orthonormal in L²_π, so what a
// residual has on them is a part of its norm (Bessel), whatever the distributions and the basis.
#include <utility>
#include <vector>

#include "chaosgrad/distribution.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

class Probe {
 public:
  explicit Probe(const std::vector<Distribution>& germs, const SieveTuning& tuning = {});

  [[nodiscard]] Index size() const { return 2 * static_cast<Index>(waves_.size()); }
  // B×d → B×size().
  [[nodiscard]] Matrix evaluate(Block eta) const;

 private:
  struct Wave {
    Index axis = 0, other = 0;
    int frequency = 1, other_frequency = 0;  // of `axis`, and of `other` (0: none)
  };
  std::vector<Distribution> germs_;
  std::vector<Wave> waves_;
  int highest_ = 1;
};

}  // namespace chaosgrad::internal
