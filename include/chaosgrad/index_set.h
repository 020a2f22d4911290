#pragma once
// Ordered, downward closed sets of multi-indices ν ∈ N^d. The order defines "the first m" functions of a basis, and every
// prefix is itself downward closed.
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad {

using MultiIndex = std::vector<int>;

// An order of N^d, restricted per dimension: ν_k ≤ max_degree_k.
//   total_degree: by Σ w_k ν_k;    hyperbolic: by Π (1 + ν_k)^{w_k}.   Ties: see index_set.cpp; weights w_k > 0.
struct IndexOrder {
  enum class Kind { total_degree, hyperbolic };
  Kind kind = Kind::total_degree;
  Vector weights;               // empty: all 1
  std::vector<int> max_degree;  // empty: no limit
};

class IndexSet {
 public:
  IndexSet() = default;
  // The first m indices of N^d in the given order. Throws InputError if fewer than m exist.
  static IndexSet first(Index dimension, Index m, const IndexOrder& order = {});
  // An arbitrary list; throws InputError unless it starts at 0, has no repetition and every prefix is downward closed.
  static IndexSet from(std::vector<MultiIndex> indices);

  [[nodiscard]] Index size() const { return static_cast<Index>(indices_.size()); }
  [[nodiscard]] Index dimension() const;
  [[nodiscard]] const MultiIndex& operator[](Index i) const { return indices_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const std::vector<MultiIndex>& indices() const { return indices_; }

  // Append ν and whatever of its predecessors is missing (in lexicographic order), keeping every prefix downward closed.
  void add_closed(const MultiIndex& index);
  [[nodiscard]] bool contains(const MultiIndex& index) const;
  // Reduced margin: every ν outside the set all of whose predecessors ν − e_k are inside, sorted.
  [[nodiscard]] std::vector<MultiIndex> reduced_margin() const;

 private:
  std::vector<MultiIndex> indices_;
};

}  // namespace chaosgrad
