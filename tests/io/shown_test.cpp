#include "io/shown.h"

#include <gtest/gtest.h>

#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;
namespace {

std::vector<std::string> names(Index x, Index y) {
  std::vector<std::string> all;
  for (Index i = 0; i < x; ++i) all.push_back("x[" + std::to_string(i) + "]");
  for (Index i = 0; i < y; ++i) all.push_back("y[" + std::to_string(i) + "]");
  all.push_back("z");
  return all;
}

TEST(Shown, AllOfFew) {
  EXPECT_EQ(spread_components(names(2, 1), 4), (std::vector<Index>{0, 1, 2, 3}));
}

// The small variables whole, the large one evenly.
TEST(Shown, EvenlySpread) {
  EXPECT_EQ(spread_components(names(1000, 2), 7),
            (std::vector<Index>{0, 250, 500, 750, 1000, 1001, 1002}));
  for (const Index most : {1, 2, 3, 10, 999}) {
    const std::vector<Index> shown = spread_components(names(5000, 3000), most);
    EXPECT_LE(static_cast<Index>(shown.size()), most);
    EXPECT_GE(static_cast<Index>(shown.size()), most - 1);
    EXPECT_TRUE(std::ranges::is_sorted(shown));
  }
}

TEST(Shown, ByName) {
  EXPECT_EQ(named_components(names(10, 2), "z,x[3],x[8:10],x[3]"),
            (std::vector<Index>{3, 8, 9, 12}));
  EXPECT_EQ(named_components(names(10, 2), "y"), (std::vector<Index>{10, 11}));
  for (const char* wrong : {"", "w", "x[10]", "x[-1]", "x[1", "x[a]", "x[4:2]", "x[0:11]", "z,"})
    EXPECT_THROW((void)named_components(names(10, 2), wrong), InputError) << wrong;
}

}  // namespace
}  // namespace chaosgrad
