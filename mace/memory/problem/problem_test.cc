// Bad records get an error that names the record.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/problem.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace mace::memory {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

Problem TwoRecords() {
  Problem p;
  p.records.resize(2);
  for (Record& r : p.records) {
    r.size = 64;
    r.last = 3;
  }
  p.records[1].name = "relu";
  return p;
}

// Returns the error of a problem whose record 1 was changed by `change`.
template <typename F>
std::string MessageAfter(const F& change) {
  Problem p = TwoRecords();
  EXPECT_TRUE(Check(p).ok());
  change(&p, &p.records[1]);
  return Check(p).information();
}

TEST(ProblemTest, EachFaultNamesTheRecord) {
  struct Case {
    const char* message;
    void (*change)(Problem*, Record*);
  };
  const Case cases[] = {
      {"reversed interval", [](Problem*, Record* r) { r->first = 4; }},
      {"negative size", [](Problem*, Record* r) { r->size = -1; }},
      {"overflows", [](Problem*, Record* r) { r->size = kHuge; }},
      {"overflows",
       [](Problem* p, Record* r) {
         p->records[0].size = int64_t{1} << 60;
         r->size = (int64_t{1} << 60) + 1;
       }},
      {"overflows",
       [](Problem* p, Record* r) {
         p->records[0].size = Size(1, 1);
         r->size = Size(1 << 30, 1 << 30);
         p->element_bytes = 8;
       }},
      {"extents", [](Problem*, Record* r) { r->size = Size(1, 2); }},
      {"alignment 0", [](Problem*, Record* r) { r->alignment = 0; }},
      {"alignment 24", [](Problem*, Record* r) { r->alignment = 24; }},
      {"pool -1", [](Problem*, Record* r) { r->pool = -1; }},
      {"out of range", [](Problem*, Record* r) { r->fixed_offset = -8; }},
      {"multiple of its alignment",
       [](Problem*, Record* r) {
         r->alignment = 16;
         r->fixed_offset = 8;
       }},
      {"does not exist", [](Problem*, Record* r) { r->alias_of = 2; }},
      {"cycle", [](Problem*, Record* r) { r->alias_of = 1; }},
      {"cycle",
       [](Problem* p, Record* r) {
         r->alias_of = 0;
         p->records[0].alias_of = 1;
       }},
      {"leave the 64 bytes",
       [](Problem*, Record* r) {
         r->alias_of = 0;
         r->alias_offset = 1;
       }},
      {"different pools",
       [](Problem*, Record* r) {
         r->alias_of = 0;
         r->pool = 1;
       }},
      {"multiple of its alignment",
       [](Problem*, Record* r) {
         r->alias_of = 0;
         r->size = 4;
         r->alias_offset = 4;
         r->alignment = 8;
       }},
      {"fix that of record 0",
       [](Problem*, Record* r) {
         r->alias_of = 0;
         r->fixed_offset = 8;
       }},
      {"collides with record 0",
       [](Problem* p, Record* r) {
         p->records[0].fixed_offset = 0;
         r->fixed_offset = 63;
       }},
      {"not another record",
       [](Problem*, Record* r) { r->overlaps.push_back({1}); }},
  };
  for (const Case& c : cases) {
    const std::string message = MessageAfter(c.change);
    EXPECT_NE(message.find(c.message), std::string::npos)
        << "want '" << c.message << "' in: " << message;
    EXPECT_NE(message.find("record 1 'relu'"), std::string::npos) << message;
  }
}

TEST(ProblemTest, FixedRecordsThatAreApartInTimeDoNotCollide) {
  Problem p = TwoRecords();
  p.records[0].fixed_offset = 0;
  p.records[1].fixed_offset = 32;
  EXPECT_FALSE(Check(p).ok());
  p.records[1].first = p.records[1].last = 4;
  EXPECT_TRUE(Check(p).ok());
}

// Returns whether a problem whose record 1 was changed is accepted.
template <typename F>
bool IsFineAfter(const F& change) {
  Problem p = TwoRecords();
  change(&p, &p.records[1]);
  return Check(p).ok();
}

