// AssignStorage: which values share bytes, which must not, and where groups
// lie.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/storage.h"

#include <gtest/gtest.h>

#include <vector>

#include "mace/plan/testing/plan_maker.h"

namespace mace {
namespace {

using testing::KernelProperties;
using testing::PlanMaker;
using List = std::vector<int64_t>;

constexpr MemorySavings kNone = {false, false, false, false, false, false};
constexpr MemorySavings kViews = {false, true, false, false, false, false};
constexpr MemorySavings kInPlace = {false, false, true, false, false, false};
constexpr MemorySavings kConcat = {false, false, false, true, false, false};
constexpr MemorySavings kAll = {false, true, true, true, true, true};

KernelProperties InPlaceOf(std::vector<int> inputs, int64_t distance = 0) {
  KernelProperties properties;
  for (int i : inputs) properties.overlaps.push_back({i, distance});
  return properties;
}

// Makes a graph whose first value is computed, so that it lies in the arena.
struct Fixture {
  explicit Fixture(const Shape& shape) {
    x = maker.AddOne("Mix", {maker.Input({8})}, shape);
  }
  // The last value becomes the graph's output by way of another node, which
  // reads all values of `reads`.
  Storage Finish(const std::vector<int>& reads, const MemorySavings& savings) {
    maker.Output(maker.AddOne("Mix", reads, {3}));
    return AssignStorage(maker.plan, savings);
  }
  PlanMaker maker;
  int x;
};

void ExpectInside(const Storage& s, int value, int of, int64_t offset) {
  EXPECT_EQ(s.root[value], s.root[of]);
  EXPECT_EQ(s.offset[value] - s.offset[of], offset);
  EXPECT_EQ(s.locations[value].kind, s.locations[of].kind);
  EXPECT_EQ(s.locations[value].index, s.locations[of].index);
  EXPECT_EQ(s.locations[value].offset - s.locations[of].offset, offset);
}

TEST(Storage, WithoutSavingsNothingIsShared) {
  Fixture f({4, 4});
  const int y = f.maker.AddOne("Reshape", {f.x}, {16}, InPlaceOf({0}));
  const int z =
      f.maker.AddOne("Concat", {y, y}, {32}, {}, {{"axis", int64_t{0}}});
  const Storage s = f.Finish({z}, kNone);
  for (size_t v = 0; v < s.root.size(); ++v) {
    EXPECT_EQ(s.root[v], static_cast<int>(v));
    EXPECT_EQ(s.offset[v], 0);
    EXPECT_EQ(s.bytes[v], Bytes(f.maker.plan.graph.values[v].type));
  }
  EXPECT_EQ(s.elided, std::vector<uint8_t>(4, false));
  EXPECT_TRUE(s.copies.empty());
  EXPECT_EQ(s.locations[0].kind, Location::kInput);
  EXPECT_EQ(s.locations[f.x].kind, Location::kArena);
  EXPECT_EQ(s.locations[4].kind, Location::kOutput);
}

TEST(Storage, PlacesOfEachKind) {
  PlanMaker maker;
  const int first = maker.Input({2});
  const int second = maker.Input({2});
  const int constant = maker.Constant({2});
  const int unused = maker.Constant({2});
  const int a = maker.AddOne("Mix", {first, second, constant}, {2});
  const int b = maker.AddOne("Mix", {a}, {2});
  maker.Output(b);
  maker.Output(maker.AddOne("Mix", {a}, {2}));
  const int dead = maker.Constant({1});
  maker.plan.graph.values[dead].data = nullptr;  // no step touches it
  const Storage s = AssignStorage(maker.plan, kAll);
  const auto expect = [&](int value, Location::Kind kind, int index) {
    EXPECT_EQ(s.locations[value].kind, kind) << value;
    EXPECT_EQ(s.locations[value].index, index) << value;
    EXPECT_EQ(s.locations[value].offset, 0) << value;
  };
  expect(first, Location::kInput, 0);
  expect(second, Location::kInput, 1);
  expect(constant, Location::kConstant, constant);
  expect(unused, Location::kConstant, unused);
  expect(a, Location::kArena, -1);
  expect(b, Location::kOutput, 0);
  expect(b + 1, Location::kOutput, 1);
  expect(dead, Location::kUnused, -1);
}

TEST(Storage, AReshapeIsAView) {
  Fixture f({4, 4});
  const int y = f.maker.AddOne("Reshape", {f.x}, {16});
  const int z = f.maker.AddOne("Reshape", {y}, {2, 8});
  const Storage s = f.Finish({z, f.x}, kViews);
  ExpectInside(s, y, f.x, 0);
  ExpectInside(s, z, f.x, 0);
  EXPECT_EQ(s.elided, (std::vector<uint8_t>{false, true, true, false}));
}

TEST(Storage, PartsOfTheOutermostExtentAreViews) {
  for (const bool with_ones : {false, true}) {
    Fixture f(with_ones ? Shape{1, 1, 6, 5} : Shape{6, 5});
    const int64_t axis = with_ones ? 2 : 0;
    const auto shape = [&](int64_t rows) {
      return with_ones ? Shape{1, 1, rows, 5} : Shape{rows, 5};
    };
    const std::vector<int> split = f.maker.Add(
        "Split", {f.x}, {shape(1), shape(2), shape(3)}, {}, {{"axis", axis}});
    const int slice = f.maker.AddOne(
        "Slice", {split[2]}, shape(1), {},
        {{"starts", List{1}}, {"ends", List{2}}, {"axes", List{axis}}});
    const Storage s = f.Finish({slice, split[0], split[1]}, kViews);
    ExpectInside(s, split[0], f.x, 0);
    ExpectInside(s, split[1], f.x, 1 * 5 * 4);
    ExpectInside(s, split[2], f.x, 3 * 5 * 4);
    ExpectInside(s, slice, f.x, 4 * 5 * 4);
    EXPECT_EQ(s.elided, (std::vector<uint8_t>{false, true, true, false}));
  }
}

TEST(Storage, PartsOfInnerExtentsAreNone) {
  Fixture f({2, 6});
  const int a = f.maker.Add("Split", {f.x}, {{2, 2}, {2, 4}}, {},
                            {{"axis", int64_t{1}}})[0];
  const int b = f.maker.AddOne(
      "Slice", {f.x}, {2, 3}, {},
      {{"starts", List{1}}, {"ends", List{4}}, {"axes", List{1}}});
  const Storage s = f.Finish({a, b}, kViews);
  EXPECT_EQ(s.elided, std::vector<uint8_t>(4, false));
  EXPECT_EQ(s.root[a], a);
  EXPECT_EQ(s.root[b], b);
}

TEST(Storage, APartOfOneRowIsAView) {
  Fixture f({2, 6});
  const int y = f.maker.AddOne("Slice", {f.x}, {1, 3}, {},
                               {{"starts", List{1, 2}}, {"ends", List{2, 5}}});
  const Storage s = f.Finish({y}, kViews);
  ExpectInside(s, y, f.x, (6 + 2) * 4);
}

// Returns the byte offset of a Slice of [6, 5], or -1 if it is not a view.
int64_t SliceOffset(const AttrMap& attrs, int64_t rows) {
  Fixture f({6, 5});
  const int y = f.maker.AddOne("Slice", {f.x}, {rows, 5}, {}, attrs);
  const Storage s = f.Finish({y}, kViews);
  return s.root[y] == f.x ? s.offset[y] : -1;
}

TEST(Storage, WhereASliceBegins) {
  const auto offset = [](const List& starts, const List& ends, const List& axes,
                         const List& steps = {}) {
    AttrMap attrs = {{"starts", starts}, {"ends", ends}, {"axes", axes}};
    if (!steps.empty()) attrs["steps"] = steps;
    return SliceOffset(attrs, 2);
  };
  EXPECT_EQ(offset({2}, {4}, {0}), 2 * 20);
  EXPECT_EQ(offset({-4}, {-2}, {-2}), 2 * 20);
  EXPECT_EQ(offset({-9}, {2}, {0}), 0) << "clamped";
  EXPECT_EQ(offset({4}, {99}, {0}), 4 * 20) << "clamped";
  EXPECT_EQ(offset({0, 2}, {5, 4}, {1, 0}), 2 * 20);
  EXPECT_EQ(offset({0, 2}, {5, 4}, {-1, -2}), 2 * 20);
  EXPECT_EQ(offset({1, 0}, {3, 5}, {}), 20);
  EXPECT_EQ(offset({2}, {4}, {0}, {1}), 2 * 20);
  EXPECT_EQ(offset({2}, {6}, {0}, {2}), -1);
  EXPECT_EQ(offset({2}, {0}, {0}, {-1}), -1);
}

TEST(Storage, AViewOfAllIsNoPart) {
  Fixture f({1, 1});
  const int y =
      f.maker.Add("Split", {f.x}, {{1, 1}}, {}, {{"axis", int64_t{0}}})[0];
  const Storage s = f.Finish({y}, kViews);
  ExpectInside(s, y, f.x, 0);
}

TEST(Storage, AnOutputIsAViewOfTheWholeOnly) {
  for (const int64_t rows : {4, 2}) {
    for (const int64_t start : {0, 2}) {
      Fixture f({4, 5});
      if (rows + start > 4) continue;
      const int y = f.maker.AddOne("Slice", {f.x}, {rows, 5}, {},
                                   {{"starts", List{start}},
                                    {"ends", List{start + rows}},
                                    {"axes", List{0}}});
      f.maker.Output(y);
      const Storage s = AssignStorage(f.maker.plan, kViews);
      EXPECT_EQ(s.elided[1], rows == 4);
      EXPECT_EQ(s.locations[y].kind, Location::kOutput);
      EXPECT_EQ(s.locations[f.x].kind,
                rows == 4 ? Location::kOutput : Location::kArena);
    }
  }
}

TEST(Storage, APartOfAPartIsNoOutput) {
  Fixture f({4, 5});
  const int part = f.maker.AddOne("Slice", {f.x}, {2, 5}, {},
                                  {{"starts", List{0}}, {"ends", List{2}}});
  const int y = f.maker.AddOne("Reshape", {part}, {10});
  f.maker.Output(y);
  const Storage s = AssignStorage(f.maker.plan, kViews);
  EXPECT_TRUE(s.elided[1]);
  EXPECT_FALSE(s.elided[2]);
}

TEST(Storage, ViewsOfWhatIsTheCallersAreCopied) {
  PlanMaker maker;
  const int x = maker.Input({4});
  const int c = maker.Constant({4});
  const int y = maker.AddOne("Reshape", {x}, {2, 2});
  const int z = maker.AddOne("Reshape", {c}, {2, 2});
  maker.Output(y);
  maker.Output(z);
  maker.Output(x);
  maker.Output(maker.AddOne("Mix", {y}, {4}, InPlaceOf({0})));
  maker.Output(4);
  const Storage s = AssignStorage(maker.plan, kAll);
  EXPECT_EQ(s.locations[y].kind, Location::kInput);
  EXPECT_EQ(s.locations[z].kind, Location::kConstant);
  EXPECT_EQ(s.locations[z].index, c);
  EXPECT_EQ(s.locations[4].kind, Location::kOutput);
  EXPECT_EQ(s.locations[4].index, 3);
  ASSERT_EQ(s.copies.size(), 4u);
  const int values[] = {y, z, x, 4}, outputs[] = {0, 1, 2, 4};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(s.copies[i].value, values[i]);
    EXPECT_EQ(s.copies[i].output, outputs[i]);
  }
}

// Returns whether `y`, computed from `inputs`, takes the bytes of one of them.
struct InPlaceCase {
  explicit InPlaceCase(int64_t elements = 16) : f({16}), size(elements) {}
  bool Shares(const std::vector<int>& inputs,
              const KernelProperties& properties,
              const MemorySavings& savings = kInPlace) {
    y = f.maker.AddOne("Mix", inputs, {size}, properties);
    storage = f.Finish(reads_later.empty() ? std::vector<int>{y} : reads_later,
                       savings);
    return storage.root[y] != y || f.maker.plan.graph.values.empty();
  }
  Fixture f;
  int64_t size;
  std::vector<int> reads_later;
  int y = -1;
  Storage storage;
};

TEST(Storage, AnInputThatDiesIsTakenOver) {
  {
    InPlaceCase c;
    EXPECT_TRUE(c.Shares({c.f.x}, InPlaceOf({0})));
    ExpectInside(c.storage, c.y, c.f.x, 0);
    EXPECT_FALSE(c.storage.elided[1]);
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({c.f.x}, {})) << "the kernel does not allow it";
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({c.f.x}, InPlaceOf({0}, 4))) << "not exactly there";
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({c.f.x}, InPlaceOf({0}), kConcat)) << "not asked for";
  }
  {
    InPlaceCase c(8);
    EXPECT_FALSE(c.Shares({c.f.x}, InPlaceOf({0}))) << "another size";
  }
  {
    InPlaceCase c;
    c.reads_later = {c.f.x};
    EXPECT_FALSE(c.Shares({c.f.x}, InPlaceOf({0}))) << "read later";
  }
  {
    InPlaceCase c;
    c.f.maker.Output(c.f.x);
    EXPECT_FALSE(c.Shares({c.f.x}, InPlaceOf({0}))) << "an output of the graph";
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({c.f.x, c.f.x}, InPlaceOf({0}))) << "read twice";
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({0}, InPlaceOf({0}))) << "the caller's input";
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({c.f.maker.Constant({16})}, InPlaceOf({0})));
  }
  {
    InPlaceCase c;
    EXPECT_FALSE(c.Shares({-1, 0}, InPlaceOf({0}))) << "an absent operand";
  }
  {
    InPlaceCase c;
    const int w = c.f.maker.Constant({16});
    EXPECT_TRUE(c.Shares({w, c.f.x}, InPlaceOf({0, 1}))) << "the second one";
    ExpectInside(c.storage, c.y, c.f.x, 0);
  }
}

