// The portfolio of searches: where to look first, and in which order.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_
#define MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_

#include <cstdint>
#include <vector>

#include "mace/memory/offsets/search.h"
#include "mace/memory/offsets/search_instance.h"

namespace mace::memory {

// Restart `index` of the portfolio. The first kNumOrders use plain orders, the
// others disturb them at random (always the same way).
struct SearchOrder {
  SearchFocus focus;
  std::vector<int32_t> rank;
};

class SearchOrders {
 public:
  static constexpr int kNumOrders = 12;

  // `instance` outlives this.
  explicit SearchOrders(const SearchInstance& instance);
  SearchOrder Get(int index) const;

 private:
  struct Keys {
    int64_t width, area, peak, size, degree;
  };
  const SearchInstance& in_;
  std::vector<Keys> keys_;  // of each item
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEARCH_ORDERS_H_
