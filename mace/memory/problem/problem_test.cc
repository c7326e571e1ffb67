// What bad records get: an error that names the record.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/problem.h"

#include <gtest/gtest.h>

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

// The message about a problem whose record 1 was changed by `change`.
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

TEST(ProblemTest, PitchPadsRows) {
  Problem p;
  p.element_bytes = 4;
  p.row_pitch = 8;
  EXPECT_EQ(Bytes(p, Size(9, 3)), 16 * 3 * 4);
  EXPECT_EQ(Bytes(p, Size(100)), 100);
}

}  // namespace
}  // namespace mace::memory
