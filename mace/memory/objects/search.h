// ObjectsSearch: branch and bound over assignments of records to shared
// objects.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OBJECTS_SEARCH_H_
#define MACE_MEMORY_OBJECTS_SEARCH_H_

#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"
#include "mace/memory/problem/search_budget.h"

namespace mace::memory {

// Assigns the records, in an order that the caller gives, to an object that is
// free during the record's lifetime (which may have to grow), or to a new one.
// Sizes may have any rank.
//
// The bound: if q records without an object live at a step at which f objects
// are free, q - f of them need new objects, and so do those for whose whole
// lifetime no object is free. The k-th new object is at least as large as the
// k-th of those records at any step (these are positional maxima, arXiv
// 2001.03288, of the records that are left).
//
// For each dead end, the search knows the assignments from which it follows,
// and returns to the last of them (conflict-directed backjumping: Prosser,
// 1993).
class ObjectsSearch {
 public:
  // `problem` must outlive the search.
  explicit ObjectsSearch(const Problem& problem);

  // Looks for a plan below `limit` bytes, then below each plan that it finds,
  // in at most `max_nodes` nodes. Returns true if the search was exhaustive:
  // then no plan is below total(). With `frugal`, no object may grow by as many
  // bytes as a new one takes; that finds good plans of images sooner, but an
  // exhaustive search then proves nothing. `order` has the ids of all records.
  bool Run(const std::vector<int32_t>& order, int64_t limit, int64_t max_nodes,
           bool frugal, SearchBudget* budget);

  // The best plan of the last Run. If it found none, total() is its `limit`.
  bool found() const { return found_; }
  int64_t total() const { return best_total_; }
  const std::vector<int32_t>& object_ids() const { return best_ids_; }
  const std::vector<Size>& object_sizes() const { return best_sizes_; }

 private:
  // The size covers all records of the object; `bytes` is Bytes() of it.
  struct Object {
    Size size;
    int64_t bytes;
  };
  // An object that the record in question can join.
  struct Choice {
    int32_t object;
    int64_t growth;  // bytes
    int64_t gap;     // steps to the nearest record of the object
  };

  using Word = uint64_t;  // a part of a set of records

  // Tries every object for the record at `depth` of the order, then a new one.
  // `total` are the bytes of all objects so far. Returns after the first branch
  // whose failure has nothing to do with this record, with the causes in
  // conflict_; or when nodes run out, with complete_ false.
  void Branch(size_t depth, int64_t total);
  // Assigns the record of `depth` to `object`, branches on, and takes it back.
  // `pays`: the object is new or has grown for it.
  void Try(size_t depth, int64_t total, int32_t object, bool pays);
  void TryNew(size_t depth, int64_t total);
  // Returns the objects that `record` can join, by growth, then by gap.
  std::vector<Choice> Choices(int32_t record) const;
  int64_t GapTo(int32_t object, int32_t record) const;
  // Returns the least bytes of new objects that the records without one still
  // need; needed_ and needed_step_ explain them.
  int64_t Bound();
  // Add to conflict_ the records to which the bound is due, those that keep
  // `record` out of every object, and those for which objects were made or
  // grew.
  void ExplainBound();
  void ExplainNoHome(int32_t record);
  void AddPayers();
  // Update ids_, users_ and homes_.
  void Assign(int32_t record, int32_t object);
  void Unassign(int32_t record, int32_t object);
  void NoteBest(int64_t total);
  int32_t* users(int32_t object, int32_t record) {
    return &users_[object * n_ + record];
  }
  int32_t users(int32_t object, int32_t record) const {
    return users_[object * n_ + record];
  }

  const Problem& p_;
  const int32_t n_;
  std::vector<int64_t> bytes_;  // bytes of each record
  std::vector<std::vector<int32_t>>
      neighbours_;  // of each record: those live at the same time
  std::vector<std::vector<int32_t>> live_;  // of each step at which a record
                                            // begins: by decreasing bytes
  const int32_t* order_ = nullptr;
  SearchBudget* budget_ = nullptr;
  int64_t nodes_left_ = 0;
  bool frugal_ = false;
  bool complete_ = true;

  std::vector<Object> objects_;
  std::vector<int32_t> ids_;  // object of each record, or kNone
  // users_[o * n + r] is the number of records of object o that live together
  // with record r.
  std::vector<int32_t> users_;
  // Of each record: number of objects that no record uses while it lives.
  std::vector<int32_t> homes_;
  std::vector<int64_t> needed_;      // for Bound: bytes of the k-th new object
  std::vector<size_t> needed_step_;  // and the step that needs it
  std::vector<int32_t>
      payers_;                  // records that opened an object or made it grow
  std::vector<Word> conflict_;  // set: why the last dead end is one

  bool found_ = false;
  int64_t best_total_ = 0;
  std::vector<int32_t> best_ids_;
  std::vector<Size> best_sizes_;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OBJECTS_SEARCH_H_
