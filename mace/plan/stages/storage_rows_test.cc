// AssignStorage: inputs of a Concat that lie in the rows of its output.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <vector>

#include "mace/plan/stages/storage.h"
#include "mace/plan/testing/plan_maker.h"

namespace mace {
namespace {

using testing::KernelProperties;
using testing::PlanMaker;

constexpr MemorySavings kConcat = {false, false, false, true, false, false};
constexpr MemorySavings kRows = {false, false, false, false, false, true};

// A Concat of rows of 4 and of 3 elements.
struct RowsCase {
  int Part(const Shape& shape, bool writes_rows = true) {
    KernelProperties properties;
    properties.writes_rows = writes_rows;
    return maker.AddOne("Mix", {x}, shape, properties);
  }
  // Returns whether the parts lie in the rows of the Concat's output `y`, which
  // is read by the node that makes the graph's output.
  bool Joins(const std::vector<int>& parts, int64_t axis = 2) {
    y = maker.AddOne("Concat", parts, out, {}, {{"axis", axis}});
    const size_t s = maker.plan.steps.size() - 1;
    maker.Output(maker.AddOne("Mix", {y}, {3}));
    storage = AssignStorage(maker.plan, savings);
    for (int id : parts) {
      if (id < 0) continue;
      EXPECT_EQ(storage.root[id] == storage.root[y], storage.elided[s] != 0);
      EXPECT_EQ(storage.locations[id].row_stride != 0, storage.elided[s] != 0);
    }
    return storage.elided[s] != 0;
  }
  PlanMaker maker;
  int x = maker.Input({8});
  Shape out = {2, 5, 7};
  MemorySavings savings = kRows;
  int y = -1;
  Storage storage;
};

void ExpectInside(const RowsCase& c, int part, int64_t offset) {
  const Location &location = c.storage.locations[part],
                 &of = c.storage.locations[c.y];
  EXPECT_EQ(location.kind, of.kind);
  EXPECT_EQ(location.index, of.index);
  EXPECT_EQ(location.offset - of.offset, offset);
}

TEST(StorageRows, PartsOfRowsLieInThem) {
  RowsCase c;
  const int a = c.Part({2, 5, 4}), b = c.Part({2, 5, 3});
  EXPECT_TRUE(c.Joins({b, a}));
  ExpectInside(c, b, 0);
  ExpectInside(c, a, 3 * 4);
  EXPECT_EQ(c.storage.locations[a].row_stride, 7 * 4);
  EXPECT_EQ(c.storage.locations[b].row_stride, 7 * 4);
  EXPECT_EQ(c.storage.locations[c.y].row_stride, 0);
  EXPECT_EQ(c.storage.bytes[c.storage.root[a]], 2 * 5 * 7 * 4);
}

TEST(StorageRows, RowsThatAreCopied) {
  const Shape four = {2, 5, 4}, three = {2, 5, 3};
  {
    RowsCase c;
    c.savings = kConcat;
    EXPECT_FALSE(c.Joins({c.Part(four), c.Part(three)})) << "not asked for";
  }
  {
    RowsCase c;
    EXPECT_FALSE(c.Joins({c.Part(four), c.Part(three, false)}))
        << "a kernel that writes dense rows only";
  }
  {
    RowsCase c;
    const int a = c.Part(four);
    c.maker.Output(c.maker.AddOne("Mix", {a}, {3}));
    EXPECT_FALSE(c.Joins({a, c.Part(three)})) << "another node reads it";
  }
  {
    RowsCase c;
    const int a = c.Part(four);
    c.maker.Output(a);
    EXPECT_FALSE(c.Joins({a, c.Part(three)})) << "an output of the graph";
  }
  {
    RowsCase c;
    c.out = {2, 5, 8};
    const int a = c.Part(four);
    EXPECT_FALSE(c.Joins({a, a})) << "the same twice";
  }
  {
    RowsCase c;
    EXPECT_FALSE(c.Joins({c.Part(four), c.maker.Constant(three)}));
  }
  {
    RowsCase c;
    EXPECT_FALSE(c.Joins({c.maker.Input(four), c.Part(three)}));
  }
  {
    RowsCase c;
    c.out = {2, 9, 4};
    EXPECT_FALSE(c.Joins({c.Part(four), c.Part({2, 4, 4})}, 1));
  }
  {
    RowsCase c;
    c.out = {0, 5, 4};
    EXPECT_FALSE(c.Joins({c.Part(c.out), c.Part(c.out)}, 0)) << "another axis";
  }
  {
    RowsCase c;
    c.out = four;
    EXPECT_FALSE(c.Joins({c.Part(four)})) << "one is a copy";
  }
  {
    RowsCase c;
    c.savings.views = true;
    const int a = c.Part(four);
    c.maker.AddOne("Reshape", {a}, {40});
    EXPECT_FALSE(c.Joins({a, c.Part(three)})) << "a view shows it";
  }
}

TEST(StorageRows, RowsOfAConcatThatTheCallerGets) {
  RowsCase c;
  const int a = c.Part({2, 5, 4}), b = c.Part({2, 5, 3});
  c.maker.Output(
      c.maker.AddOne("Concat", {a, b}, c.out, {}, {{"axis", int64_t{2}}}));
  const Storage s = AssignStorage(c.maker.plan, kRows);
  EXPECT_EQ(s.locations[b].kind, Location::kOutput);
  EXPECT_EQ(s.locations[b].offset, 4 * 4);
  EXPECT_EQ(s.locations[b].row_stride, 7 * 4);
}

}  // namespace
}  // namespace mace
