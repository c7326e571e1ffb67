// The search that the header describes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/search.h"

#include <algorithm>
#include <limits>

#include "mace/base/sort.h"
#include "mace/memory/offsets/search_choose.h"

namespace mace::memory {
namespace {

constexpr int kBits = 64;

// The number of sections of a dead end that are explained, of which the best is
// taken. With more, the search was no better on the instances of MiniMalloc,
// and slower.
constexpr int kExplained = 2;

template <typename Set>
void Insert(Set* set, int32_t item) {
  (*set)[item / kBits] |= uint64_t{1} << item % kBits;
}
template <typename Set>
void Erase(Set* set, int32_t item) {
  (*set)[item / kBits] &= ~(uint64_t{1} << item % kBits);
}
bool Contains(const std::vector<uint64_t>& set, int32_t item) {
  return set[item / kBits] >> item % kBits & 1;
}

int Count(const std::vector<uint64_t>& set) {
  int count = 0;
  for (uint64_t word : set) count += __builtin_popcountll(word);
  return count;
}

}  // namespace

template <typename T>
int64_t Search<T>::MaxCapacity() {
  return kInfinite<T> / 2 - 1;
}

template <typename T>
Search<T>::Search(const SearchInstance& in)
    : in_(in),
      n_(static_cast<int32_t>(in.items.size())),
      words_(in.items.size() / kBits + 1) {
  neighbour_at_.push_back(0);
  neighbour_set_.assign(n_ * words_, 0);
  for (int32_t i = 0; i < n_; ++i) {
    const SearchInstance::Item& item = in.items[i];
    size_.push_back(static_cast<T>(item.size));
    padded_.push_back(static_cast<T>(item.padded));
    // An alignment beyond every capacity allows offset 0 only.
    alignment_.push_back(static_cast<T>(
        std::min<int64_t>(item.alignment, kInfinite<T> / 2 + 1)));
    begin_.push_back(item.begin);
    end_.push_back(item.end);
    special_.push_back(!item.obstacles.empty() || !item.links.empty());
    for (int32_t other : item.neighbours) {
      neighbour_.push_back(other);
      Word* const set = &neighbour_set_[i * words_];
      Insert(&set, other);
    }
    neighbour_at_.push_back(static_cast<int32_t>(neighbour_.size()));
  }
  failures_.assign(in.num_sections, 1);
  total_load_.assign(in.num_sections, 0);
  for (int32_t i = 0; i < n_; ++i) {
    for (int32_t s = begin_[i]; s < end_[i]; ++s) {
      total_load_[s] += in.items[i].padded;
    }
  }
  for (const auto& savings : in.savings) {
    for (const auto& saving : savings) {
      total_load_[saving.section] -= saving.size;
    }
  }
}

template <typename T>
void Search<T>::Reset() {
  offset_.assign(n_, -1);
  base_.assign(n_, 0);
  lowest_.assign(n_, 0);
  support_.assign(n_, kNone);
  reasons_.assign(n_ * words_, 0);
  placed_.assign(words_, 0);
  conflict_.assign(words_, 0);
  load_.assign(in_.num_sections, 0);
  floor_.assign(in_.num_sections, 0);
  room_.assign(in_.num_sections, 0);
  crossing_.assign(in_.num_sections, 0);
  trail_.clear();
  trail_reasons_.clear();
  lists_.clear();
  gave_up_ = false;
  for (int32_t s = 0; s < in_.num_sections; ++s) {
    room_[s] = static_cast<T>(capacity_ + in_.slack[s]);
  }
  for (int32_t i = 0; i < n_; ++i) {
    AddUse(i, 1);
    if (special_[i]) base_[i] = lowest_[i] = NextFree(i, 0);
    lists_.push_back(i);
  }
}

// Adds the item to (or with sign -1, removes it from) the load of its sections
// and the points in time that it crosses.
template <typename T>
void Search<T>::AddUse(int32_t item, int sign) {
  const T size = static_cast<T>(sign * padded_[item]);
  T* const load = load_.data();
  for (int32_t s = begin_[item]; s < end_[item]; ++s) load[s] += size;
  for (int32_t s = begin_[item] + 1; s < end_[item]; ++s) {
    crossing_[s] += sign;
  }
  if (in_.savings.empty()) return;
  for (const SearchInstance::Saving& saving : in_.savings[item]) {
    load[saving.section] -= static_cast<T>(sign * saving.size);
  }
}

template <typename T>
SearchResult Search<T>::Run(int64_t capacity, SearchFocus focus,
                            const std::vector<int32_t>& rank, int64_t max_nodes,
                            SearchBudget* budget) {
  for (int32_t i = 0; i < n_; ++i) {
    if (in_.items[i].size > capacity) return SearchResult::kInfeasible;
  }
  capacity_ = static_cast<T>(capacity);
  focus_ = focus;
  rank_ = rank.data();
  nodes_left_ = max_nodes;
  budget_ = budget;
  // A load beyond the capacity might overflow T.
  for (int32_t s = 0; s < in_.num_sections; ++s) {
    if (total_load_[s] > capacity + in_.slack[s]) {
      return SearchResult::kInfeasible;
    }
  }
  Reset();
  const Part all = {0, lists_.size(), 0, in_.num_sections, true};
  if (Solve(all)) return SearchResult::kFound;
  return gave_up_ ? SearchResult::kGaveUp : SearchResult::kInfeasible;
}

template <typename T>
bool Search<T>::Solve(const Part& part) {
  if (part.size == 0) return true;
  if (!budget_->Spend() || --nodes_left_ < 0) {
    gave_up_ = true;
    return false;
  }
  if (part.cut) return SolvePieces(part);
  if (!SectionsFit(part)) return false;
  const size_t mark = trail_.size();
  if (Branch(part)) return true;
  Undo(mark);
  return false;
}

// Splits the part at the points in time that no item without a place crosses,
// and solves the pieces one by one, small ones first.
template <typename T>
bool Search<T>::SolvePieces(const Part& part) {
  const size_t mark = trail_.size();
  const size_t top = lists_.size();
  std::vector<int32_t> piece_of(part.end - part.begin, 0);
  int32_t num_pieces = 0;
  for (int32_t s = part.begin + 1; s < part.end; ++s) {
    if (crossing_[s] == 0) ++num_pieces;
    piece_of[s - part.begin] = num_pieces;
  }
  ++num_pieces;
  std::vector<Part> pieces(num_pieces, {0, 0, part.end, part.begin, false});
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    ++pieces[piece_of[begin_[item] - part.begin]].size;
  }
  size_t at = top;
  for (Part& piece : pieces) {
    piece.at = at;
    at += piece.size;
    piece.size = 0;
  }
  lists_.resize(at);
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    Part& piece = pieces[piece_of[begin_[item] - part.begin]];
    lists_[piece.at + piece.size++] = item;
    piece.begin = std::min(piece.begin, begin_[item]);
    piece.end = std::max(piece.end, end_[item]);
  }
  StableSort(&pieces,
             [](const Part& a, const Part& b) { return a.size < b.size; });
  size_t solved = 0;
  while (solved < pieces.size() && Solve(pieces[solved])) ++solved;
  const bool all = solved == pieces.size();
  if (!all) {
    while (solved-- > 0) {
      for (size_t k = 0; k < pieces[solved].size; ++k) {
        Unplace(lists_[pieces[solved].at + k]);
      }
    }
    Undo(mark);
  }
  lists_.resize(top);
  return all;
}

