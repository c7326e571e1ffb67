// SearchOrders: a portfolio of orders in which a search tries items.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_
#define MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_

#include <cstdint>
#include <vector>

#include "mace/memory/offsets/search.h"
#include "mace/memory/offsets/search_instance.h"

namespace mace::memory {

// How one restart of the search chooses items: the arguments of Search::Run.
// rank[i] is that of item i, from n (tried first) down to 1.
struct SearchOrder {
  SearchFocus focus;
  std::vector<int32_t> rank;
};

// Orders items by the keys (width, area, peak), (size, area, peak), degree or
// (area, width, peak), each with the three focuses. Varied orders multiply the
// keys by random factors of 0.7 to 1.3.
class SearchOrders {
 public:
  static constexpr int kNumOrders = 12;

  // `instance` must outlive this object.
  explicit SearchOrders(const SearchInstance& instance);
  // Returns the order of restart `index`. The first kNumOrders are plain
  // orders; the others vary them at random, always in the same way.
  SearchOrder Get(int index) const;

 private:
  // Of an item: the number of sections in which it lives, that number times its
  // size, the largest load of these sections, its size in units, and the number
  // of its neighbours.
  struct Keys {
    int64_t width, area, peak, size, degree;
  };
  const SearchInstance& in_;
  std::vector<Keys> keys_;  // by item
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_
