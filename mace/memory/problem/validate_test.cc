// Compares the validator with counting every byte.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/validate.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace mace::memory {
namespace {

using Pick = std::uniform_int_distribution<int64_t>;

Record Rec(int64_t size, int64_t first, int64_t last) {
  Record r;
  r.size = size;
  r.first = first;
  r.last = last;
  return r;
}

// Returns whether both own a byte at a step at which both live.
bool Meet(const Problem& p, const std::vector<int64_t>& at, size_t a,
          size_t b) {
  const Record& ra = p.records[a];
  const Record& rb = p.records[b];
  for (int64_t step = ra.first; step <= ra.last; ++step) {
    if (step < rb.first || step > rb.last) continue;
    for (int64_t byte = at[a]; byte < at[a] + ra.size.extent[0]; ++byte) {
      if (byte >= at[b] && byte < at[b] + rb.size.extent[0]) return true;
    }
  }
  return false;
}

// Returns whether declared overlaps permit the places of the two.
bool Declared(const Problem& p, const std::vector<int64_t>& at, size_t a,
              size_t b) {
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    for (const Overlap& o : p.records[a].overlaps) {
      if (o.other == static_cast<int32_t>(b) &&
          (o.safe_distance == Overlap::kAnyDistance ||
           at[b] >= at[a] + o.safe_distance)) {
        return true;
      }
    }
  }
  return false;
}

TEST(Validate, CollisionsAreThoseOfBytes) {
  std::mt19937 rng(1);
  const auto pick = [&](int64_t low, int64_t high) {
    return Pick(low, high)(rng);
  };
  int fine = 0;
  for (int round = 0; round < 5000; ++round) {
    SCOPED_TRACE(round);
    Problem p;
    Plan plan;
    for (int64_t n = pick(1, 4); n > 0; --n) {
      const int64_t first = pick(0, 5);
      p.records.push_back(Rec(pick(0, 4), first, first + pick(0, 2)));
      p.records.back().pool = pick(0, 3) == 0 ? 1 : 0;
      plan.offsets.push_back(pick(0, 9));
    }
    const auto n = static_cast<int64_t>(p.records.size());
    for (Record& r : p.records) {
      const auto other = static_cast<int32_t>(pick(0, n - 1));
      if (&r == &p.records[other] || pick(0, 2) > 0) continue;
      r.overlaps.push_back(
          {other, pick(0, 3) == 0 ? Overlap::kAnyDistance : pick(-5, 5)});
    }
    bool good = true;
    int64_t arena = 0;
    plan.pool_totals.resize(2);
    for (size_t i = 0; i < p.records.size(); ++i) {
      const int64_t size = p.records[i].size.extent[0];
      int64_t& total = plan.pool_totals[p.records[i].pool];
      if (size > 0) total = std::max(total, plan.offsets[i] + size);
      arena = std::max(arena, total);
      for (size_t j = 0; j < i; ++j) {
        good &= p.records[i].pool != p.records[j].pool ||
                !Meet(p, plan.offsets, i, j) || Declared(p, plan.offsets, i, j);
      }
    }
    plan.certificate.total = plan.pool_totals[0] + plan.pool_totals[1];
    const Status status = Validate(p, plan);
    EXPECT_EQ(status.ok(), good) << status.information();
    EXPECT_EQ(VerifyOffsets(p, plan.offsets, arena).ok(), good);
    fine += good;
    if (!good) continue;
    plan.certificate.total += 1;
    EXPECT_FALSE(Validate(p, plan).ok());
    plan.certificate.total -= 1;
    plan.certificate.lower_bound = plan.certificate.total + 1;
    EXPECT_FALSE(Validate(p, plan).ok());
    plan.certificate.lower_bound = plan.certificate.total;
    EXPECT_TRUE(Validate(p, plan).ok());
    plan.pool_totals[0] += 1;
    plan.certificate.total += 1;
    EXPECT_FALSE(Validate(p, plan).ok());
    if (arena == 0) continue;
    EXPECT_FALSE(VerifyOffsets(p, plan.offsets, arena - 1).ok());
  }
  EXPECT_GT(fine, 1500);
  EXPECT_LT(fine, 4500);
}

// Returns the plan of these offsets, with its totals.
Plan PlanOf(const Problem& p, const std::vector<int64_t>& offsets) {
  Plan plan;
  plan.offsets = offsets;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const Record& r = p.records[i];
    plan.pool_totals.resize(
        std::max(plan.pool_totals.size(), size_t(r.pool) + 1));
    plan.pool_totals[r.pool] =
        std::max(plan.pool_totals[r.pool], offsets[i] + r.size.extent[0]);
  }
  for (int64_t total : plan.pool_totals) plan.certificate.total += total;
  return plan;
}