TEST(Storage, ViewsAreTakenOverWithWhatTheyShow) {
  {
    InPlaceCase c;
    const int view = c.f.maker.AddOne("Reshape", {c.f.x}, {4, 4});
    EXPECT_TRUE(c.Shares({view}, InPlaceOf({0}), kAll));
    ExpectInside(c.storage, c.y, c.f.x, 0);
  }
  {
    InPlaceCase c;
    const int view = c.f.maker.AddOne("Reshape", {c.f.x}, {4, 4});
    c.reads_later = {c.f.x};
    EXPECT_FALSE(c.Shares({view}, InPlaceOf({0}), kAll)) << "shown elsewhere";
  }
  {
    InPlaceCase c;
    const int view = c.f.maker.AddOne("Reshape", {c.f.x}, {4, 4});
    EXPECT_FALSE(c.Shares({view, c.f.x}, InPlaceOf({0}), kAll))
        << "read through both";
  }
  {
    InPlaceCase c(8);
    const int part = c.f.maker.AddOne(
        "Slice", {c.f.x}, {8}, {}, {{"starts", List{8}}, {"ends", List{16}}});
    EXPECT_FALSE(c.Shares({part}, InPlaceOf({0}), kAll)) << "a part only";
  }
  {
    InPlaceCase c(8);
    const int part = c.f.maker.AddOne("Slice", {c.f.x}, {8}, {},
                                      {{"starts", List{0}}, {"ends", List{8}}});
    EXPECT_FALSE(c.Shares({part}, InPlaceOf({0}), kAll)) << "a part only";
  }
}

