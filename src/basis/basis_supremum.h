#pragma once
// Q_m = sup_η Σ_{i<m} ψ_i(η)² of a basis, for all m.
//
// Seen as a function of one coordinate the sum is Σ_n c_n B_n², and c_0 ≥ c_1 ≥ … because the index
// set is downward closed. So a point that maximises every Σ_{n≤N} B_n² (the end of the interval for
// Legendre, the centre for trigonometric functions) is best whatever the other coordinates are, and
// only the remaining coordinates are searched: all of finitely many points, or local maxima from
// many starts, which is a lower bound in principle.
#include <map>
#include <mutex>
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

class BasisSupremum {
 public:
  // Thread-safe; the same families and indices at every call.
  [[nodiscard]] double value(const std::vector<Family>& families, const IndexSet& indices, Index m);

 private:
  struct Coordinate {
    bool unbounded = false;
    bool settled = false;  // a best point is known
    Vector squares;        // B_n² there
  };

  void prepare(const std::vector<Family>& families, const IndexSet& indices);
  void enumerate_points(const std::vector<Family>& families, const IndexSet& indices, Index limit);
  [[nodiscard]] double search(const std::vector<Family>& families, const IndexSet& indices,
                              Index m) const;
  [[nodiscard]] std::vector<Vector> starts(const std::vector<Family>& families,
                                           const IndexSet& indices, Index m) const;
  [[nodiscard]] static std::vector<double> candidates(const Family& family, Index degree);
  [[nodiscard]] std::vector<Index> degrees(const IndexSet& indices, Index m) const;

  std::mutex mutex_;
  bool prepared_ = false;
  Index finite_ = 0;  // Q_m = +∞ for m beyond
  std::vector<Coordinate> coordinates_;
  std::vector<std::size_t> searched_;  // coordinates that are not settled
  Vector settled_factor_;              // per function: Π B² over the settled coordinates
  std::vector<double> values_;         // Q_1, Q_2, …, if they could all be found at once
  std::map<Index, double> found_;      // otherwise those asked for
};

}  // namespace chaosgrad::internal