std::string Message(const Problem& p, const std::vector<int64_t>& offsets) {
  const std::string message = Validate(p, PlanOf(p, offsets)).information();
  const std::string verified = VerifyOffsets(p, offsets, 1000).information();
  // Both report the same faults with the same words.
  EXPECT_EQ(message, verified);
  return message;
}

TEST(Validate, SaysWhatIsWrong) {
  Problem p;
  p.records = {Rec(10, 0, 3), Rec(6, 2, 5)};
  p.records[1].name = "b";
  EXPECT_EQ(Message(p, {0, 10}), "");
  EXPECT_EQ(Message(p, {6, 0}), "");
  EXPECT_EQ(
      Message(p, {0, 9}),
      "record 0 at [0, 10) and record 1 'b' at [9, 15) overlap while both "
      "live, from step 2 to 3");
  EXPECT_EQ(VerifyOffsets(p, {-1, 10}, 100).information(),
            "record 0 at -1 leaves the arena of 100 bytes");
  EXPECT_EQ(VerifyOffsets(p, {0, 95}, 100).information(),
            "record 1 'b' at 95 leaves the arena of 100 bytes");
  EXPECT_TRUE(VerifyOffsets(p, {0, 94}, 100).ok());
  EXPECT_FALSE(VerifyOffsets(p, {0, 0}, 5).ok());
  EXPECT_EQ(VerifyOffsets(p, {0}, 5).information(),
            "the plan has 1 offsets for 2 records");
  EXPECT_EQ(Validate(p, PlanOf(p, {0})).information(),
            "1 offsets for 2 records");
}

TEST(Validate, AlignmentFixedOffsetsAndAliases) {
  Problem p;
  p.records = {Rec(10, 0, 3), Rec(6, 5, 5)};
  p.alignment = 4;
  EXPECT_EQ(Message(p, {0, 4}), "");
  EXPECT_EQ(Message(p, {0, 6}),
            "record 1 at 6 is not a multiple of its alignment 4");
  p.records[1].alignment = 8;
  EXPECT_EQ(Message(p, {0, 4}),
            "record 1 at 4 is not a multiple of its alignment 8");
  p.records[1].alignment = 1;
  p.records[1].fixed_offset = 8;
  EXPECT_EQ(Message(p, {0, 8}), "");
  EXPECT_EQ(Message(p, {0, 4}), "record 1 at 4 is not where it is fixed, 8");
  p.records[1].fixed_offset = kNoOffset;
  p.records[1].alias_of = 0;
  p.records[1].alias_offset = 4;
  p.records[1].first = 2;
  EXPECT_EQ(Message(p, {8, 12}), "");
  EXPECT_EQ(Message(p, {8, 8}), "record 1 at 8 is not where its alias is");
}

TEST(Validate, WhoMayOverlap) {
  Problem p;
  p.records = {Rec(10, 0, 9), Rec(4, 0, 9), Rec(4, 0, 9), Rec(4, 0, 9)};
  p.records[1].alias_of = 0;
  p.records[2].alias_of = 1;
  EXPECT_TRUE(MayOverlap(p, 0, 2, 0)) << "pieces of one tree";
  EXPECT_TRUE(MayOverlap(p, 1, 2, 0));
  EXPECT_FALSE(MayOverlap(p, 2, 3, 0));
  p.records[0].fixed_offset = 0;
  p.records[3].fixed_offset = 2;
  EXPECT_FALSE(MayOverlap(p, 2, 3, 0));
  p.fixed_may_overlap = true;
  EXPECT_TRUE(MayOverlap(p, 2, 3, 0)) << "both fixed, one by its root";
  p.records[3].fixed_offset = kNoOffset;
  EXPECT_FALSE(MayOverlap(p, 2, 3, 0));
  EXPECT_FALSE(MayOverlap(p, 3, 2, 0));
  p.records[3].overlaps = {{2, 3}};
  EXPECT_TRUE(MayOverlap(p, 3, 2, 3));
  EXPECT_FALSE(MayOverlap(p, 3, 2, 2));
  EXPECT_TRUE(MayOverlap(p, 2, 3, -3));
  EXPECT_FALSE(MayOverlap(p, 2, 3, -2));
  EXPECT_FALSE(MayOverlap(p, 1, 3, 9)) << "declared with another";
}

TEST(Validate, ImagesHaveNoOffsets) {
  Problem p;
  p.records = {Rec(4, 0, 1)};
  p.records[0].size = Size(2, 2);
  EXPECT_FALSE(VerifyOffsets(p, {0}, 100).ok());
}

TEST(Validate, PoolsAreTheirOwn) {
  Problem p;
  p.records = {Rec(10, 0, 1), Rec(10, 0, 1)};
  p.records[1].pool = 1;
  EXPECT_EQ(Message(p, {0, 0}), "");
  Plan plan = PlanOf(p, {0, 0});
  EXPECT_TRUE(Validate(p, plan, 10).ok());
  EXPECT_EQ(Validate(p, plan, 9).information(),
            "pool 0 takes 10 bytes of a capacity of 9");
  plan.pool_totals.resize(1);
  plan.certificate.total = 10;
  EXPECT_EQ(Validate(p, plan).information(),
            "record 1: the plan has no such pool");
}

