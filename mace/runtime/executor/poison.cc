// Finding bytes that hold no live tensor, and filling them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/poison.h"

#include <algorithm>
#include <cstring>

#include "mace/base/sort.h"

namespace mace {
namespace {

// Returns the gaps between the live ranges within [0, bytes).
std::vector<ByteRange> Complement(std::vector<ByteRange> live, int64_t bytes) {
  StableSort(&live, [](const ByteRange& a, const ByteRange& b) {
    return a.begin < b.begin;
  });
  std::vector<ByteRange> dead;
  int64_t at = 0;
  for (const ByteRange& range : live) {
    if (range.begin > at) dead.push_back({at, range.begin});
    at = std::max(at, range.end);
  }
  if (at < bytes) dead.push_back({at, bytes});
  return dead;
}

}  // namespace

Result<std::vector<std::vector<ByteRange>>> UnusedRanges(const Plan& plan) {
  const auto& records = plan.memory_problem.records;
  std::vector<std::vector<ByteRange>> dead;
  for (int64_t step = -1; step < static_cast<int64_t>(plan.steps.size());
       ++step) {
    std::vector<ByteRange> live;
    for (size_t r = 0; r < records.size(); ++r) {
      // The record is written by now and read later: it is live.
      if (records[r].first > step || records[r].last <= step) continue;
      // An empty one may be anywhere.
      if (records[r].size.count() == 0) continue;
      const int64_t begin = plan.memory_plan.offsets[r];
      live.push_back({begin, begin + records[r].size.count()});
    }
    dead.push_back(Complement(std::move(live), plan.arena_bytes));
  }
  return dead;
}

void Poison(void* arena, const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges) {
    std::memset(static_cast<char*>(arena) + range.begin, 0xff,
                static_cast<size_t>(range.end - range.begin));
  }
}

}  // namespace mace
