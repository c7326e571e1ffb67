// Depth-first search for a plan within a capacity, with backjumping.
// SPDX-License-Identifier: Apache-2.0
//
// The search looks for one particular plan: of all plans that fit, the one with
// the least sum of offsets. In this plan, every item lies on the floor of the
// arena, on a fixed record or on another item, and cannot be moved down. Items
// are placed by ascending offset, as in MiniMalloc (Moffitt, ASPLOS 2024): at
// each node, the lowest free place is given to an item, or closed to this item
// for good.
//
//   +-------+                   level: the lowest offset that any item without
//   | placed|   +-----+         a place can have. Candidates are the items that
//   |       +---+     |         lie on something there. Branch 1: the candidate
//   |       | ^ |     |         takes the place. Branch 2: it never does; then
//   +-------+-|-+-----+         something else will be below it.
//             level
//
// Four things make it fast:
// * Bounds. `lowest` is a lower bound of an item's offset. An item whose place
//   is closed needs another item below it that begins before the end of the
//   closed place (or the item could move down). The lowest end that such an
//   item can have is the new bound.
// * Sections (MiniMalloc 3.3). In every section, the items without a place must
//   fit above the least of their bounds.
// * Explanations. Each bound has the set of placed items from which it follows,
//   so a dead end knows its causes, and the search returns to the last of them
//   (conflict-directed backjumping: Prosser, 1993).
// * Parts. If no item without a place crosses a point in time, both sides are
//   solved separately.
#ifndef MACE_MEMORY_OFFSETS_SEARCH_H_
#define MACE_MEMORY_OFFSETS_SEARCH_H_

#include <cstdint>
#include <vector>

#include "mace/memory/offsets/search_instance.h"
#include "mace/memory/problem/search_budget.h"

namespace mace::memory {

// Which candidate of a level is tried first: the one of the highest rank ...
enum class SearchFocus {
  kTightSection,  // in the section with the least room left
  kTightItem,  // among those with the least room left in one of their sections
  kFailing,    // in the section where most dead ends were found
};

enum class SearchResult { kFound, kInfeasible, kGaveUp };

// T is the type of offsets and capacities in units, and of their sums.
template <typename T>
class Search {
 public:
  // Returns the largest capacity, in units, with which T does not overflow.
  static int64_t MaxCapacity();

  // `instance` must outlive the search.
  explicit Search(const SearchInstance& instance);

  // Looks for offsets (in units) of all items within `capacity` units, in at
  // most `max_nodes` nodes. kInfeasible is a proof (but see
  // SearchInstance::narrowed). Later calls profit from where earlier ones
  // failed. `rank` has a number for each item (SearchOrder). REQUIRES: capacity
  // <= MaxCapacity().
  SearchResult Run(int64_t capacity, SearchFocus focus,
                   const std::vector<int32_t>& rank, int64_t max_nodes,
                   SearchBudget* budget);

  // REQUIRES: the last Run returned kFound.
  const std::vector<T>& offsets() const { return offset_; }

 private:
  using Word = uint64_t;  // a part of a set of items
  struct Saved {          // the state of an item, for backtracking
    int32_t item;
    T base, lowest;
    int32_t support;
  };
  // The items without a place that live in sections [begin, end): `size` ids in
  // lists_, from index `at` on.
  struct Part {
    size_t at, size;
    int32_t begin, end;
    bool cut;  // perhaps no item crosses some point in time inside
  };

