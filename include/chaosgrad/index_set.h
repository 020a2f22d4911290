#pragma once
// Ordered, downward closed sets of multi-indices ν ∈ N^d. The order defines "the first m" functions
// of a basis, and every prefix is itself downward closed.
#include <cstdint>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad {

using MultiIndex = std::vector<int>;

// An order of N^d, restricted per dimension: ν_k ≤ max_degree_k.
//   total_degree: by Σ w_k ν_k;    hyperbolic: by Π (1 + ν_k)^{w_k};    weights w_k > 0.
// Ties: the smaller Σ ν_k first, then the lexicographically larger (e_1 before e_2); for d = 2 the
// total degree order begins 00, 10, 01, 20, 11, 02, and for d = 1 every order is 0, 1, 2, …
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
  // An arbitrary list; throws InputError unless it starts at 0, has no repetition and every prefix
  // is downward closed.
  static IndexSet from(std::vector<MultiIndex> indices);

  [[nodiscard]] Index size() const { return static_cast<Index>(indices_.size()); }
  [[nodiscard]] Index dimension() const {
    return indices_.empty() ? 0 : static_cast<Index>(indices_.front().size());
  }
  [[nodiscard]] const MultiIndex& operator[](Index i) const {
    return indices_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const std::vector<MultiIndex>& indices() const { return indices_; }

  // Append ν and whatever of its predecessors is missing (in lexicographic order), keeping every
  // prefix downward closed.
  void add_closed(const MultiIndex& index);
  [[nodiscard]] bool contains(const MultiIndex& index) const { return position(index) >= 0; }
  // Where ν stands in the order, or −1.
  [[nodiscard]] Index position(const MultiIndex& index) const;
  // Reduced margin: every ν outside the set all of whose predecessors ν − e_k are inside, sorted
  // lexicographically.
  [[nodiscard]] std::vector<MultiIndex> reduced_margin() const;

 private:
  void append(MultiIndex index);
  [[nodiscard]] std::size_t slot(const MultiIndex& index) const;
  // Changes the index on the way, and back.
  [[nodiscard]] bool predecessors_inside(MultiIndex& index) const;

  std::vector<MultiIndex> indices_;
  std::vector<std::int32_t> table_;  // open addressing: positions in indices_, −1 where empty
};

}  // namespace chaosgrad