TEST(ProblemTest, LimitsThemselvesAreFine) {
  constexpr int64_t kLimit = int64_t{1} << 61;
  const auto first = [](int64_t v) {
    return IsFineAfter([&](Problem*, Record* r) { r->first = v; });
  };
  EXPECT_TRUE(first(-kLimit));
  EXPECT_FALSE(first(-kLimit - 1));
  const auto last = [](int64_t v) {
    return IsFineAfter([&](Problem*, Record* r) { r->last = v; });
  };
  EXPECT_TRUE(last(kLimit));
  EXPECT_FALSE(last(kLimit + 1));
  const auto pool = [](int32_t v) {
    return IsFineAfter([&](Problem*, Record* r) { r->pool = v; });
  };
  EXPECT_TRUE(pool((1 << 16) - 1));
  EXPECT_FALSE(pool(1 << 16));
  const auto alignment = [](int64_t v) {
    return IsFineAfter([&](Problem*, Record* r) { r->alignment = v; });
  };
  EXPECT_TRUE(alignment(1));
  EXPECT_TRUE(alignment(int64_t{1} << 60));
  EXPECT_FALSE(alignment(int64_t{1} << 62));
  const auto size = [](int64_t v) {
    return IsFineAfter([&](Problem*, Record* r) { r->size = v; });
  };
  EXPECT_TRUE(size(kLimit - 64));
  EXPECT_FALSE(size(kLimit - 63));
  const auto fixed = [](int64_t v) {
    return IsFineAfter([&](Problem*, Record* r) { r->fixed_offset = v; });
  };
  EXPECT_TRUE(fixed(0));
  EXPECT_TRUE(fixed(kLimit - 128));
  EXPECT_FALSE(fixed(kLimit - 127));
  const auto message = [](int64_t v) {
    return MessageAfter([&](Problem*, Record* r) { r->fixed_offset = v; });
  };
  EXPECT_NE(message(kLimit).find("sum of all sizes overflows"),
            std::string::npos);
  EXPECT_NE(message(kLimit + 1).find("is out of range"), std::string::npos);
  const auto of_all = [](int64_t v) {
    return IsFineAfter([&](Problem* p, Record*) { p->alignment = v; });
  };
  EXPECT_TRUE(of_all(64));
  EXPECT_FALSE(of_all(0));
  EXPECT_FALSE(of_all(3));
  EXPECT_FALSE(of_all(int64_t{1} << 62));
}

TEST(ProblemTest, LimitsOfImages) {
  const auto fine = [](const Size& size, int64_t element, int64_t pitch,
                       int64_t most) {
    Problem p = TwoRecords();
    p.records[0].size = p.records[1].size = size;
    p.element_bytes = element;
    p.row_pitch = pitch;
    p.max_extents = {most, most, most};
    return Check(p).ok();
  };
  EXPECT_TRUE(fine(Size(4, 5), 1, 1, 5));
  EXPECT_FALSE(fine(Size(4, 5), 1, 1, 4));
  EXPECT_FALSE(fine(Size(1, 1, 5), 1, 1, 4));
  EXPECT_TRUE(fine(Size(1, 1, 5), 1, 1, 5));
  EXPECT_TRUE(fine(Size(1, 9, 9, 9), 1, 1, 4));
  EXPECT_FALSE(fine(Size(1, 1), 1, 1, 0));
  EXPECT_TRUE(fine(Size(1, 1), 1024, 1, 9));
  EXPECT_FALSE(fine(Size(1, 1), 1025, 1, 9));
  EXPECT_FALSE(fine(Size(1, 1), 0, 1, 9));
  EXPECT_TRUE(fine(Size(1, 1), 1, 1 << 20, 9));
  EXPECT_FALSE(fine(Size(1, 1), 1, (1 << 20) + 1, 9));
  EXPECT_FALSE(fine(Size(1, 1), 1, 0, 9));
  Size none(1, 1);
  none.rank = 0;
  EXPECT_FALSE(fine(none, 1, 1, 9));
  none.rank = 5;
  EXPECT_FALSE(fine(none, 1, 1, 9));
  // An extent of 0 does not permit others to be absurd.
  constexpr int64_t kMuch = int64_t{1} << 40;
  EXPECT_TRUE(fine(Size(0, 1, 1, kMuch), 1, 1, 9));
  EXPECT_FALSE(fine(Size(0, 1, kMuch, kMuch), 1, 1, 9));
}

