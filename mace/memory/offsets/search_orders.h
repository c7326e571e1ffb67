// SearchOrders: a portfolio of orders in which a search tries items.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_
#define MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_

#include <cstdint>
#include <vector>

#include "mace/memory/offsets/search.h"
#include "mace/memory/offsets/search_instance.h"

namespace mace::memory {

// How one restart of the search chooses items.
struct SearchOrder {
  SearchFocus focus;
  std::vector<int32_t> rank;
};

class SearchOrders {
 public:
  static constexpr int kNumOrders = 12;

  // `instance` must outlive this object.
  explicit SearchOrders(const SearchInstance& instance);
  // Returns the order of restart `index`. The first kNumOrders are plain
  // orders; the others vary them at random, always in the same way.
  SearchOrder Get(int index) const;

 private:
  struct Keys {
    int64_t width, area, peak, size, degree;
  };
  const SearchInstance& in_;
  std::vector<Keys> keys_;  // by item
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_