TEST(Storage, OnlyOneInputIsTakenOver) {
  InPlaceCase c;
  const int z = c.f.maker.AddOne("Mix", {0}, {16});
  EXPECT_TRUE(c.Shares({c.f.x, z}, InPlaceOf({0, 1})));
  ExpectInside(c.storage, c.y, c.f.x, 0);
  EXPECT_EQ(c.storage.root[z], z);
}

// A Concat of [ones..., 2, 4], [ones..., 3, 4] and perhaps others.
struct ConcatCase {
  explicit ConcatCase(Shape shape = {2, 4}) : f(shape), out(shape) {
    shape[0] = 3;
    z = f.maker.AddOne("Mix", {0}, shape);
    out[0] = 5;
  }
  bool Joins(const std::vector<int>& inputs, int64_t axis = 0) {
    y = f.maker.AddOne("Concat", inputs, out, {}, {{"axis", axis}});
    storage = f.Finish({y}, kConcat);
    const bool joined = storage.elided[f.maker.plan.steps.size() - 2];
    for (int id : inputs) {
      if (id < 0) continue;
      EXPECT_EQ(storage.root[id] == storage.root[y], joined);
    }
    return joined;
  }
  Fixture f;
  Shape out;
  int z = -1, y = -1;
  Storage storage;
};