// Gives away or closes the places of the lowest level, one by one.
template <typename T>
bool Search<T>::Branch(const Part& part) {
  while (true) {
    T level = kInfinite<T>;
    for (size_t k = 0; k < part.size; ++k) {
      level = std::min(level, lowest_[lists_[part.at + k]]);
    }
    int32_t item = Choose(part, level);
    if (item == kNone) {
      bool raised = false;
      if (!RaiseLevel(part, level, &raised)) return false;
      if (raised) {
        if (!SectionsFit(part)) return false;
        continue;
      }
      item = ChooseInSection(part, level, kNone);
    }
    if (item == kNone) {
      // Cannot happen: on the lowest level, some item lies on something placed.
      gave_up_ = true;
      return false;
    }
    if (TryPlace(part, item)) return true;
    // A dead end that does not follow from this place exists without it, too.
    if (gave_up_ || !Contains(conflict_, item)) return false;
    if (!Close(part, item)) return false;
  }
}

template <typename T>
bool Search<T>::TryPlace(const Part& part, int32_t item) {
  const size_t mark = trail_.size();
  const size_t top = lists_.size();
  Place(item, base_[item]);
  Part rest = {top, part.size - 1, part.end, part.begin, false};
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t other = lists_[part.at + k];
    if (other == item) continue;
    lists_.push_back(other);
    rest.begin = std::min(rest.begin, begin_[other]);
    rest.end = std::max(rest.end, end_[other]);
  }
  for (int32_t s = begin_[item] + 1; s < end_[item]; ++s) {
    rest.cut |= crossing_[s] == 0;
  }
  const bool solved = Tighten(rest) && Solve(rest);
  lists_.resize(top);
  if (solved) return true;
  Undo(mark);
  Unplace(item);
  return false;
}

