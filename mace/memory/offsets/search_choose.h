// Chooses the item that the search tries next, and explains bounds: members of
// Search. Only search.cc includes this file.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEARCH_CHOOSE_H_
#define MACE_MEMORY_OFFSETS_SEARCH_CHOOSE_H_

#include <algorithm>
#include <limits>

#include "mace/memory/offsets/search.h"

namespace mace::memory {

// Above every offset. T can hold twice as much.
template <typename T>
inline constexpr T kInfinite = std::numeric_limits<T>::max() / 2;

// Candidates are the items whose bound is the level, and which are not closed
// there.
template <typename T>
int32_t Search<T>::Choose(const Part& part, T level) const {
  if (focus_ == SearchFocus::kTightItem) return ChooseItem(part, level);
  return ChooseInSection(part, level, FocusSection(part, level));
}

// Returns, of the sections whose floor is the level, the one with the least
// room left, or, with kFailing, the most dead ends; of equal ones, the first.
template <typename T>
int32_t Search<T>::FocusSection(const Part& part, T level) const {
  int32_t best = kNone;
  int64_t best_score = 0;
  for (int32_t s = part.begin; s < part.end; ++s) {
    if (floor_[s] != level) continue;
    const int64_t score = focus_ == SearchFocus::kFailing
                              ? -int64_t{failures_[s]}
                              : int64_t{room_[s]} - load_[s];
    if (best == kNone || score < best_score) {
      best = s;
      best_score = score;
    }
  }
  return best;
}

// Returns the candidate of the highest rank that lives in `section` (kNone: in
// any section).
template <typename T>
int32_t Search<T>::ChooseInSection(const Part& part, T level,
                                   int32_t section) const {
  int32_t best = kNone;
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    if (lowest_[item] != level || Closed(item)) continue;
    if (section != kNone && (section < begin_[item] || end_[item] <= section)) {
      continue;
    }
    if (best == kNone || rank_[item] > rank_[best]) best = item;
  }
  return best;
}

// Returns the candidate that has the least room left in its tightest section;
// of equal ones, that of the highest rank.
template <typename T>
int32_t Search<T>::ChooseItem(const Part& part, T level) const {
  int32_t best = kNone;
  T best_room = 0;
  for (size_t k = 0; k < part.size; ++k) {
    const int32_t item = lists_[part.at + k];
    if (lowest_[item] != level || Closed(item)) continue;
    T room = kInfinite<T>;
    for (int32_t s = begin_[item]; s < end_[item]; ++s) {
      room = std::min<T>(room, room_[s] - load_[s]);
    }
    if (best == kNone || room < best_room ||
        (room == best_room && rank_[item] > rank_[best])) {
      best = item;
      best_room = room;
    }
  }
  return best;
}

// Returns the lowest aligned offset of a special item, at `from` or above, that
// no fixed record and no placed item forbids.
template <typename T>
T Search<T>::NextFree(int32_t item, T from) const {
  const SearchInstance::Item& it = in_.items[item];
  int64_t at = AlignUp(from, it.alignment);
  const auto avoid = [&](int64_t low, int64_t high) {
    if (at <= low || high <= at) return false;
    at = AlignUp(high, it.alignment);
    return true;
  };
  // Leaving one forbidden interval may lead into another, so all are looked at
  // again until none moves the offset.
  bool moved = true;
  while (moved && at < kInfinite<T>) {
    moved = false;
    for (const auto& o : it.obstacles) moved |= avoid(o.low, o.high);
    for (int32_t k = neighbour_at_[item]; k < neighbour_at_[item + 1]; ++k) {
      const int32_t other = neighbour_[k];
      if (Free(other)) continue;
      int64_t low = -int64_t{size_[item]};
      int64_t high = size_[other];
      for (const SearchInstance::Link& link : it.links) {
        // offset(other) - offset(item) must not be in (low, high).
        if (link.other == other) {
          low = -link.high;
          high = -link.low;
        }
      }
      moved |= avoid(offset_[other] + low, offset_[other] + high);
    }
  }
  return static_cast<T>(std::min<int64_t>(at, kInfinite<T> - 1));
}

// Sets conflict_ to the causes why `item` cannot lie below `bound`: those of
// its closed place, and those of the places or bounds of everything that could
// be below it.
template <typename T>
void Search<T>::ExplainSupport(int32_t item, int64_t bound) {
  const Word* const neighbours = &neighbour_set_[item * words_];
  for (size_t w = 0; w < words_; ++w) {
    conflict_[w] = reason(item)[w] | (neighbours[w] & placed_[w]);
  }
  for (int32_t k = neighbour_at_[item]; k < neighbour_at_[item + 1]; ++k) {
    const int32_t other = neighbour_[k];
    if (!Free(other) || lowest_[other] == 0) continue;
    // Such a large item would reach the bound even from the floor of the arena.
    if (size_[other] >= bound && !special_[item]) continue;
    for (size_t w = 0; w < words_; ++w) conflict_[w] |= reason(other)[w];
  }
}

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_CHOOSE_H_