TEST(Storage, InputsOfAConcatLieInItsOutput) {
  ConcatCase c;
  EXPECT_TRUE(c.Joins({c.z, c.f.x}));
  ExpectInside(c.storage, c.z, c.y, 0);
  ExpectInside(c.storage, c.f.x, c.y, 3 * 4 * 4);
  EXPECT_EQ(c.storage.bytes[c.storage.root[c.y]], 5 * 4 * 4);
}

TEST(Storage, InputsOfAConcatBehindOnes) {
  Fixture f({1, 2, 4});
  const int z = f.maker.AddOne("Mix", {0}, {1, 3, 4});
  const int y =
      f.maker.AddOne("Concat", {f.x, z}, {1, 5, 4}, {}, {{"axis", int64_t{1}}});
  const Storage s = f.Finish({y}, kConcat);
  ExpectInside(s, f.x, y, 0);
  ExpectInside(s, z, y, 2 * 4 * 4);
}

TEST(Storage, ConcatsThatCopy) {
  {
    ConcatCase c;
    EXPECT_FALSE(c.Joins({c.z, 0})) << "the caller's input";
  }
  {
    ConcatCase c;
    EXPECT_FALSE(c.Joins({c.z, c.f.maker.Constant({2, 4})}));
  }
  {
    ConcatCase c;
    EXPECT_FALSE(c.Joins({c.f.x, c.f.x})) << "the same twice";
  }
  {
    ConcatCase c;
    c.out = {2, 4};
    EXPECT_FALSE(c.Joins({c.f.x})) << "one is a copy";
  }
  {
    ConcatCase c;
    EXPECT_FALSE(c.Joins({c.f.x, -1}));
  }
  {
    ConcatCase c;
    c.f.maker.Output(c.f.x);
    EXPECT_FALSE(c.Joins({c.z, c.f.x})) << "an output of the graph";
  }
  {
    Fixture f({2, 4});
    const int z = f.maker.AddOne("Mix", {0}, {2, 3});
    f.maker.AddOne("Concat", {f.x, z}, {2, 7}, {}, {{"axis", int64_t{1}}});
    EXPECT_FALSE(f.Finish({3}, kConcat).elided[2]) << "rows are interleaved";
  }
  {
    ConcatCase c;
    const int first = c.f.maker.AddOne("Concat", {c.z, c.f.x}, {5, 4}, {},
                                       {{"axis", int64_t{0}}});
    c.out = {7, 4};
    EXPECT_FALSE(c.Joins({first, c.f.x})) << "in another already";
  }
}