// Object 0 is 4 x 3, object 1 is 2 x 5 in another pool.
struct Objects {
  Objects() {
    p.element_bytes = 4;
    p.records = {Rec(0, 0, 1), Rec(0, 2, 3), Rec(0, 0, 3)};
    p.records[0].size = Size(4, 2);
    p.records[1].size = Size(3, 3);
    p.records[2].size = Size(2, 5);
    p.records[2].pool = 1;
    plan.object_ids = {0, 0, 1};
    plan.object_sizes = {Size(4, 3), Size(2, 5)};
    plan.object_pools = {0, 1};
    plan.pool_totals = {48, 40};
    plan.certificate.total = 88;
  }
  std::string Message() const { return Validate(p, plan).information(); }
  Problem p;
  Plan plan;
};

TEST(Validate, FaultsOfObjects) {
  EXPECT_EQ(Objects().Message(), "");
  struct Fault {
    const char* message;
    void (*make)(Objects*);
  };
  const std::vector<Fault> faults = {
      {"the plan's lists differ in length",
       [](Objects* o) { o->plan.object_ids.pop_back(); }},
      {"the plan's lists differ in length",
       [](Objects* o) { o->plan.object_pools.pop_back(); }},
      {"object 1 has no pool", [](Objects* o) { o->plan.object_pools[1] = 2; }},
      {"object 0 has no pool",
       [](Objects* o) { o->plan.object_pools[0] = -1; }},
      {"object 1 is larger than an object can be",
       [](Objects* o) { o->p.max_extents = {4, 4, 1}; }},
      {"object 0 is larger than an object can be",
       [](Objects* o) { o->p.max_extents = {3, 5, 1}; }},
      {"the plan's totals are not those of its objects",
       [](Objects* o) { o->plan.pool_totals[0] = 44; }},
      {"record 1 has no object",
       [](Objects* o) { o->plan.object_ids[1] = -1; }},
      {"record 1 has no object", [](Objects* o) { o->plan.object_ids[1] = 2; }},
      {"record 2 does not fit object 0",
       [](Objects* o) { o->plan.object_ids[2] = 0; }},
      {"record 1 does not fit object 0",
       [](Objects* o) { o->p.records[1].size = Size(5, 3); }},
      {"record 1 does not fit object 0",
       [](Objects* o) { o->p.records[1].pool = 1; }},
      {"record 1 does not fit object 0",
       [](Objects* o) { o->p.records[1].size = Size(3, 3, 1); }},
      {"record 0 and record 1 share object 0 while both live",
       [](Objects* o) { o->p.records[1].first = 1; }},
      {"the certificate claims 87 bytes (bound 0), the plan takes 88",
       [](Objects* o) { o->plan.certificate.total = 87; }},
  };
  for (const Fault& fault : faults) {
    Objects objects;
    fault.make(&objects);
    EXPECT_EQ(objects.Message(), fault.message);
  }
  Objects limit;
  limit.p.max_extents = {4, 5, 1};
  EXPECT_EQ(limit.Message(), "");
  Objects empty;
  empty.p.records[1].size = Size(0, 3);
  empty.plan.object_ids[1] = kNone;
  EXPECT_EQ(empty.Message(), "");
  Objects may;
  may.p.records[1].first = 1;
  may.p.records[0].overlaps = {{1, Overlap::kAnyDistance}};
  EXPECT_EQ(may.Message(), "");
}

// Limits apply to images: width, height, and depth if there is one.
TEST(Validate, LimitsAreThoseOfImages) {
  for (int rank = 1; rank <= 4; ++rank) {
    Problem p;
    p.records = {Rec(0, 0, 1)};
    p.records[0].size = rank == 1   ? Size(9)
                        : rank == 2 ? Size(9, 9)
                        : rank == 3 ? Size(9, 9, 9)
                                    : Size(9, 9, 9, 9);
    Plan plan;
    plan.object_ids = {0};
    plan.object_sizes = {p.records[0].size};
    plan.object_pools = {0};
    plan.pool_totals = {Bytes(p, p.records[0].size)};
    plan.certificate.total = plan.pool_totals[0];
    for (int k = 0; k < 3; ++k) {
      p.max_extents = {9, 9, 9};
      EXPECT_TRUE(Validate(p, plan).ok());
      p.max_extents[k] = 8;
      const bool limited = rank == 3 || (rank == 2 && k < 2);
      EXPECT_EQ(Validate(p, plan).ok(), !limited) << rank << " " << k;
    }
  }
}

}  // namespace
}  // namespace mace::memory
