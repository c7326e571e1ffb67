// Merge sort, from runs of one element to a run of all.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/sort.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mace {
namespace {

struct Sorting {
  size_t size;
  LessFunction less;
  const void* context;

  // Merges the sorted runs [a, b) and [b, end) into `to`.
  void Merge(const char* a, const char* b, const char* end, char* to) const {
    const char* const middle = b;
    for (; a != middle || b != end; to += size) {
      const bool second = a == middle || (b != end && less(context, b, a));
      const char*& from = second ? b : a;
      std::memcpy(to, from, size);
      from += size;
    }
  }
};

}  // namespace

void StableSortBytes(void* elements, size_t n, size_t size, LessFunction less,
                     const void* context) {
  if (n < 2) return;
  const Sorting sorting{size, less, context};
  const size_t bytes = n * size;
  std::vector<char> buffer(bytes);
  char* from = static_cast<char*>(elements);
  char* to = buffer.data();
  for (size_t run = size; run < bytes; run *= 2) {
    for (size_t i = 0; i < bytes; i += 2 * run) {
      sorting.Merge(from + i, from + std::min(i + run, bytes),
                    from + std::min(i + 2 * run, bytes), to + i);
    }
    std::swap(from, to);
  }
  if (from != elements) std::memcpy(elements, from, bytes);
}

}  // namespace mace