// Closes the item's current place; conflict_ has the causes.
template <typename T>
bool Search<T>::Close(const Part& part, int32_t item) {
  Erase(&conflict_, item);
  Save(item);
  for (size_t w = 0; w < words_; ++w) reason(item)[w] |= conflict_[w];
  lowest_[item] = std::max<T>(lowest_[item], base_[item] + 1);
  return Raise(item) && Tighten(part) && SectionsFit(part);
}

// Updates the bounds of closed items.
template <typename T>
bool Search<T>::Tighten(const Part& part) {
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    if (!Closed(item)) continue;
    const int32_t support = support_[item];
    if (!special_[item] && support != kNone && Free(support) &&
        lowest_[support] + size_[support] <= lowest_[item] &&
        lowest_[support] < base_[item] + size_[item]) {
      continue;  // the bound is still valid
    }
    if (!Raise(item)) return false;
  }
  return true;
}

// Raises the bounds of the closed items of the level as far as possible.
template <typename T>
bool Search<T>::RaiseLevel(const Part& part, T level, bool* raised) {
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    if (lowest_[item] != level || !Closed(item)) continue;
    if (!Raise(item)) return false;
    *raised |= lowest_[item] > level;
  }
  return true;
}

// Derives the bound of a closed item from what can lie below it. If nothing
// can, returns false, with the causes in conflict_.
template <typename T>
bool Search<T>::Raise(int32_t item) {
  int32_t support;
  T bound = LeastSupport(item, &support);
  if (support == kNone) {
    ExplainSupport(item, kInfinite<T>);
    return false;
  }
  bound = std::min<T>(bound, kInfinite<T> - 1);
  if (bound > lowest_[item]) {
    ExplainSupport(item, bound);
    Save(item);
    std::copy(conflict_.begin(), conflict_.end(), reason(item));
    lowest_[item] = bound;
  } else if (support_[item] != support) {
    Save(item);
  }
  support_[item] = support;
  return true;
}

template <typename T>
T Search<T>::LeastSupport(int32_t item, int32_t* support) const {
  *support = kNone;
  T best = kInfinite<T>;
  const T top = base_[item] + size_[item];
  for (int32_t k = neighbour_at_[item]; k < neighbour_at_[item + 1]; ++k) {
    const int32_t other = neighbour_[k];
    if (!Free(other) || lowest_[other] >= top) continue;
    const T end = lowest_[other] + size_[other];
    if (end < best) {
      best = end;
      *support = other;
    }
  }
  if (!special_[item]) {
    return *support == kNone || alignment_[item] == 1
               ? best
               : static_cast<T>(AlignUp(best, alignment_[item]));
  }
  // A linked item may end up inside this one and still allow it to lie higher,
  // which is at least above its base.
  for (const SearchInstance::Link& link : in_.items[item].links) {
    if (!Free(link.other)) continue;
    // offset(item) - offset(other) must not be in (-high, -low).
    if (lowest_[link.other] >= base_[item] + link.high) continue;
    const int64_t end =
        std::max<int64_t>(lowest_[link.other] - link.low, base_[item] + 1);
    if (*support == kNone || end < best) {
      best = static_cast<T>(end);
      *support = link.other;
    }
  }
  return *support == kNone ? best
                           : NextFree(item, std::max<T>(best, base_[item] + 1));
}

