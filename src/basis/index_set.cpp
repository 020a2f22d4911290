#include "chaosgrad/basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;
namespace {

std::size_t hash(const MultiIndex& index) {
  std::uint64_t h = 0, factor = 0x9e3779b97f4a7c15;
  for (const int n : index) {
    h += static_cast<std::uint64_t>(n) * factor;
    factor += 0xd1342543de82ef94;
  }
  h = (h ^ (h >> 32)) * 0xbf58476d1ce4e5b9;
  return static_cast<std::size_t>(h ^ (h >> 29));
}

std::size_t last_active(const MultiIndex& index) {
  for (std::size_t k = index.size(); k-- > 0;)
    if (index[k] > 0) return k;
  return 0;
}

std::string text(const MultiIndex& index) {
  std::string result = "(";
  for (std::size_t k = 0; k < index.size(); ++k)
    result += (k > 0 ? ", " : "") + std::to_string(index[k]);
  return result + ")";
}

// Best-first walk through N^d. A candidate is an index of the set plus e_k, where k is not before
// the last active dimension: so each index is reached exactly once, from a predecessor that is
// smaller in the order.
class Enumeration {
 public:
  Enumeration(const std::vector<MultiIndex>& done, const IndexOrder& order)
      : done_(done), order_(order), queue_(Later{this}) {}

  // The successors of an index of the set become candidates when pop() needs them: in many
  // dimensions most never do.
  void add(std::size_t parent) {
    const MultiIndex& index = done_[parent];
    const int degree = std::accumulate(index.begin(), index.end(), 0);
    pending_.push_back({key(index), degree, static_cast<std::uint32_t>(parent), 0});
    least_degree_ = pending_.size() == 1 ? degree : std::min(least_degree_, degree);
  }
  // The next index; empty if there is none.
  MultiIndex pop() {
    push_pending();
    if (queue_.empty()) return {};
    const Candidate best = queue_.top();
    queue_.pop();
    MultiIndex index = done_[best.parent];
    ++index[best.dimension];
    return index;
  }

 private:
  struct Candidate {
    double key;
    int degree;
    std::uint32_t parent, dimension;
  };
  struct Later {
    const Enumeration* walk;
    bool operator()(const Candidate& a, const Candidate& b) const { return walk->before(b, a); }
  };

  // A successor has at least the key of its parent and one degree more.
  [[nodiscard]] bool first_comes_before_successors(double parent_key, int parent_degree) const {
    return !queue_.empty() && queue_.top().key <= parent_key &&
           queue_.top().degree <= parent_degree;
  }

  // Those whose successors might come first. Indices were added in the order of their keys.
  void push_pending() {
    if (pending_.empty() || first_comes_before_successors(pending_.front().key, least_degree_))
      return;
    std::vector<Candidate> left;
    for (const Candidate& parent : pending_) {
      if (first_comes_before_successors(parent.key, parent.degree)) {
        least_degree_ = left.empty() ? parent.degree : std::min(least_degree_, parent.degree);
        left.push_back(parent);
      } else {
        push_successors(parent.parent);
      }
    }
    pending_ = std::move(left);
  }

  void push_successors(std::size_t parent) {
    const MultiIndex& index = done_[parent];
    MultiIndex next = index;
    const int degree = std::accumulate(index.begin(), index.end(), 1);
    const double parent_key = key(index);
    const std::size_t last = last_active(index);
    for (std::size_t k = last; k < index.size(); ++k) {
      if (!order_.max_degree.empty() && index[k] >= order_.max_degree[k]) continue;
      ++next[k];
      queue_.push({k == last ? key(next) : with_factor(parent_key, k, 1), degree,
                   static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(k)});
      --next[k];
    }
  }

  // Every operation rounds monotonically, so key(ν − e_k) ≤ key(ν) also in floating point; the
  // degree then decides, and prefixes are downward closed whatever the weights.
  [[nodiscard]] double key(const MultiIndex& index) const {
    double result = order_.kind == IndexOrder::Kind::total_degree ? 0 : 1;
    for (std::size_t k = 0; k < index.size(); ++k) {
      if (index[k] > 0) result = with_factor(result, k, index[k]);
    }
    return result;
  }
  // The key of an index with degree n in dimension k, from that of its dimensions before k.
  [[nodiscard]] double with_factor(double key, std::size_t k, int n) const {
    const double weight = order_.weights.size() == 0 ? 1 : order_.weights[static_cast<Index>(k)];
    if (order_.kind == IndexOrder::Kind::total_degree) return key + weight * n;
    return key * (weight == 1 ? 1.0 + n : std::pow(1.0 + n, weight));
  }

  [[nodiscard]] bool before(const Candidate& a, const Candidate& b) const {
    if (a.key != b.key) return a.key < b.key;
    if (a.degree != b.degree) return a.degree < b.degree;
    const MultiIndex &x = done_[a.parent], &y = done_[b.parent];
    for (std::size_t k = 0; k < x.size(); ++k) {
      const int x_k = x[k] + (k == a.dimension), y_k = y[k] + (k == b.dimension);
      if (x_k != y_k) return x_k > y_k;
    }
    return false;
  }

