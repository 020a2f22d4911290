#include "chaosgrad/basis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;
namespace {

// All indices with ν_k ≤ limit_k.
std::vector<MultiIndex> box(const MultiIndex& limit) {
  std::vector<MultiIndex> all{MultiIndex(limit.size(), 0)};
  for (std::size_t k = 0; k < limit.size(); ++k) {
    const std::vector<MultiIndex> before = all;
    for (int n = 1; n <= limit[k]; ++n)
      for (MultiIndex index : before) {
        index[k] = n;
        all.push_back(index);
      }
  }
  return all;
}

double key(const MultiIndex& index, const IndexOrder& order) {
  const bool total = order.kind == IndexOrder::Kind::total_degree;
  double result = total ? 0 : 1;
  for (std::size_t k = 0; k < index.size(); ++k) {
    const double weight = order.weights.size() == 0 ? 1 : order.weights[static_cast<Index>(k)];
    if (total)
      result += weight * index[k];
    else
      result *= std::pow(1.0 + index[k], weight);
  }
  return result;
}

// The documented order, by sorting a box that is large enough to contain the first m.
std::vector<MultiIndex> sorted(const MultiIndex& limit, const IndexOrder& order) {
  std::vector<MultiIndex> all = box(limit);
  const auto degree = [](const MultiIndex& v) { return std::accumulate(v.begin(), v.end(), 0); };
  std::sort(all.begin(), all.end(), [&](const MultiIndex& a, const MultiIndex& b) {
    const double key_a = key(a, order), key_b = key(b, order);
    if (key_a != key_b) return key_a < key_b;
    if (degree(a) != degree(b)) return degree(a) < degree(b);
    return a > b;
  });
  return all;
}

void expect_first(const MultiIndex& limit, Index m, const IndexOrder& order) {
  const IndexSet set = IndexSet::first(static_cast<Index>(limit.size()), m, order);
  std::vector<MultiIndex> expected = sorted(limit, order);
  expected.resize(static_cast<std::size_t>(m));
  EXPECT_EQ(set.indices(), expected);
}

void expect_prefixes_closed(const IndexSet& set) {
  std::set<MultiIndex> seen;
  for (const MultiIndex& index : set.indices()) {
    MultiIndex below = index;
    for (int& entry : below) {
      if (entry == 0) continue;
      --entry;
      ASSERT_TRUE(seen.count(below));
      ++entry;
    }
    ASSERT_TRUE(seen.insert(index).second);
  }
}

IndexOrder order_of(IndexOrder::Kind kind, std::vector<double> weights = {}) {
  IndexOrder order;
  order.kind = kind;
  order.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
  return order;
}

constexpr auto total_degree = IndexOrder::Kind::total_degree;
constexpr auto hyperbolic = IndexOrder::Kind::hyperbolic;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(IndexSet, OneDimensionCounts) {
  for (const auto kind : {total_degree, hyperbolic}) {
    const IndexSet set = IndexSet::first(1, 500, order_of(kind, {0.7}));
    for (Index i = 0; i < set.size(); ++i) EXPECT_EQ(set[i], MultiIndex{static_cast<int>(i)});
  }
}

TEST(IndexSet, TwoDimensionsBeginAsDocumented) {
  const IndexSet set = IndexSet::first(2, 6);
  const std::vector<MultiIndex> expected{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
  EXPECT_EQ(set.indices(), expected);
}

TEST(IndexSet, FirstAgreesWithSorting) {
  expect_first({12, 12, 12}, 400, order_of(total_degree));
  expect_first({60, 60}, 200, order_of(hyperbolic));
  expect_first({30, 30, 30}, 150, order_of(hyperbolic));
  expect_first({20, 20, 20}, 150, order_of(total_degree, {1, 2, 0.5}));
  expect_first({20, 20, 20}, 150, order_of(total_degree, {0.31, 0.107, 0.709}));
  expect_first({60, 20, 20}, 100, order_of(hyperbolic, {1, 2, 1.5}));
  expect_first({5, 5, 5, 5, 5}, 252, order_of(total_degree));
}

TEST(IndexSet, LargestDegreesBindAndEnd) {
  IndexOrder order;
  order.max_degree = {3, 0, 2};
  expect_first(order.max_degree, 12, order);
  EXPECT_EQ(message_of([&] { (void)IndexSet::first(3, 13, order); }),
            "basis_size: 13 functions are asked for, but only 12 exist");
}

TEST(IndexSet, PrefixesAreClosedEvenWithTinyWeights) {
  expect_prefixes_closed(IndexSet::first(3, 500, order_of(total_degree, {1, 1e-20, 1e20})));
  expect_prefixes_closed(IndexSet::first(4, 1000, order_of(hyperbolic, {1, 0.01, 3, 1})));
}

// With as many dimensions as this, only what is asked for may be looked at.
TEST(IndexSet, ThousandsOfDimensions) {
  const IndexSet set = IndexSet::first(2000, 2003);
  for (Index i = 1; i <= 2000; ++i) {
    MultiIndex unit(2000, 0);
    unit[static_cast<std::size_t>(i - 1)] = 1;
    ASSERT_EQ(set[i], unit);
  }
  EXPECT_EQ(set[2001][0], 2);
  EXPECT_EQ(set[2002][0] + set[2002][1], 2);
}

TEST(IndexSet, ManyDimensions) {
  const IndexSet set = IndexSet::first(50, 10000);
  expect_prefixes_closed(set);
  // 1 + 50 + C(51, 2) = 1326 of degree up to 2; the rest has degree 3.
  const auto degree = [&](Index i) { return std::accumulate(set[i].begin(), set[i].end(), 0); };
  EXPECT_EQ(degree(1325), 2);
  EXPECT_EQ(degree(1326), 3);
  EXPECT_EQ(degree(9999), 3);
  for (Index i = 0; i < set.size(); i += 37) EXPECT_EQ(set.position(set[i]), i);
}

TEST(IndexSet, ReducedMarginAgreesWithItsDefinition) {
  IndexSet set = IndexSet::first(3, 23, order_of(hyperbolic));
  set.add_closed({0, 3, 2});
  std::vector<MultiIndex> expected;
  for (const MultiIndex& index : box({30, 30, 30})) {
    if (set.contains(index)) continue;
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k) {
      MultiIndex below = index;
      inside = inside && (below[k]-- == 0 || set.contains(below));
    }
    if (inside) expected.push_back(index);
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(set.reduced_margin(), expected);
}

TEST(IndexSet, AddClosedAppendsWhatIsMissing) {
  IndexSet set = IndexSet::first(2, 3);
  set.add_closed({2, 1});
  const std::vector<MultiIndex> expected{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}};
  EXPECT_EQ(set.indices(), expected);
  set.add_closed({1, 1});
  EXPECT_EQ(set.size(), 6);
  IndexSet high = IndexSet::first(20, 1);
  MultiIndex index(20, 0);
  for (std::size_t k = 0; k < 10; ++k) index[k] = 1;
  high.add_closed(index);
  EXPECT_EQ(high.size(), 1024);
  expect_prefixes_closed(high);
}

TEST(IndexSet, FromKeepsTheOrder) {
  const std::vector<MultiIndex> list{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}};
  const IndexSet set = IndexSet::from(list);
  EXPECT_EQ(set.indices(), list);
  EXPECT_TRUE(set.contains({0, 2}));
  EXPECT_FALSE(set.contains({2, 0}));
  EXPECT_EQ(set.position({1, 0}), 3);
  EXPECT_EQ(set.position({5, 5}), -1);
}

