// Depth-first search for a plan within a capacity, with backjumping.
// SPDX-License-Identifier: Apache-2.0
//
// It looks for one particular plan: of all that fit, the one with the least sum
// of offsets. There every item lies on the arena's floor, a fixed record or
// another item, and it cannot be moved down. Items are placed by ascending
// offset, as in MiniMalloc (Moffitt, ASPLOS 2024): at each node the lowest free
// place is given to an item, or closed to it for good.
//
//   +-------+                   level: the lowest offset that any item without
//   | placed|   +-----+         a place can have. Candidates are the items that
//   |       +---+     |         lie on something there. Branch 1: the candidate
//   |       | ^ |     |         takes the place. Branch 2: it never does; then
//   +-------+-|-+-----+         something else will be below it.
//             level
//
// What makes it fast:
// * Bounds. `lowest` of an item is what its offset will at least be. An item
//   whose place is closed needs another one below it, which has to begin before
//   the closed place ends (or the item could move down): the least end of those
//   is its new bound.
// * Sections (MiniMalloc 3.3). Of every section the items without a place must
//   fit above the least of their bounds.
// * Explanations. Each bound knows the placed items that it follows from, so
//   that a dead end knows its culprits, and the search returns to the last of
//   them (conflict-directed backjumping: Prosser, 1993).
// * Parts. When no item without a place crosses a point in time, both sides are
//   solved on their own.
#ifndef MACE_MEMORY_OFFSETS_SEARCH_H_
#define MACE_MEMORY_OFFSETS_SEARCH_H_

#include <cstdint>
#include <vector>

#include "mace/memory/offsets/search_instance.h"
#include "mace/memory/problem/search_budget.h"

namespace mace::memory {

// Which candidate of a level comes first: the one of the highest rank ...
enum class SearchFocus {
  kTightSection,  // in the section with the least room left
  kTightItem,     // of those with the least room left in any of their sections
  kFailing,       // in the section where most dead ends were found
};

enum class SearchResult { kFound, kInfeasible, kGaveUp };

// T holds offsets and capacities in units, and their sums.
template <typename T>
class Search {
 public:
  // The largest capacity, in units, that T can do.
  static int64_t MaxCapacity();

  // `instance` outlives this.
  explicit Search(const SearchInstance& instance);

  // Looks for offsets (in units) of all items within `capacity` and at most
  // `max_nodes` nodes. kInfeasible is a proof. Remembers where it failed from
  // call to call.
  SearchResult Run(int64_t capacity, SearchFocus focus,
                   const std::vector<int32_t>& rank, int64_t max_nodes,
                   SearchBudget* budget);

  // After kFound.
  const std::vector<T>& offsets() const { return offset_; }

 private:
  using Word = uint64_t;  // of a set of items
  struct Saved {          // of an item, to take back
    int32_t item;
    T base, lowest;
    int32_t support;
  };
  // Items without a place that live in sections [begin, end), on the stack of
  // lists.
  struct Part {
    size_t at, size;
    int32_t begin, end;
    bool cut;  // some point in time inside may be crossed by no item
  };

  void Reset();
  bool Solve(const Part& part);
  bool SolvePieces(const Part& part);
  bool Branch(const Part& part);
  bool TryPlace(const Part& part, int32_t item);
  bool Close(const Part& part, int32_t item);
  bool Tighten(const Part& part);
  bool RaiseLevel(const Part& part, T level, bool* raised);
  bool Raise(int32_t item);
  bool SectionsFit(const Part& part);
  int32_t Choose(const Part& part, T level) const;
  int32_t ChooseInSection(const Part& part, T level, int32_t section) const;
  int32_t ChooseItem(const Part& part, T level) const;
  int32_t FocusSection(const Part& part, T level) const;

  void Place(int32_t item, T at);
  void Unplace(int32_t item);
  void PushAbove(int32_t item, int32_t placed);
  T NextFree(int32_t item, T from) const;
  T LeastSupport(int32_t item, int32_t* support) const;
  void ExplainSupport(int32_t item, int64_t bound);
  void ExplainSection(const Part& part, int32_t section);
  void AddUse(int32_t item, int sign);

  void Save(int32_t item);
  void Undo(size_t mark);
  Word* reason(int32_t item) { return &reasons_[item * words_]; }
  bool Free(int32_t item) const { return offset_[item] < 0; }
  bool Closed(int32_t item) const { return lowest_[item] > base_[item]; }

  const SearchInstance& in_;
  const int32_t n_;
  const size_t words_;
  // Flat copies of what the inner loops read.
  std::vector<T> size_, padded_, alignment_;
  std::vector<int32_t> begin_, end_;
  std::vector<int32_t> neighbour_, neighbour_at_;
  std::vector<Word> neighbour_set_;
  std::vector<bool> special_;        // has obstacles or links
  std::vector<int64_t> total_load_;  // of each section

  T capacity_ = 0;
  SearchFocus focus_ = SearchFocus::kTightSection;
  const int32_t* rank_ = nullptr;
  int64_t nodes_left_ = 0;
  bool gave_up_ = false;
  SearchBudget* budget_ = nullptr;

  // Of each item.
  std::vector<T> offset_;         // or -1
  std::vector<T> base_;           // where it would lie if placed now
  std::vector<T> lowest_;         // bound of its offset; above base_: closed
  std::vector<int32_t> support_;  // the item that lowest_ comes from
  std::vector<Word> reasons_;     // sets: why lowest_ is no less
  std::vector<Word> placed_;      // set
  // Of each section.
  std::vector<T> load_;            // sizes of the items without a place
  std::vector<T> room_;            // capacity and slack
  std::vector<T> floor_;           // least bound of those items
  std::vector<int32_t> crossing_;  // items that cross into it
  std::vector<int32_t> failures_;

  std::vector<Saved> trail_;
  std::vector<Word> trail_reasons_;
  std::vector<int32_t> lists_;
  std::vector<Word> conflict_;  // set: why the last dead end is one
  std::vector<Word> candidate_conflict_;
};

extern template class Search<int16_t>;
extern template class Search<int32_t>;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_H_
