// Placer: places records one after another in the gaps between those placed
// before.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_PLACER_H_
#define MACE_MEMORY_OFFSETS_PLACER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"
#include "mace/memory/problem/relations.h"

namespace mace::memory {

enum class Fit {
  kFirst,  // the lowest gap that is large enough
  kBest,   // the smallest gap that is large enough, of equal ones the lowest
};

// Finds the records that live together with another one, in time that depends
// on their number. It is a segment tree over the records by first step, whose
// nodes have the latest last step below them: a subtree that ends before the
// lifetime in question is skipped.
//
//          [0,4) 9             first steps  0  2  3  7
//        /         \           last steps   1  9  4  8
//    [0,2) 9     [2,4) 8       [3, 3]: of the first three leaves, those
//     / \         / \          that last until 3 or longer: 9 and 4
//    1   9       4   8
class LiveTogetherIndex {
 public:
  explicit LiveTogetherIndex(const Problem& problem);

  // Returns how many ordered pairs of records live together. Each record also
  // counts as a pair with itself.
  int64_t CountPairs() const;

  // Calls f(id) for each record that is live at some step of [first, last].
  template <typename F>
  void ForEach(int64_t first, int64_t last, const F& f) const {
    const auto end = std::upper_bound(firsts_.begin(), firsts_.end(), last);
    if (!order_.empty()) {
      Visit(1, 0, num_leaves_, static_cast<size_t>(end - firsts_.begin()),
            first, f);
    }
  }

 private:
  // Calls f(id) for those of the leaves [begin, end) below `node` that are
  // before `limit` and last until `first` or longer.
  template <typename F>
  void Visit(size_t node, size_t begin, size_t end, size_t limit, int64_t first,
             const F& f) const {
    if (begin >= limit || latest_[node] < first) return;
    if (end - begin == 1) return f(order_[begin]);
    const size_t middle = (begin + end) / 2;
    Visit(2 * node, begin, middle, limit, first, f);
    Visit(2 * node + 1, middle, end, limit, first, f);
  }

  std::vector<int32_t> order_;   // ids by first step
  std::vector<int64_t> firsts_;  // their first steps
  size_t num_leaves_ = 1;        // a power of 2
  std::vector<int64_t> latest_;  // a heap: the latest last step below a node
};

// Gives records their offsets one by one, and never moves one again. The greedy
// planners differ in the order and the fit.
class Placer {
 public:
  // REQUIRES: the problem is reduced; both arguments outlive the placer.
  Placer(const Problem& problem, const Relations& relations);

  // Forgets every placement.
  void Clear();
  // Gives `id` an offset in a gap between the placed records that live together
  // with it, or else above them. A fixed record gets its fixed offset.
  void Place(int32_t id, Fit fit);
  // Places `id` at `offset` without checking for collisions.
  void PlaceAt(int32_t id, int64_t offset);
  // Places every record: the fixed ones by id, then the others in `order`. With
  // more than 2^26 pairs that live together, for which this would take about a
  // second or longer, places the others by first step and without looking for
  // gaps, whatever `order` and `fit` are.
  void PlaceAll(const std::vector<int32_t>& order, Fit fit);

  // Returns the end of the topmost record; 0 if none is placed.
  int64_t total() const { return total_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  struct Placed {
    int64_t begin, end;  // addresses
    int32_t id;
    int32_t number;  // of the placement
  };
  struct Obstacle {
    int64_t begin, end;
  };

  // Places the records that have no offset in the order of their first steps:
  // in the smallest piece of an ended record that is large enough, if that
  // piece is aligned, or else above all others. For problems in which FindGap
  // takes too long, as too many pairs of records live at the same time.
  void ReusePieces();
  // Sets together_ to the placed records that live together with `record`, by
  // address.
  void FindTogether(const Record& record);
  int64_t FindGap(const Record& record, Fit fit,
                  const std::vector<Obstacle>& obstacles) const;

  const Problem& problem_;
  const Relations& relations_;
  const LiveTogetherIndex index_;
  std::vector<Placed> placed_;    // by id
  std::vector<Placed> together_;  // ascending begin, ties by number
  std::vector<Obstacle> obstacles_;
  int32_t num_placed_ = 0;
  std::vector<int64_t> offsets_;
  int64_t total_ = 0;
};

// Returns the ids of the records by decreasing size, then by id.
std::vector<int32_t> BySize(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_PLACER_H_
