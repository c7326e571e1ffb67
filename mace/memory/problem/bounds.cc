// Computes lower bounds by a sweep over time.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/bounds.h"

#include <algorithm>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/memory/problem/relations.h"

namespace mace::memory {
namespace {

// Calls f(step, live) for each step at which a record begins. `live` are the
// records that are live at it, in order of their first step, then id.
template <typename F>
void ForEachStart(const Problem& p, const F& f) {
  std::vector<int32_t> order(p.records.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) {
    return p.records[a].first < p.records[b].first;
  });
  std::vector<int32_t> live;
  for (size_t i = 0; i < order.size();) {
    const int64_t step = p.records[order[i]].first;
    live.erase(
        std::remove_if(live.begin(), live.end(),
                       [&](int32_t id) { return p.records[id].last < step; }),
        live.end());
    for (; i < order.size() && p.records[order[i]].first == step; ++i) {
      live.push_back(order[i]);
    }
    f(step, live);
  }
}

// Returns the bytes that `live` needs. All records but the topmost take their
// aligned size.
int64_t LiveBytes(const Problem& p, const std::vector<int32_t>& live) {
  int64_t alignment = p.records[live[0]].alignment;
  for (int32_t id : live) {
    alignment = std::min(alignment, p.records[id].alignment);
  }
  int64_t sum = 0;
  int64_t slack = 0;
  for (int32_t id : live) {
    const int64_t size = p.records[id].size.extent[0];
    const int64_t aligned = AlignUp(size, alignment);
    sum += aligned;
    slack = std::max(slack, aligned - size);
  }
  return sum - slack;
}

// The same if some records may overlap: their union takes at least the sum of
// the sizes less what each pair can share.
int64_t LiveBytes(const Problem& p, const Relations& relations,
                  const std::vector<int32_t>& live) {
  int64_t sum = 0;
  int64_t largest = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    const int64_t size = p.records[live[i]].size.extent[0];
    sum += size;
    largest = std::max(largest, size);
    for (size_t j = 0; j < i; ++j) {
      if (relations.any(live[i]) && relations.any(live[j])) {
        sum -= relations.MostShared(live[i], live[j]);
      }
    }
  }
  return std::max(sum, largest);
}

void SortBySize(const Problem& p, std::vector<int32_t>* ids) {
  StableSort(ids, [&](int32_t a, int32_t b) {
    const int64_t sa = Bytes(p, p.records[a].size);
    const int64_t sb = Bytes(p, p.records[b].size);
    return sa != sb ? sa > sb : a < b;
  });
}

}  // namespace

Peak OffsetsLowerBound(const Problem& p) {
  const Relations relations(p);
  Peak peak;
  std::vector<int32_t> counted;
  ForEachStart(p, [&](int64_t step, const std::vector<int32_t>& live) {
    counted.clear();
    for (int32_t id : live) {
      // Fixed records that may overlap each other count only by where they end.
      if (!p.fixed_may_overlap || p.records[id].fixed_offset == kNoOffset) {
        counted.push_back(id);
      }
    }
    if (counted.empty()) return;
    const int64_t bytes = relations.any() ? LiveBytes(p, relations, counted)
                                          : LiveBytes(p, counted);
    if (bytes > peak.bytes) peak = {step, bytes};
  });
  for (const Record& r : p.records) {
    if (r.fixed_offset == kNoOffset) continue;
    const int64_t end = r.fixed_offset + r.size.extent[0];
    if (end > peak.bytes) peak = {r.first, end};
  }
  return peak;
}

std::vector<Profile> Profiles(const Problem& p) {
  std::vector<Profile> profiles;
  ForEachStart(p, [&](int64_t step, std::vector<int32_t> live) {
    SortBySize(p, &live);
    profiles.push_back({step, std::move(live)});
  });
  return profiles;
}

std::vector<int32_t> LiveAt(const Problem& p, int64_t step) {
  std::vector<int32_t> live;
  for (size_t i = 0; i < p.records.size(); ++i) {
    if (p.records[i].first <= step && step <= p.records[i].last) {
      live.push_back(static_cast<int32_t>(i));
    }
  }
  SortBySize(p, &live);
  return live;
}

std::vector<int64_t> PositionalMaxima(const Problem& p) {
  std::vector<int64_t> maxima;
  for (const Profile& profile : Profiles(p)) {
    for (size_t k = 0; k < profile.records.size(); ++k) {
      const int64_t bytes = Bytes(p, p.records[profile.records[k]].size);
      if (k == maxima.size()) maxima.push_back(0);
      maxima[k] = std::max(maxima[k], bytes);
    }
  }
  return maxima;
}

int64_t ObjectsLowerBound(const Problem& p) {
  const std::vector<int64_t> maxima = PositionalMaxima(p);
  return std::accumulate(maxima.begin(), maxima.end(), int64_t{0});
}

}  // namespace mace::memory