TEST(Storage, AConcatOfConcats) {
  ConcatCase c;
  const int first = c.f.maker.AddOne("Concat", {c.z, c.f.x}, {5, 4}, {},
                                     {{"axis", int64_t{0}}});
  const int other = c.f.maker.AddOne("Mix", {0}, {1, 4});
  c.out = {6, 4};
  EXPECT_TRUE(c.Joins({other, first}));
  ExpectInside(c.storage, c.f.x, c.y, (1 + 3) * 16);
}

TEST(Storage, RenamedImagesShareTheirImage) {
  PlanMaker maker;
  KernelProperties renames;
  renames.renames_only = true;
  const int x = maker.AddOne("Gpu", {maker.Input({4})}, {4});
  maker.plan.graph.values[x].type.layout = Layout::kImage;
  const int y = maker.AddOne("Reshape", {x}, {2, 2}, renames);
  maker.plan.graph.values[y].type.layout = Layout::kImage;
  // Images do not share bytes: a Reshape that runs, and one that only renames.
  const int z = maker.AddOne("Reshape", {y}, {4}, InPlaceOf({0}));
  maker.plan.graph.values[z].type.layout = Layout::kImage;
  maker.Output(maker.AddOne("Reshape", {z}, {4}, InPlaceOf({0})));
  const Storage s = AssignStorage(maker.plan, kAll);
  EXPECT_EQ(s.elided, (std::vector<uint8_t>{false, true, false, false}));
  EXPECT_EQ(s.root[y], x);
  EXPECT_EQ(s.locations[y].kind, Location::kImage);
  EXPECT_EQ(s.locations[y].index, x);
  EXPECT_EQ(s.root[z], z);
  EXPECT_EQ(s.locations[z].index, z);
  EXPECT_EQ(s.locations[4].kind, Location::kOutput);
}

TEST(Storage, ValuesWithoutATypeHaveNoBytes) {
  PlanMaker maker;
  maker.Output(maker.AddOne("Mix", {maker.Input({4})}, {4}));
  const int untyped = maker.Constant({4});
  maker.plan.graph.values[untyped].type.dtype = DataType::kInvalid;
  EXPECT_EQ(AssignStorage(maker.plan, kAll).bytes[untyped], 0);
}

}  // namespace
}  // namespace mace