// Returns whether the items without a place fit above their bounds, one by one
// and together in every section. Computes floor_.
template <typename T>
bool Search<T>::SectionsFit(const Part& part) {
  T* const floor = floor_.data();
  std::fill(floor + part.begin, floor + part.end, kInfinite<T>);
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    const T lowest = lowest_[item];
    if (lowest > capacity_ - size_[item]) {
      std::copy(reason(item), reason(item) + words_, conflict_.begin());
      return false;
    }
    for (int32_t s = begin_[item]; s < end_[item]; ++s) {
      floor[s] = std::min(floor[s], lowest);
    }
  }
  const T* const load = load_.data();
  const T* const room = room_.data();
  int bad = 0;
  for (int32_t s = part.begin; s < part.end; ++s) {
    bad += (floor[s] < kInfinite<T>)&(floor[s] + load[s] > room[s]);
  }
  if (bad == 0) return true;
  // The section with the fewest causes allows the longest jump back.
  int32_t worst = kNone;
  int fewest = 0;
  int explained = 0;
  for (int32_t s = part.begin; s < part.end && explained < kExplained; ++s) {
    if (floor[s] == kInfinite<T> || floor[s] + load[s] <= room[s]) continue;
    ++explained;
    ExplainSection(part, s);
    const int culprits = Count(conflict_);
    if (worst == kNone || culprits < fewest) {
      worst = s;
      fewest = culprits;
      candidate_conflict_ = conflict_;
    }
  }
  conflict_ = candidate_conflict_;
  ++failures_[worst];
  return false;
}

template <typename T>
void Search<T>::ExplainSection(const Part& part, int32_t section) {
  std::fill(conflict_.begin(), conflict_.end(), 0);
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    if (section < begin_[item] || end_[item] <= section) continue;
    for (size_t w = 0; w < words_; ++w) conflict_[w] |= reason(item)[w];
  }
}

template <typename T>
void Search<T>::Place(int32_t item, T at) {
  offset_[item] = at;
  Insert(&placed_, item);
  AddUse(item, -1);
  for (int32_t k = neighbour_at_[item]; k < neighbour_at_[item + 1]; ++k) {
    if (Free(neighbour_[k])) PushAbove(neighbour_[k], item);
  }
}

template <typename T>
void Search<T>::Unplace(int32_t item) {
  offset_[item] = -1;
  Erase(&placed_, item);
  AddUse(item, 1);
}

// Raises the base of `item`, which has no place yet and so will lie above
// `placed` (or, if linked, where the link permits).
template <typename T>
void Search<T>::PushAbove(int32_t item, int32_t placed) {
  const T end = offset_[placed] + size_[placed];
  const T base = special_[item] ? NextFree(item, base_[item])
                 : alignment_[item] == 1
                     ? end
                     : static_cast<T>(AlignUp(end, alignment_[item]));
  if (base <= base_[item]) return;
  Save(item);
  base_[item] = base;
  if (base <= lowest_[item]) return;
  lowest_[item] = base;
  if (special_[item]) {
    const Word* const neighbours = &neighbour_set_[item * words_];
    for (size_t w = 0; w < words_; ++w) {
      reason(item)[w] |= neighbours[w] & placed_[w];
    }
    return;
  }
  // It does not lie below `placed`, either because it does not fit there or
  // because of its previous bound.
  if (size_[item] > offset_[placed]) {
    std::fill(reason(item), reason(item) + words_, 0);
  }
  Word* const set = reason(item);
  Insert(&set, placed);
}

template <typename T>
void Search<T>::Save(int32_t item) {
  trail_.push_back({item, base_[item], lowest_[item], support_[item]});
  trail_reasons_.insert(trail_reasons_.end(), reason(item),
                        reason(item) + words_);
}

template <typename T>
void Search<T>::Undo(size_t mark) {
  while (trail_.size() > mark) {
    const Saved& saved = trail_.back();
    base_[saved.item] = saved.base;
    lowest_[saved.item] = saved.lowest;
    support_[saved.item] = saved.support;
    std::copy(trail_reasons_.end() - words_, trail_reasons_.end(),
              reason(saved.item));
    trail_reasons_.resize(trail_reasons_.size() - words_);
    trail_.pop_back();
  }
}

template class Search<int16_t>;
template class Search<int32_t>;

}  // namespace mace::memory
