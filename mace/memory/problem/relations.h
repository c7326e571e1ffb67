// Relations: how near two records may be to each other, including declared
// overlaps.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_RELATIONS_H_
#define MACE_MEMORY_PROBLEM_RELATIONS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// For every pair that lives together, offset(b) - offset(a) must not be in an
// open interval (low, high). It is (-size(b), size(a)) unless an overlap is
// declared, which moves one of its ends towards the other, or, if it is safe at
// any distance, leaves the interval empty:
//
//     -size(b)            0                  size(a)   offset(b) - offset(a)
//   -----(================+=====================)---->  none declared
//   -----(================+=========)---------------->  a lets b begin there
//                              safe_distance
class Relations {
 public:
  // The distances that are forbidden. If it is empty, the two may lie anywhere.
  struct Gap {
    int64_t low, high;
    bool empty() const { return low >= high; }
  };

  // REQUIRES: the problem is reduced, and outlives this object.
  explicit Relations(const Problem& problem) : problem_(problem) {
    for (size_t i = 0; i < problem.records.size(); ++i) {
      for (const Overlap& o : problem.records[i].overlaps) {
        if (links_.empty()) links_.resize(problem.records.size());
        const auto a = static_cast<int32_t>(i);
        links_[a].push_back({o.other, o.safe_distance, true});
        links_[o.other].push_back({a, o.safe_distance, false});
      }
    }
  }

  // Returns whether there are any overlaps (of record `a`).
  bool any() const { return !links_.empty(); }
  bool any(int32_t a) const { return any() && !links_[a].empty(); }

  // Returns the interval for offset(b) - offset(a). Does not check whether the
  // two live together. Overlaps that both records declare are all permitted,
  // each with its own distance.
  Gap Between(int32_t a, int32_t b) const {
    Gap gap = {-problem_.records[b].size.extent[0],
               problem_.records[a].size.extent[0]};
    if (!any(a)) return gap;
    for (const Link& link : links_[a]) {
      if (link.other != b) continue;
      if (link.distance == Overlap::kAnyDistance) return {0, 0};
      // The condition is b - a >= distance if outgoing, else a - b >= distance.
      if (link.outgoing) {
        gap.high = std::min(gap.high, link.distance);
      } else {
        gap.low = std::max(gap.low, -link.distance);
      }
    }
    return gap;
  }

  // Returns the most bytes that `a` and `b` can share.
  int64_t MostShared(int32_t a, int32_t b) const {
    const int64_t sa = problem_.records[a].size.extent[0];
    const int64_t sb = problem_.records[b].size.extent[0];
    const Gap gap = Between(a, b);
    if (gap.empty()) return std::min(sa, sb);
    // They share more the closer one comes to lying inside the other.
    const int64_t above = std::min(sb, sa - std::max<int64_t>(gap.high, 0));
    const int64_t below = std::min(sa, sb + std::min<int64_t>(gap.low, 0));
    return std::max<int64_t>({0, above, below});
  }

  // Calls f for each declared overlap of `a` and another record: twice for one
  // record if both declare it.
  template <typename F>
  void ForEachLink(int32_t a, const F& f) const {
    if (!any(a)) return;
    for (const Link& link : links_[a]) f(link.other);
  }

 private:
  // A declared overlap, which is listed at both of its records.
  struct Link {
    int32_t other;
    int64_t distance;
    // Whether the record in whose list it is has declared it.
    bool outgoing;
  };
  const Problem& problem_;
  // By record; empty if the problem has no overlaps.
  std::vector<std::vector<Link>> links_;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_RELATIONS_H_