TEST(ProblemTest, MessagesOfLimits) {
  const auto message = [](const Size& size) {
    Problem p = TwoRecords();
    p.records[0].size = Size(1, 1, 1);
    p.records[1].size = size;
    p.max_extents = {4, 5, 6};
    return Check(p).information();
  };
  EXPECT_EQ(message(Size(5, 1, 1)),
            "record 1 'relu': width 5 exceeds the limit of 4");
  EXPECT_EQ(message(Size(1, 6, 1)),
            "record 1 'relu': height 6 exceeds the limit of 5");
  EXPECT_EQ(message(Size(1, 1, 7)),
            "record 1 'relu': depth 7 exceeds the limit of 6");
  EXPECT_EQ(message(Size(1, 1)),
            "record 1 'relu': has 2 extents where record 0 has 3");
}

TEST(ProblemTest, SizesAreEqualInAllExtents) {
  EXPECT_TRUE(Size(8) == Size(8));
  EXPECT_FALSE(Size(8) == Size(8, 1));
  EXPECT_TRUE(Size(8) != Size(9));
  EXPECT_FALSE(Size(2, 3, 4, 5) != Size(2, 3, 4, 5));
  EXPECT_EQ(Size(2, 3, 4, 5).count(), 120);
  EXPECT_EQ(Size(2, 3, 4).count(), 24);
  EXPECT_EQ(Size(2, 3).count(), 6);
  EXPECT_EQ(Size(2).count(), 2);
  EXPECT_EQ(Size().count(), 0);
  EXPECT_EQ(Size(7).rank, 1);
  EXPECT_EQ(Size(7, 2, 3).rank, 3);
}

TEST(ProblemTest, CertificatesAddUp) {
  Certificate sum;
  sum.status = Certificate::kOptimal;
  const auto add = [&](Certificate::Status status) {
    Certificate part;
    part.total = 10;
    part.lower_bound = 7;
    part.nodes = 3;
    part.us = 2;
    part.status = status;
    Add(part, &sum);
    return sum.status;
  };
  // The worse of the two statuses, from optimal to infeasible.
  EXPECT_EQ(add(Certificate::kOptimal), Certificate::kOptimal);
  EXPECT_EQ(add(Certificate::kFeasible), Certificate::kFeasible);
  EXPECT_EQ(add(Certificate::kOptimal), Certificate::kFeasible);
  EXPECT_EQ(add(Certificate::kUnknown), Certificate::kUnknown);
  EXPECT_EQ(add(Certificate::kFeasible), Certificate::kUnknown);
  EXPECT_EQ(add(Certificate::kInfeasible), Certificate::kInfeasible);
  EXPECT_EQ(add(Certificate::kUnknown), Certificate::kInfeasible);
  EXPECT_EQ(sum.total, 70);
  EXPECT_EQ(sum.lower_bound, 49);
  EXPECT_EQ(sum.nodes, 21);
  EXPECT_EQ(sum.us, 14);
  EXPECT_STREQ(Name(Certificate::kOptimal), "optimal");
  EXPECT_STREQ(Name(Certificate::kFeasible), "feasible");
  EXPECT_STREQ(Name(Certificate::kInfeasible), "infeasible");
  EXPECT_STREQ(Name(Certificate::kUnknown), "unknown");
}

TEST(ProblemTest, LivingTogetherIncludesTheLastStep) {
  Problem p = TwoRecords();
  Record &a = p.records[0], &b = p.records[1];
  a.first = 2;
  a.last = 4;
  for (int64_t first = 0; first < 7; ++first) {
    for (int64_t last = first; last < 7; ++last) {
      b.first = first;
      b.last = last;
      EXPECT_EQ(LiveTogether(a, b), last >= 2 && first <= 4);
      EXPECT_EQ(LiveTogether(b, a), last >= 2 && first <= 4);
    }
  }
  for (int64_t x = 0; x < 40; ++x) {
    EXPECT_EQ(AlignUp(x, 8), (x + 7) / 8 * 8);
    EXPECT_EQ(AlignUp(x, 1), x);
  }
}

TEST(ProblemTest, FixedRecordsCollideByTheBytesTheyShare) {
  Problem p = TwoRecords();
  for (const int64_t at : {-1, 0, 63, 64, 65, 127, 128}) {
    p.records[0].fixed_offset = 64;
    p.records[1].fixed_offset = at;
    EXPECT_EQ(Check(p).ok(), at == kNoOffset || at == 0 || at >= 128) << at;
  }
  p.records[1].fixed_offset = 100;
  EXPECT_EQ(Check(p).information(),
            "record 1 'relu': fixed at [100, 164), collides with record 0 at "
            "[64, 128)");
  p.fixed_may_overlap = true;
  EXPECT_TRUE(Check(p).ok());
  p.fixed_may_overlap = false;
  p.records[1].overlaps = {{0, -36}};
  EXPECT_TRUE(Check(p).ok()) << "as near as was declared";
  p.records[1].overlaps = {{0, -35}};
  EXPECT_FALSE(Check(p).ok());
}

