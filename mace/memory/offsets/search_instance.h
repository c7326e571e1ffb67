// SearchInstance: a planning problem prepared for search, with units and
// sections of time.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEARCH_INSTANCE_H_
#define MACE_MEMORY_OFFSETS_SEARCH_INSTANCE_H_

#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Sizes and offsets are counted in units, the largest number of bytes that
// divides them all.
//
// A section is a stretch of time in which no record begins or ends:
//
//   record 0   |=========|
//   record 1        |==========|      sections 0 |....|
//   record 2             |=====|               1      |...|
//              0    1    2     3               2          |....|
struct SearchInstance {
  // An open interval of offsets that an item must not have: those with which it
  // would overlap a fixed record.
  struct Forbidden {
    int64_t low, high;
  };
  // `other` may be nearer than its size: offset(other) - offset(this) must not
  // be in the open interval (low, high), where low <= 0 <= high.
  struct Link {
    int32_t other;
    int64_t low, high;
  };
  // A record without a fixed offset, in units and sections.
  struct Item {
    int32_t record;  // id in the problem
    int64_t size;
    // Size rounded up to the least alignment; the size alone if the problem has
    // overlaps.
    int64_t padded;
    int64_t alignment;
    int32_t begin, end;                // sections [begin, end)
    std::vector<int32_t> neighbours;   // items that it must not overlap
    std::vector<Forbidden> obstacles;  // from fixed records, ascending
    std::vector<Link> links;
  };
  // The units of a section that an overlap with another item saves.
  struct Saving {
    int32_t section;
    int64_t size;
  };

  // Bytes of a unit. If some record is aligned, it divides the alignments as
  // well; otherwise every offset is a sum of sizes.
  int64_t unit = 1;
  int32_t num_sections = 0;
  std::vector<Item> items;  // the records without fixed offset
  std::vector<std::vector<Saving>>
      savings;  // by item; empty if there are none at all
  // By section: the largest padding of its items, of which the topmost one
  // needs none.
  std::vector<int64_t> slack;
  // Whether some declared overlap is represented by a smaller one. The plans
  // that the search finds are valid, but it may miss plans.
  bool narrowed = false;
};

// Prepares a problem for search. REQUIRES: the problem is reduced.
SearchInstance MakeSearchInstance(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_INSTANCE_H_
