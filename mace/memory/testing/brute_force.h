// Small random problems, and their smallest totals by trying every order.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_BRUTE_FORCE_H_
#define MACE_MEMORY_TESTING_BRUTE_FORCE_H_

#include <algorithm>
#include <random>

#include "mace/memory/problem/problem.h"
#include "mace/memory/problem/validate.h"

namespace mace::memory {

// Returns up to `n` records in bytes; in half of the problems, some are
// aligned.
inline Problem RandomSmallProblem(std::mt19937* rng, int n) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  const bool aligned = pick(0, 1) == 1;
  const int64_t step = pick(0, 3) == 0 ? 100 : 1;
  const int64_t last = pick(1, 9);
  for (int64_t i = pick(0, n); i > 0; --i) {
    Record r;
    r.size = pick(1, pick(1, 30)) * step;
    r.first = pick(0, last);
    r.last = std::min(last, r.first + pick(0, 4));
    if (aligned && pick(0, 2) == 0) r.alignment = int64_t{1} << pick(1, 4);
    p.records.push_back(r);
  }
  return p;
}

// Finds the smallest total. In some best plan, every record lies on the floor
// or on records below it, so it results from stacking the records in one of all
// orders. For each set of records, keeps the shapes that its top can have, on
// which alone the rest depends, except shapes that are nowhere lower than
// another one.
class BruteForce {
 public:
  explicit BruteForce(const Problem& p) : p_(p) {
    for (const Record& r : p.records) starts_.push_back(r.first);
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  }

  // REQUIRES: at most 20 records, none of them fixed, an alias or overlapping.
  int64_t Solve() const {
    const size_t n = p_.records.size();
    std::vector<std::vector<Top>> tops(size_t{1} << n);
    tops[0].push_back(Top(starts_.size() + 1, 0));
    for (size_t set = 0; set + 1 < tops.size(); ++set) {
      for (const Top& top : tops[set]) {
        for (size_t i = 0; i < n; ++i) {
          const size_t bit = size_t{1} << i;
          if ((set & bit) == 0) Add(Put(top, i, set | bit), &tops[set | bit]);
        }
      }
      tops[set].clear();
    }
    return tops.back()[0].back();
  }

 private:
  // The height at each step at which a record begins, and the largest height.
  using Top = std::vector<int64_t>;

  // Returns the top after record i is put on it, which completes `set`. The
  // height of a step whose records are all placed no longer matters, and
  // becomes 0, so that more tops are alike.
  Top Put(Top top, size_t i, size_t set) const {
    const Record& r = p_.records[i];
    int64_t at = 0;
    for (size_t k = 0; k < starts_.size(); ++k) {
      if (LivesAt(r, k)) at = std::max(at, top[k]);
    }
    at = AlignUp(at, std::max(r.alignment, p_.alignment));
    const int64_t end = at + r.size.extent[0];
    for (size_t k = 0; k < starts_.size(); ++k) {
      if (LivesAt(r, k)) top[k] = end;
      if (IsOver(k, set)) top[k] = 0;
    }
    top.back() = std::max(top.back(), end);
    return top;
  }

  bool LivesAt(const Record& r, size_t k) const {
    return r.first <= starts_[k] && starts_[k] <= r.last;
  }

  // Returns whether all records that live at the step are in the set.
  bool IsOver(size_t k, size_t set) const {
    for (size_t i = 0; i < p_.records.size(); ++i) {
      if ((set >> i & 1) == 0 && LivesAt(p_.records[i], k)) return false;
    }
    return true;
  }

  static bool NoHigher(const Top& a, const Top& b) {
    for (size_t k = 0; k < a.size(); ++k) {
      if (a[k] > b[k]) return false;
    }
    return true;
  }

  // Adds a top, unless one that is nowhere higher is there; removes those that
  // it makes useless.
  static void Add(Top top, std::vector<Top>* tops) {
    for (const Top& other : *tops) {
      if (NoHigher(other, top)) return;
    }
    tops->erase(
        std::remove_if(tops->begin(), tops->end(),
                       [&](const Top& other) { return NoHigher(top, other); }),
        tops->end());
    tops->push_back(std::move(top));
  }

  const Problem& p_;
  std::vector<int64_t> starts_;
};

inline int64_t LeastTotal(const Problem& p) { return BruteForce(p).Solve(); }

// The same with fixed records and overlaps, by trying all aligned offsets of
// one record after the other. For a handful of records of few bytes. REQUIRES:
// there are no aliases, and some plan takes at most `most` bytes.
class TryAllOffsets {
 public:
  TryAllOffsets(const Problem& p, int64_t most) : p_(p), least_(most) {}

  int64_t Solve() {
    offsets_.clear();
    Place(0);
    return least_;
  }

 private:
  // Tries all offsets of the next record. `top` is the end of those before it.
  void Place(int64_t top) {
    if (offsets_.size() == p_.records.size()) {
      least_ = std::min(least_, top);
      return;
    }
    const size_t id = offsets_.size();
    const Record& r = p_.records[id];
    const bool is_fixed = r.fixed_offset != kNoOffset;
    const int64_t step = std::max(r.alignment, p_.alignment);
    for (int64_t at = is_fixed ? r.fixed_offset : 0;; at += step) {
      const int64_t end = at + r.size.extent[0];
      if (end > least_) break;
      if (is_fixed || MayLieAt(id, at)) {
        offsets_.push_back(at);
        Place(std::max(top, end));
        offsets_.pop_back();
      }
      if (is_fixed) break;
    }
  }

  // Returns whether record `id` at offset `at` collides with no record that is
  // placed or fixed.
  bool MayLieAt(size_t id, int64_t at) const {
    for (size_t k = 0; k < p_.records.size(); ++k) {
      const Record &a = p_.records[id], &b = p_.records[k];
      const int64_t other =
          k < offsets_.size() ? offsets_[k] : p_.records[k].fixed_offset;
      if (k == id || other == kNoOffset || !LiveTogether(a, b)) continue;
      const bool apart =
          at + a.size.extent[0] <= other || other + b.size.extent[0] <= at;
      if (!apart && !MayOverlap(p_, static_cast<int32_t>(id),
                                static_cast<int32_t>(k), other - at)) {
        return false;
      }
    }
    return true;
  }

  const Problem& p_;
  int64_t least_;
  std::vector<int64_t> offsets_;  // of the first records
};

// Returns a few records of few bytes, some fixed, some with declared overlaps.
inline Problem RandomConstrainedProblem(std::mt19937* rng) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  p.fixed_may_overlap = true;
  const int64_t n = pick(1, 5), last = pick(0, 3);
  const bool with_fixed = pick(0, 1) == 1, with_overlaps = pick(0, 1) == 1;
  for (int64_t i = 0; i < n; ++i) {
    Record r;
    r.size = pick(1, 6);
    r.first = pick(0, last);
    r.last = std::min(last, r.first + pick(0, 2));
    if (pick(0, 2) == 0) r.alignment = int64_t{1} << pick(0, 2);
    if (with_fixed && pick(0, 2) == 0) {
      r.fixed_offset = AlignUp(pick(0, 8), r.alignment);
    }
    for (int64_t j = 0; with_overlaps && j < n; ++j) {
      if (i == j || pick(0, 2) > 0) continue;
      r.overlaps.push_back({static_cast<int32_t>(j), pick(0, 3) == 0
                                                         ? Overlap::kAnyDistance
                                                         : pick(-5, 5)});
    }
    p.records.push_back(r);
  }
  return p;
}

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_BRUTE_FORCE_H_
