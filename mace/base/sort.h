// StableSort: std::stable_sort as one function for all types, for planning.
// SPDX-License-Identifier: Apache-2.0
//
// std::stable_sort is 4 KB of code for each type and order; the planners have
// thirty of them. Here only the comparison is compiled for each.
#ifndef MACE_BASE_SORT_H_
#define MACE_BASE_SORT_H_

#include <cstddef>
#include <type_traits>
#include <vector>

namespace mace {

// Whether the element at `a` comes before the one at `b`.
using LessFunction = bool (*)(const void* context, const void* a,
                              const void* b);

// Sorts `n` elements of `size` bytes each. Equal ones keep their order. It is a
// merge sort, which copies elements by memcpy to a buffer of as many bytes and
// back.
void StableSortBytes(void* elements, size_t n, size_t size, LessFunction less,
                     const void* context);

// Sorts `*values`; `less(a, b)` tells whether a comes first. Equal elements
// keep their order. Takes O(n log n) comparisons and memory for n elements.
template <typename T, typename Less>
void StableSort(std::vector<T>* values, const Less& less) {
  static_assert(std::is_trivially_copy_constructible_v<T> &&
                    std::is_trivially_destructible_v<T>,
                "elements are moved as bytes; sort their indices instead");
  StableSortBytes(
      values->data(), values->size(), sizeof(T),
      [](const void* context, const void* a, const void* b) -> bool {
        return (*static_cast<const Less*>(context))(*static_cast<const T*>(a),
                                                    *static_cast<const T*>(b));
      },
      &less);
}

template <typename T>
void StableSort(std::vector<T>* values) {
  StableSort(values, [](const T& a, const T& b) { return a < b; });
}

}  // namespace mace

#endif  // MACE_BASE_SORT_H_
