// XXH3, from the xxHash library.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mace {

uint64_t Hash64(const void* data, size_t size) {
  return XXH3_64bits(data, size);
}

}  // namespace mace
