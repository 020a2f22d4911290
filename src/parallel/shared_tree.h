#pragma once
// The tree of a sum over ranks. Rank r has the leaves [⌈r n/P⌉, ⌈(r + 1) n/P⌉): of the tree, the largest
// subtrees within them. A node whose leaves belong to several ranks is combined by the rank of its
// first leaf, which is sent the right half by the rank of that half's first leaf. Rank 0 has the
// root in the end, and all get it.
#include <bit>
#include <exception>
#include <utility>
#include <vector>

#include "chaosgrad/types.h"
#include "parallel/failure.h"
#include "parallel/flatten.h"
#include "parallel/ranks.h"

namespace chaosgrad::internal {

// Of n > 1 leaves those below the left child: the largest power of two below n.
[[nodiscard]] inline Index left_leaves(Index n) {
  return static_cast<Index>(std::bit_floor(static_cast<std::size_t>(n - 1)));
}

struct Subtree {
  Index first = 0, leaves = 0;
};

template <class Value>
class SharedTree {
 public:
  SharedTree(Ranks& ranks, Index n) : ranks_(ranks), n_(n) {
    first_ = first_leaf(ranks.rank());
    last_ = first_leaf(ranks.rank() + 1);
    find_own({0, n});
    values_.resize(own_.size());
  }

  [[nodiscard]] const std::vector<Subtree>& own_subtrees() const { return own_; }
  [[nodiscard]] std::vector<Value>& own_values() { return values_; }
  void fail(std::exception_ptr failure) { failure_ = std::move(failure); }

  // The root, on all ranks; or the failure of one of them, thrown on all.
  template <class Combine>
  [[nodiscard]] Value combine(const Combine& combine) {
    Value root = up({0, n_}, combine);
    Numbers numbers;
    if (ranks_.is_first()) numbers = pack(root);
    ranks_.broadcast(numbers);
    if (!ranks_.is_first()) root = unpack(numbers);
    if (failure_) std::rethrow_exception(failure_);
    return root;
  }

 private:
  [[nodiscard]] Index first_leaf(int rank) const {
    return (rank * n_ + ranks_.size() - 1) / ranks_.size();
  }
  [[nodiscard]] int owner(Index leaf) const {
    auto rank = static_cast<int>(leaf * ranks_.size() / n_);
    while (first_leaf(rank + 1) <= leaf) ++rank;
    while (first_leaf(rank) > leaf) --rank;
    return rank;
  }
  [[nodiscard]] bool is_own(const Subtree& node) const {
    return node.first >= first_ && node.first + node.leaves <= last_;
  }
  [[nodiscard]] bool has_own(const Subtree& node) const {
    return first_ < last_ && node.first < last_ && node.first + node.leaves > first_;
  }

  void find_own(const Subtree& node) {
    if (!has_own(node)) return;
    if (is_own(node)) return own_.push_back(node);
    const Index half = left_leaves(node.leaves);
    find_own({node.first, half});
    find_own({node.first + half, node.leaves - half});
  }

  // The value of a node on the rank of its first leaf; nothing on others.
  template <class Combine>
  Value up(const Subtree& node, const Combine& combine) {
    if (!has_own(node)) return {};
    if (is_own(node)) return std::move(values_[next_++]);
    const Index half = left_leaves(node.leaves);
    Value left = up({node.first, half}, combine);
    Value right = up({node.first + half, node.leaves - half}, combine);
    const int left_owner = owner(node.first), right_owner = owner(node.first + half);
    if (left_owner != right_owner) {
      if (right_owner == ranks_.rank())
        ranks_.send(left_owner, Ranks::Channel::values, pack(right));
      if (left_owner == ranks_.rank())
        right = unpack(ranks_.receive(right_owner, Ranks::Channel::values).numbers);
    }
    if (left_owner == ranks_.rank() && !failure_) combine(left, std::move(right));
    return left;
  }

  [[nodiscard]] Numbers pack(Value& value) const {
    Numbers numbers{failure_ ? 1.0 : 0.0};
    if (failure_) {
      flatten_failure(failure_, numbers);
    } else {
      flatten(value, numbers);
    }
    return numbers;
  }
  [[nodiscard]] Value unpack(const Numbers& numbers) {
    const double* next = numbers.data();
    Value value{};
    if (*next++ == 0) {
      unflatten(next, value);
    } else if (std::exception_ptr other = unflatten_failure(next); !failure_) {
      failure_ = std::move(other);
    }
    return value;
  }

  Ranks& ranks_;
  Index n_, first_ = 0, last_ = 0;
  std::vector<Subtree> own_;
  std::vector<Value> values_;
  std::size_t next_ = 0;  // value that up() takes
  std::exception_ptr failure_;
};

}  // namespace chaosgrad::internal