TEST(IndexSet, ErrorsNameTheField) {
  EXPECT_EQ(message_of([] { (void)IndexSet::from({}); }),
            "index_set: is empty: it must start at the index 0");
  EXPECT_EQ(message_of([] {
              (void)IndexSet::from({{1, 0}});
            }),
            "index_set: must start at the index 0, not (1, 0)");
  EXPECT_EQ(message_of([] {
              (void)IndexSet::from({{0, 0}, {1, 1}});
            }),
            "index_set: is not downward closed: a predecessor of (1, 1) does not come before it");
  EXPECT_EQ(message_of([] {
              (void)IndexSet::from({{0, 0}, {0, 0}});
            }),
            "index_set: (0, 0) occurs twice");
  EXPECT_EQ(message_of([] {
              (void)IndexSet::from({{0, 0}, {1}});
            }),
            "index_set: (1) does not have 2 entries");
  EXPECT_EQ(message_of([] {
              (void)IndexSet::from({{0, 0}, {-1, 0}});
            }),
            "index_set: (-1, 0) has a negative entry");
  EXPECT_EQ(message_of([] { (void)IndexSet::first(0, 1); }),
            "index_set: needs at least one dimension");
  EXPECT_EQ(message_of([] { (void)IndexSet::first(2, 0); }),
            "basis_size: must be at least 1 (is 0)");
  EXPECT_EQ(message_of([] {
              (void)IndexSet::first(2, 3, order_of(total_degree, {1, 2, 3}));
            }),
            "index_set: has 3 weights for 2 dimensions");
  EXPECT_NE(message_of([] {
              (void)IndexSet::first(2, 3, order_of(total_degree, {1, -2}));
            }).find("weights must be positive"),
            std::string::npos);
}

}  // namespace
}  // namespace chaosgrad
