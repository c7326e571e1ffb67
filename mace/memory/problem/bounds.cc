// Computes lower bounds by a sweep over time.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/bounds.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "mace/base/sort.h"
#include "mace/memory/problem/relations.h"

namespace mace::memory {
namespace {

// Returns the ids by `key`, then by id.
template <typename F>
std::vector<int32_t> IdsBy(const Problem& p, const F& key) {
  std::vector<int32_t> order(p.records.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) {
    return key(p.records[a]) < key(p.records[b]);
  });
  return order;
}

// Calls f(step, live) for each step at which a record begins. `live` are the
// records that are live at it, in order of their first step, then id.
template <typename F>
void ForEachStart(const Problem& p, const F& f) {
  const std::vector<int32_t> order =
      IdsBy(p, [](const Record& r) { return r.first; });
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

// The largest of the numbers of live records.
class LargestLive {
 public:
  void Add(int64_t number, int64_t last) { numbers_.push({number, last}); }
  // 0 if there are none. `step` must not go back.
  int64_t At(int64_t step) {
    while (!numbers_.empty() && numbers_.top().second < step) numbers_.pop();
    return numbers_.empty() ? 0 : numbers_.top().first;
  }

 private:
  std::priority_queue<std::pair<int64_t, int64_t>> numbers_;  // with the last
};

// The bytes that live records need, kept up to date as they begin and end, so
// that a sweep takes O(n log n), however many live at a time.
class LiveBytes {
 public:
  // `relations` has overlaps.
  LiveBytes(const Problem& p, const Relations& relations)
      : p_(p), relations_(relations), is_live_(p.records.size()) {
    std::set<int64_t> alignments;
    for (const Record& r : p.records) alignments.insert(r.alignment);
    for (const int64_t alignment : alignments) levels_.emplace_back(alignment);
  }

  void Begin(int32_t id) {
    const Record& r = p_.records[id];
    const int64_t size = r.size.extent[0];
    is_live_[id] = true;
    sum_ += size - SharedBy(id);
    largest_.Add(size, r.last);
    for (Level& level : levels_) {
      const int64_t aligned = AlignUp(size, level.alignment);
      level.sum += aligned;
      level.slack.Add(aligned - size, r.last);
      level.count += r.alignment == level.alignment;
    }
  }

  void End(int32_t id) {
    const Record& r = p_.records[id];
    const int64_t size = r.size.extent[0];
    sum_ -= size - SharedBy(id);
    is_live_[id] = false;
    for (Level& level : levels_) {
      level.sum -= AlignUp(size, level.alignment);
      level.count -= r.alignment == level.alignment;
    }
  }

  int64_t At(int64_t step) {
    // If some records may overlap, their union takes at least the sum of the
    // sizes less what each pair can share.
    if (relations_.any()) return std::max(sum_, largest_.At(step));
    // All records but the topmost take their aligned size.
    for (Level& level : levels_) {
      if (level.count > 0) return level.sum - level.slack.At(step);
    }
    return 0;
  }

 private:
  // For live records of which this is the least alignment.
  struct Level {
    explicit Level(int64_t a) : alignment(a) {}
    int64_t alignment;
    int64_t sum = 0;
    int64_t count = 0;  // that have it
    LargestLive slack;
  };

  // What it can share with those that are live.
  int64_t SharedBy(int32_t id) const {
    int64_t shared = 0;
    std::vector<int32_t> others;
    relations_.ForEachLink(id, [&](int32_t other) {
      if (other != id && is_live_[other]) others.push_back(other);
    });
    StableSort(&others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const int32_t other : others) {
      shared += relations_.MostShared(std::max(id, other), std::min(id, other));
    }
    return shared;
  }

  const Problem& p_;
  const Relations& relations_;
  std::vector<uint8_t> is_live_;
  int64_t sum_ = 0;
  LargestLive largest_;
  std::vector<Level> levels_;  // ascending alignment
};

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
  LiveBytes live(p, relations);
  // Fixed records that may overlap each other count only by where they end.
  const auto counts = [&](int32_t id) {
    return !p.fixed_may_overlap || p.records[id].fixed_offset == kNoOffset;
  };
  const auto first = [](const Record& r) { return r.first; };
  const auto last = [](const Record& r) { return r.last; };
  const std::vector<int32_t> begins = IdsBy(p, first), ends = IdsBy(p, last);
  Peak peak;
  for (size_t i = 0, ended = 0; i < begins.size();) {
    const int64_t step = p.records[begins[i]].first;
    for (; p.records[ends[ended]].last < step; ++ended) {
      if (counts(ends[ended])) live.End(ends[ended]);
    }
    for (; i < begins.size() && p.records[begins[i]].first == step; ++i) {
      if (counts(begins[i])) live.Begin(begins[i]);
    }
    const int64_t bytes = live.At(step);
    if (bytes > peak.bytes) peak = {step, bytes};
  }
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

std::vector<int64_t> PositionalMaxima(const Problem& p) {
  std::vector<int64_t> maxima;
  ForEachStart(p, [&](int64_t, std::vector<int32_t> live) {
    SortBySize(p, &live);
    if (live.size() > maxima.size()) maxima.resize(live.size());
    for (size_t k = 0; k < live.size(); ++k) {
      maxima[k] = std::max(maxima[k], Bytes(p, p.records[live[k]].size));
    }
  });
  return maxima;
}

int64_t ObjectsLowerBound(const Problem& p) {
  const std::vector<int64_t> maxima = PositionalMaxima(p);
  return std::accumulate(maxima.begin(), maxima.end(), int64_t{0});
}

}  // namespace mace::memory