  const std::vector<MultiIndex>& done_;
  const IndexOrder& order_;
  std::priority_queue<Candidate, std::vector<Candidate>, Later> queue_;
  std::vector<Candidate> pending_;  // of the set, whose successors are not candidates yet
  int least_degree_ = 0;            // among them
};

void validate(Index dimension, Index m, const IndexOrder& order) {
  if (dimension < 1) throw InputError("index_set", "needs at least one dimension");
  if (m < 1) throw InputError("basis_size", "must be at least 1 (is " + std::to_string(m) + ")");
  if (order.weights.size() != 0 && order.weights.size() != dimension)
    throw InputError("index_set", "has " + std::to_string(order.weights.size()) + " weights for " +
                                      std::to_string(dimension) + " dimensions");
  for (const double w : order.weights)
    if (!(w > 0) || !std::isfinite(w))
      throw InputError("index_set",
                       "weights must be positive and finite (one is " + std::to_string(w) + ")");
  if (!order.max_degree.empty() && static_cast<Index>(order.max_degree.size()) != dimension)
    throw InputError("index_set", "has " + std::to_string(order.max_degree.size()) +
                                      " largest degrees for " + std::to_string(dimension) +
                                      " dimensions");
  for (const int n : order.max_degree)
    if (n < 0)
      throw InputError("index_set", "the largest degree must not be negative (one is " +
                                        std::to_string(n) + ")");
}

}  // namespace

IndexSet IndexSet::first(Index dimension, Index m, const IndexOrder& order) {
  validate(dimension, m, order);
  IndexSet set;
  set.append(MultiIndex(static_cast<std::size_t>(dimension), 0));
  Enumeration walk(set.indices_, order);
  walk.add(0);
  while (set.size() < m) {
    MultiIndex next = walk.pop();
    if (next.empty())
      throw InputError("basis_size", std::to_string(m) + " functions are asked for, but only " +
                                         std::to_string(set.size()) + " exist");
    set.append(std::move(next));
    walk.add(set.indices_.size() - 1);
  }
  return set;
}

IndexSet IndexSet::from(std::vector<MultiIndex> indices) {
  if (indices.empty() || indices.front().empty())
    throw InputError("index_set", "is empty: it must start at the index 0");
  if (last_active(indices.front()) != 0 || indices.front()[0] != 0)
    throw InputError("index_set", "must start at the index 0, not " + text(indices.front()));
  IndexSet set;
  for (MultiIndex& index : indices) {
    if (set.size() > 0 && static_cast<Index>(index.size()) != set.dimension())
      throw InputError("index_set", text(index) + " does not have " +
                                        std::to_string(set.dimension()) + " entries");
    if (std::any_of(index.begin(), index.end(), [](int n) { return n < 0; }))
      throw InputError("index_set", text(index) + " has a negative entry");
    if (set.contains(index)) throw InputError("index_set", text(index) + " occurs twice");
    if (!set.predecessors_inside(index))
      throw InputError("index_set", "is not downward closed: a predecessor of " + text(index) +
                                        " does not come before it");
    set.append(std::move(index));
  }
  return set;
}

void IndexSet::add_closed(const MultiIndex& index) {
  if (index.empty() || (size() > 0 && static_cast<Index>(index.size()) != dimension()))
    throw InputError("index_set",
                     text(index) + " does not have " + std::to_string(dimension()) + " entries");
  if (std::any_of(index.begin(), index.end(), [](int n) { return n < 0; }))
    throw InputError("index_set", text(index) + " has a negative entry");
  // Only missing indices are walked: below one that is present everything is.
  std::vector<MultiIndex> missing, open;
  IndexSet seen;
  if (!contains(index)) open.push_back(index);
  while (!open.empty()) {
    MultiIndex current = std::move(open.back());
    open.pop_back();
    if (seen.contains(current)) continue;
    seen.append(current);
    missing.push_back(current);
    for (int& entry : current) {
      if (entry == 0) continue;
      --entry;
      if (!contains(current)) open.push_back(current);
      ++entry;
    }
  }
  std::sort(missing.begin(), missing.end());
  for (MultiIndex& next : missing) append(std::move(next));
}

Index IndexSet::position(const MultiIndex& index) const {
  return table_.empty() ? -1 : table_[slot(index)];
}

std::vector<MultiIndex> IndexSet::reduced_margin() const {
  std::vector<MultiIndex> margin;
  for (const MultiIndex& index : indices_) {
    MultiIndex candidate = index;
    for (std::size_t k = last_active(index); k < index.size(); ++k) {
      ++candidate[k];
      if (!contains(candidate) && predecessors_inside(candidate)) margin.push_back(candidate);
      --candidate[k];
    }
  }
  std::sort(margin.begin(), margin.end());
  return margin;
}

void IndexSet::append(MultiIndex index) {
  indices_.push_back(std::move(index));
  if (2 * indices_.size() > table_.size()) {
    table_.assign(std::max<std::size_t>(16, 2 * table_.size()), -1);
    for (std::size_t i = 0; i < indices_.size(); ++i)
      table_[slot(indices_[i])] = static_cast<std::int32_t>(i);
  } else {
    table_[slot(indices_.back())] = static_cast<std::int32_t>(indices_.size() - 1);
  }
}

// Where the index is in the table, or the empty place where it belongs.
std::size_t IndexSet::slot(const MultiIndex& index) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash(index) & mask;
  while (table_[place] >= 0 && indices_[static_cast<std::size_t>(table_[place])] != index)
    place = (place + 1) & mask;
  return place;
}

bool IndexSet::predecessors_inside(MultiIndex& index) const {
  for (int& entry : index) {
    if (entry == 0) continue;
    --entry;
    const bool inside = contains(index);
    ++entry;
    if (!inside) return false;
  }
  return true;
}

}  // namespace chaosgrad