TEST(ProblemTest, PitchPadsRows) {
  Problem p;
  p.element_bytes = 4;
  p.row_pitch = 8;
  EXPECT_EQ(Bytes(p, Size(9, 3)), 16 * 3 * 4);
  EXPECT_EQ(Bytes(p, Size(8, 3)), 8 * 3 * 4);
  EXPECT_EQ(Bytes(p, Size(9, 3, 2)), 16 * 3 * 2 * 4);
  EXPECT_EQ(Bytes(p, Size(1, 2, 3, 5)), 30 * 4);
  EXPECT_EQ(Bytes(p, Size(100)), 100);
}

TEST(ProblemTest, WhatIsNotSaidIsPlain) {
  const Size size;
  EXPECT_EQ(size.extent, (std::array<int64_t, 4>{0, 1, 1, 1}));
  EXPECT_EQ(size.rank, 1);
  const Record r;
  EXPECT_EQ(r.first, 0);
  EXPECT_EQ(r.last, 0);
  EXPECT_EQ(r.alignment, 1);
  EXPECT_EQ(r.pool, 0);
  EXPECT_EQ(r.alias_offset, 0);
  const Problem p;
  EXPECT_EQ(p.alignment, 1);
  EXPECT_EQ(p.element_bytes, 1);
  EXPECT_EQ(p.row_pitch, 1);
  EXPECT_FALSE(p.fixed_may_overlap);
  const Certificate c;
  EXPECT_EQ(c.total + c.lower_bound + c.nodes + c.us, 0);
  EXPECT_EQ(c.status, Certificate::kFeasible);
  EXPECT_EQ(Options().budget_us, 0);
  EXPECT_EQ(Options().capacity, 0);
  EXPECT_EQ(Options().max_nodes, Options::kOwnLimit);
}

TEST(ProblemTest, OverlapsAreWithAnotherRecordThatIsThere) {
  for (int32_t other = -2; other < 4; ++other) {
    Problem p = TwoRecords();
    p.records[1].overlaps = {{other, 0}};
    EXPECT_EQ(Check(p).ok(), other == 0) << other;
    EXPECT_TRUE(other == 0 || Check(p).information().find(
                                  "may overlap record " +
                                  std::to_string(other)) != std::string::npos);
    Problem aliases = TwoRecords();
    aliases.records[1].alias_of = other;
    EXPECT_EQ(Check(aliases).ok(), other == 0 || other == kNone) << other;
  }
}

// Compares the check of fixed records with every pair of bytes.
TEST(ProblemTest, AnyTwoFixedRecordsThatCollideAreFound) {
  std::mt19937 rng(1);
  int fine = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    Problem p;
    p.records.resize(2 + rng() % 4);
    for (Record& r : p.records) {
      r.size = static_cast<int64_t>(rng() % 5);
      r.first = static_cast<int64_t>(rng() % 5);
      r.last = r.first + static_cast<int64_t>(rng() % 2);
      if (rng() % 4 > 0) r.fixed_offset = static_cast<int64_t>(rng() % 12);
      r.pool = static_cast<int32_t>(rng() % 6 / 5);
    }
    bool collide = false;
    for (size_t i = 0; i < p.records.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const Record &a = p.records[i], &b = p.records[j];
        if (a.fixed_offset == kNoOffset || b.fixed_offset == kNoOffset ||
            a.pool != b.pool || a.first > b.last || b.first > a.last) {
          continue;
        }
        for (int64_t at = 0; at < a.size.extent[0]; ++at) {
          const int64_t inside = a.fixed_offset + at - b.fixed_offset;
          collide |= inside >= 0 && inside < b.size.extent[0];
        }
      }
    }
    EXPECT_EQ(Check(p).ok(), !collide) << Check(p).information();
    fine += !collide;
  }
  EXPECT_GT(fine, 500);
  EXPECT_LT(fine, 2800);
}

}  // namespace
}  // namespace mace::memory
