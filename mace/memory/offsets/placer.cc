// Finds gaps for the greedy planners.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/placer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "mace/base/sort.h"

namespace mace::memory {
namespace {

// Pairs that live together, of which each takes some 10 ns. With more of them,
// pieces are reused whole instead of looking for gaps.
constexpr int64_t kMaxPairs = int64_t{1} << 26;

}  // namespace

LiveTogetherIndex::LiveTogetherIndex(const Problem& problem) {
  order_.resize(problem.records.size());
  std::iota(order_.begin(), order_.end(), 0);
  StableSort(&order_, [&](int32_t a, int32_t b) {
    return problem.records[a].first < problem.records[b].first;
  });
  while (num_leaves_ < order_.size()) num_leaves_ *= 2;
  latest_.assign(2 * num_leaves_, std::numeric_limits<int64_t>::min());
  for (size_t i = 0; i < order_.size(); ++i) {
    firsts_.push_back(problem.records[order_[i]].first);
    latest_[num_leaves_ + i] = problem.records[order_[i]].last;
  }
  for (size_t i = num_leaves_ - 1; i > 0; --i) {
    latest_[i] = std::max(latest_[2 * i], latest_[2 * i + 1]);
  }
}

int64_t LiveTogetherIndex::CountPairs() const {
  std::vector<int64_t> lasts(latest_.begin() + num_leaves_,
                             latest_.begin() + num_leaves_ + order_.size());
  StableSort(&lasts);
  int64_t pairs = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    const auto begun = std::upper_bound(firsts_.begin(), firsts_.end(),
                                        latest_[num_leaves_ + i]) -
                       firsts_.begin();
    const auto ended =
        std::lower_bound(lasts.begin(), lasts.end(), firsts_[i]) -
        lasts.begin();
    pairs += begun - ended;
  }
  return pairs;
}

Placer::Placer(const Problem& problem, const Relations& relations)
    : problem_(problem), relations_(relations), index_(problem) {
  placed_.resize(problem.records.size());
  obstacles_.reserve(problem.records.size());
  offsets_.assign(problem.records.size(), kNoOffset);
}

void Placer::Clear() {
  offsets_.assign(offsets_.size(), kNoOffset);
  total_ = 0;
}

void Placer::FindTogether(const Record& record) {
  together_.clear();
  index_.ForEach(record.first, record.last, [&](int32_t id) {
    if (offsets_[id] != kNoOffset) together_.push_back(placed_[id]);
  });
  StableSort(&together_, [](const Placed& a, const Placed& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.number < b.number;
  });
}

int64_t Placer::FindGap(const Record& record, Fit fit,
                        const std::vector<Obstacle>& obstacles) const {
  const int64_t size = record.size.extent[0];
  int64_t best = kNoOffset;
  int64_t best_gap = std::numeric_limits<int64_t>::max();
  int64_t at = 0;  // the lowest aligned address above the obstacles so far
  for (const Obstacle& o : obstacles) {
    const int64_t gap = o.begin - at;
    if (gap >= size && gap < best_gap) {
      if (fit == Fit::kFirst) return at;
      best = at;
      best_gap = gap;
    }
    at = std::max(at, AlignUp(o.end, record.alignment));
  }
  return best == kNoOffset ? at : best;
}

void Placer::Place(int32_t id, Fit fit) {
  const Record& r = problem_.records[id];
  if (r.fixed_offset != kNoOffset) return PlaceAt(id, r.fixed_offset);
  obstacles_.clear();
  const bool any = relations_.any(id);
  FindTogether(r);
  for (const Placed& q : together_) {
    Obstacle o = {q.begin, q.end};
    if (any) {
      // offset(r) - offset(q) must not be in (low, high), so r must not overlap
      // [low + size(r), high) relative to q.
      const Relations::Gap gap = relations_.Between(q.id, id);
      if (gap.empty()) continue;
      o = {q.begin + gap.low + r.size.extent[0], q.begin + gap.high};
    }
    obstacles_.push_back(o);
  }
  if (any) {
    StableSort(&obstacles_, [](const Obstacle& a, const Obstacle& b) {
      return a.begin < b.begin;
    });
  }
  PlaceAt(id, FindGap(r, fit, obstacles_));
}

void Placer::PlaceAt(int32_t id, int64_t offset) {
  const Record& r = problem_.records[id];
  const int64_t end = offset + r.size.extent[0];
  offsets_[id] = offset;
  total_ = std::max(total_, end);
  placed_[id] = {offset, end, id, num_placed_++};
}

void Placer::ReusePieces() {
  const std::vector<Record>& records = problem_.records;
  std::vector<int32_t> begins(records.size());
  std::iota(begins.begin(), begins.end(), 0);
  std::vector<int32_t> ends = begins;
  StableSort(&begins, [&](int32_t a, int32_t b) {
    return records[a].first < records[b].first;
  });
  StableSort(&ends, [&](int32_t a, int32_t b) {
    return records[a].last < records[b].last;
  });
  std::vector<int64_t> piece(records.size());  // by id: its bytes, or 0
  std::multimap<int64_t, int64_t> free;        // offsets by bytes
  auto end = ends.begin();
  for (int32_t id : begins) {
    if (offsets_[id] != kNoOffset) continue;
    const Record& r = records[id];
    for (; records[*end].last < r.first; ++end) {
      if (piece[*end] > 0) free.emplace(piece[*end], offsets_[*end]);
    }
    const auto found = free.lower_bound(r.size.extent[0]);
    if (found != free.end() && found->second % r.alignment == 0) {
      piece[id] = found->first;
      PlaceAt(id, found->second);
      free.erase(found);
    } else {
      piece[id] = r.size.extent[0];
      PlaceAt(id, AlignUp(total_, r.alignment));
    }
  }
}

void Placer::PlaceAll(const std::vector<int32_t>& order, Fit fit) {
  const auto n = static_cast<int32_t>(problem_.records.size());
  for (int32_t id = 0; id < n; ++id) {
    if (problem_.records[id].fixed_offset != kNoOffset) Place(id, fit);
  }
  if (index_.CountPairs() > kMaxPairs) return ReusePieces();
  for (int32_t id : order) {
    if (offsets_[id] == kNoOffset) Place(id, fit);
  }
}

std::vector<int32_t> BySize(const Problem& p) {
  std::vector<int32_t> order(p.records.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) {
    return p.records[a].size.extent[0] > p.records[b].size.extent[0];
  });
  return order;
}

}  // namespace mace::memory
