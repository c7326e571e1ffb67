// Small random problems, and their least totals by trying every order.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_BRUTE_FORCE_H_
#define MACE_MEMORY_TESTING_BRUTE_FORCE_H_

#include <algorithm>
#include <random>

#include "mace/memory/problem.h"

namespace mace::memory {

// Up to `n` records of bytes; half of the problems align some of them.
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

// In some best plan every record lies on the floor or on records below it, so
// that placing the records in order of its offsets finds it.
class BruteForce {
 public:
  explicit BruteForce(const Problem& p)
      : p_(p), offsets_(p.records.size(), kNoOffset) {
    for (const Record& r : p.records) {
      best_ += AlignUp(r.size.extent[0], r.alignment) + r.alignment;
    }
  }

  int64_t Solve() {
    Extend(0, 0);
    return p_.records.empty() ? 0 : best_;
  }

 private:
  // `level`: the last offset; no lower one is left to be used.
  void Extend(int64_t level, int64_t total) {
    if (total >= best_) return;
    bool complete = true;
    for (size_t i = 0; i < offsets_.size(); ++i) {
      if (offsets_[i] != kNoOffset) continue;
      complete = false;
      const Record& r = p_.records[i];
      int64_t at = 0;
      for (size_t j = 0; j < offsets_.size(); ++j) {
        const Record& other = p_.records[j];
        if (offsets_[j] == kNoOffset || !LiveTogether(r, other)) continue;
        at = std::max(at, offsets_[j] + other.size.extent[0]);
      }
      at = AlignUp(at, std::max(r.alignment, p_.alignment));
      if (at < level) continue;
      offsets_[i] = at;
      Extend(at, std::max(total, at + r.size.extent[0]));
      offsets_[i] = kNoOffset;
    }
    if (complete) best_ = total;
  }

  const Problem& p_;
  std::vector<int64_t> offsets_;
  int64_t best_ = 1;
};

inline int64_t LeastTotal(const Problem& p) { return BruteForce(p).Solve(); }

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_BRUTE_FORCE_H_