  // Forgets all placements. Every item may then lie on the floor, or, if it is
  // special, at its lowest free offset.
  void Reset();
  // Place all items of the part. They return true with every item placed; or
  // false with no item placed, either at a dead end, whose causes are then in
  // conflict_, or because the search gives up. Solve and SolvePieces also
  // restore the bounds then; Branch leaves that to Solve. SolvePieces is for a
  // part that is cut, Branch for one that is not.
  bool Solve(const Part& part);
  bool SolvePieces(const Part& part);
  bool Branch(const Part& part);
  // Places `item` at its base and solves the rest of the part; undoes this if
  // the rest has no solution.
  bool TryPlace(const Part& part, int32_t item);
  // Forbids `item` its current base for the reasons in conflict_, and derives
  // the bounds that follow. Returns false at a dead end, as do the next four.
  bool Close(const Part& part, int32_t item);
  // Raises the bounds of closed items whose support no longer justifies them.
  bool Tighten(const Part& part);
  // The same for those whose bound is `level`. Sets *raised if one of them
  // leaves it.
  bool RaiseLevel(const Part& part, T level, bool* raised);
  // Sets the bound of a closed item to the lowest end of what may lie below it,
  // and saves the old one.
  bool Raise(int32_t item);
  // Returns whether every item fits above its bound, and, in every section, the
  // least bound plus the load is at most the room. If so, has computed floor_,
  // on which the choice of an item relies.
  bool SectionsFit(const Part& part);
  // Return the candidate to try next, by the focus of this run; kNone if every
  // item of the level that they look at is closed.
  int32_t Choose(const Part& part, T level) const;
  int32_t ChooseInSection(const Part& part, T level, int32_t section) const;
  int32_t ChooseItem(const Part& part, T level) const;
  // Returns the section whose floor is the level and that the focus prefers;
  // kNone if no floor is.
  int32_t FocusSection(const Part& part, T level) const;

  // Place gives `item` an offset, takes it out of the loads, and raises the
  // bases of its neighbours. Unplace takes back the first two only: the bases
  // return with Undo.
  void Place(int32_t item, T at);
  void Unplace(int32_t item);
  void PushAbove(int32_t item, int32_t placed);
  T NextFree(int32_t item, T from) const;
  // Returns the lowest offset that `item`, whose base is closed, can have on
  // top of an item without a place, and that item; kNone if there is none.
  T LeastSupport(int32_t item, int32_t* support) const;
  // Set conflict_ to the placed items because of which the bound or the load is
  // so high.
  void ExplainSupport(int32_t item, int64_t bound);
  void ExplainSection(const Part& part, int32_t section);
  // Adds the item to the loads and crossings of its sections; removes it if
  // sign is -1.
  void AddUse(int32_t item, int sign);

  // Save appends the bounds of an item and their reason to the trail, before
  // they change. Undo restores them down to a trail of length `mark`.
  void Save(int32_t item);
  void Undo(size_t mark);
  Word* reason(int32_t item) { return &reasons_[item * words_]; }
  bool Free(int32_t item) const { return offset_[item] < 0; }
  bool Closed(int32_t item) const { return lowest_[item] > base_[item]; }

  const SearchInstance& in_;
  const int32_t n_;
  const size_t words_;
  // The items of `in_`, by item. The neighbours of item i are
  // neighbour_[neighbour_at_[i]] up to neighbour_[neighbour_at_[i + 1] - 1],
  // and, as a set, the words of neighbour_set_ from i * words_ on.
  std::vector<T> size_, padded_, alignment_;
  std::vector<int32_t> begin_, end_;
  std::vector<int32_t> neighbour_, neighbour_at_;
  std::vector<Word> neighbour_set_;
  std::vector<bool> special_;        // whether the item has obstacles or links
  std::vector<int64_t> total_load_;  // by section

  T capacity_ = 0;
  SearchFocus focus_ = SearchFocus::kTightSection;
  const int32_t* rank_ = nullptr;
  int64_t nodes_left_ = 0;
  bool gave_up_ = false;
  SearchBudget* budget_ = nullptr;

  // By item.
  std::vector<T> offset_;  // -1: no place yet
  std::vector<T> base_;    // the offset if it were placed now
  std::vector<T> lowest_;  // lower bound of its offset; closed if above base_
  std::vector<int32_t> support_;  // the item from which lowest_ follows
  // Sets: the placed items from which lowest_ follows.
  std::vector<Word> reasons_;
  std::vector<Word> placed_;  // set
  // By section.
  std::vector<T> load_;            // sum of sizes of the items without a place
  std::vector<T> room_;            // capacity plus slack
  std::vector<T> floor_;           // least bound of those items
  std::vector<int32_t> crossing_;  // number of items that cross into it
  std::vector<int32_t> failures_;

  // What Undo restores: an entry, and words_ words of its reason, for each
  // Save.
  std::vector<Saved> trail_;
  std::vector<Word> trail_reasons_;
  // A stack of the item lists of the parts that are being solved.
  std::vector<int32_t> lists_;
  std::vector<Word> conflict_;  // set: causes of the last dead end
  std::vector<Word> candidate_conflict_;
};

extern template class Search<int16_t>;
extern template class Search<int32_t>;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_H_
