// objects/GREEDY_BY_BREADTH, GREEDY_BY_SIZE and GREEDY_BEST.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "mace/base/sort.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/problem/bounds.h"

namespace mace::memory {
namespace {

constexpr int64_t kGreedyInfinity = std::numeric_limits<int64_t>::max();

int64_t TotalOfGreedy(const Plan& plan) {
  int64_t total = 0;
  for (const Size& size : plan.object_sizes) total += size.extent[0];
  return total;
}

// Returns whether `found` is a better object for `wanted` bytes than `best`:
// the smallest object that covers it is best, or else the largest.
bool Better(int64_t found, int64_t best, int64_t wanted) {
  if (best < wanted) return found > best;
  return found >= wanted && found < best;
}

// Returns the number of steps between two records, or infinity if they live
// together.
int64_t Distance(const Record& a, const Record& b) {
  if (a.last < b.first) return b.first - a.last;
  if (b.last < a.first) return a.first - b.last;
  return kGreedyInfinity;
}

// The state of a record that has no object yet, for GREEDY_BY_SIZE.
struct Candidate {
  size_t position;  // index of the last positional maximum that covers it
  int64_t size;
  // The distance to each object; infinity if the record cannot use it.
  std::vector<int64_t> distance;
  int64_t best_distance = kGreedyInfinity;
  int32_t best_object = kNone;

  bool Before(const Candidate& o) const {
    if (position != o.position) return position < o.position;
    if (best_distance != o.best_distance) {
      return best_distance < o.best_distance;
    }
    return size > o.size;
  }

  void FindBest() {
    best_distance = kGreedyInfinity;
    best_object = kNone;
    for (size_t o = 0; o < distance.size(); ++o) {
      if (distance[o] < best_distance) {
        best_distance = distance[o];
        best_object = static_cast<int32_t>(o);
      }
    }
  }

  // Updates the distances after `object` got a record that is `steps` away.
  void Update(int32_t object, int64_t steps, bool is_new) {
    if (is_new) {
      distance.push_back(steps);
    } else if (distance[object] == kGreedyInfinity) {
      return;
    } else if (steps == kGreedyInfinity) {
      distance[object] = kGreedyInfinity;
      if (best_object == object) FindBest();
    } else {
      distance[object] = std::min(distance[object], steps);
    }
    if (steps < best_distance) {
      best_distance = steps;
      best_object = object;
    }
  }
};

std::vector<Candidate> Candidates(const Problem& p) {
  const std::vector<int64_t> maxima = PositionalMaxima(p);
  std::vector<Candidate> candidates(p.records.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    const int64_t size = p.records[i].size.extent[0];
    candidates[i].size = size;
    // Maxima descend, and the first is at least as large as any record.
    const auto smaller =
        std::find_if(maxima.begin(), maxima.end(),
                     [&](int64_t maximum) { return maximum < size; });
    candidates[i].position = smaller - maxima.begin() - 1;
  }
  return candidates;
}

}  // namespace

Result<Plan> ObjectsGreedyByBreadth(const Problem& p, const Options&) {
  std::vector<Profile> profiles = Profiles(p);
  std::vector<std::pair<int64_t, size_t>> breadths;
  for (size_t i = 0; i < profiles.size(); ++i) {
    int64_t breadth = 0;
    for (int32_t id : profiles[i].records) {
      breadth += p.records[id].size.extent[0];
    }
    breadths.push_back({-breadth, i});
  }
  StableSort(&breadths);

  Plan plan;
  plan.object_ids.assign(p.records.size(), kNone);
  std::vector<std::vector<int32_t>> users;  // of each object
  const auto is_free = [&](size_t object, const Record& r) {
    for (int32_t user : users[object]) {
      if (LiveTogether(p.records[user], r)) return false;
    }
    return true;
  };
  for (const auto& [breadth, index] : breadths) {
    for (int32_t id : profiles[index].records) {
      if (plan.object_ids[id] != kNone) continue;
      const Record& r = p.records[id];
      const int64_t size = r.size.extent[0];
      size_t best = users.size();
      for (size_t o = 0; o < users.size(); ++o) {
        const int64_t found = plan.object_sizes[o].extent[0];
        if (best != users.size() &&
            !Better(found, plan.object_sizes[best].extent[0], size)) {
          continue;
        }
        if (is_free(o, r)) best = o;
      }
      if (best == users.size()) {
        users.emplace_back();
        plan.object_sizes.push_back(r.size);
      }
      users[best].push_back(id);
      int64_t& bytes = plan.object_sizes[best].extent[0];
      bytes = std::max(bytes, size);
      plan.object_ids[id] = static_cast<int32_t>(best);
    }
  }
  return plan;
}

Result<Plan> ObjectsGreedyBySize(const Problem& p, const Options&) {
  const size_t n = p.records.size();
  std::vector<Candidate> candidates = Candidates(p);
  Plan plan;
  plan.object_ids.assign(n, kNone);
  for (size_t round = 0; round < n; ++round) {
    size_t next = n;
    for (size_t i = 0; i < n; ++i) {
      if (plan.object_ids[i] == kNone &&
          (next == n || candidates[i].Before(candidates[next]))) {
        next = i;
      }
    }
    const Record& r = p.records[next];
    int32_t object = candidates[next].best_object;
    const bool is_new = object == kNone;
    if (is_new) {
      object = static_cast<int32_t>(plan.object_sizes.size());
      plan.object_sizes.push_back(r.size);
    }
    int64_t& bytes = plan.object_sizes[object].extent[0];
    bytes = std::max(bytes, r.size.extent[0]);
    plan.object_ids[next] = object;
    for (size_t i = 0; i < n; ++i) {
      if (plan.object_ids[i] != kNone) continue;
      candidates[i].Update(object, Distance(p.records[i], r), is_new);
    }
  }
  return plan;
}

Result<Plan> ObjectsGreedyBest(const Problem& p, const Options& options) {
  MACE_ASSIGN_OR_RETURN(Plan by_size, ObjectsGreedyBySize(p, options));
  MACE_ASSIGN_OR_RETURN(Plan by_breadth, ObjectsGreedyByBreadth(p, options));
  return TotalOfGreedy(by_breadth) < TotalOfGreedy(by_size) ? by_breadth
                                                            : by_size;
}

}  // namespace mace::memory
