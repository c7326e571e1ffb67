// A planning problem prepared for search: in units, with time cut in sections.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEARCH_INSTANCE_H_
#define MACE_MEMORY_OFFSETS_SEARCH_INSTANCE_H_

#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Sizes and offsets are counted in the largest unit that divides them all.
//
// A section is a stretch of time in which no record begins or ends:
//
//   record 0   |=========|
//   record 1        |==========|      sections 0 |....|
//   record 2             |=====|               1      |...|
//              0    1    2     3               2          |....|
struct SearchInstance {
  // Open interval of offsets that a record cannot have.
  struct Forbidden {
    int64_t low, high;
  };
  // `other` may lie nearer than its size: offset(other) - offset(this) must not
  // be in the open interval (low, high), where low <= 0 <= high.
  struct Link {
    int32_t other;
    int64_t low, high;
  };
  struct Item {
    int32_t record;  // of the problem
    int64_t size;
    int64_t padded;  // up to the least alignment of all items
    int64_t alignment;
    int32_t begin, end;                // sections [begin, end)
    std::vector<int32_t> neighbours;   // items that it must not overlap
    std::vector<Forbidden> obstacles;  // from fixed records, ascending
    std::vector<Link> links;
  };
  // Bytes of section `section` that an overlap with another item saves; counted
  // for `item`.
  struct Saving {
    int32_t section;
    int64_t size;
  };

  int64_t unit = 1;
  int32_t num_sections = 0;
  std::vector<Item> items;                   // the records that are not fixed
  std::vector<std::vector<Saving>> savings;  // of each item; empty: none at all
  std::vector<int64_t> slack;  // of each section: padding of its topmost item
  // Some declared overlap was taken as a smaller one: what the search finds is
  // valid, what it excludes may exist.
  bool narrowed = false;
};

// REQUIRES: a reduced problem.
SearchInstance MakeSearchInstance(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_INSTANCE_H_
