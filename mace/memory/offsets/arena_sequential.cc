// Allocates and releases records in the order of execution.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/arena_sequential.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "mace/base/sort.h"
#include "mace/memory/offsets/sequential_layout.h"

namespace mace::memory {

Result<Plan> OffsetsArenaSequential(const Problem& p, const Options&) {
  std::vector<int32_t> by_begin(p.records.size());
  std::iota(by_begin.begin(), by_begin.end(), 0);
  StableSort(&by_begin, [&](int32_t a, int32_t b) {
    return p.records[a].first < p.records[b].first;
  });
  SequentialLayout layout;
  Plan plan;
  plan.offsets.resize(p.records.size());
  std::vector<int32_t> live;
  for (int32_t id : by_begin) {
    const Record& r = p.records[id];
    const auto ended = std::partition(
        live.begin(), live.end(),
        [&](int32_t other) { return p.records[other].last >= r.first; });
    for (auto it = ended; it != live.end(); ++it) {
      layout.Release(plan.offsets[*it]);
    }
    live.erase(ended, live.end());
    plan.offsets[id] = layout.Allocate(r.alignment, r.size.extent[0]);
    live.push_back(id);
  }
  return plan;
}

}  // namespace mace::memory
