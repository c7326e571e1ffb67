// Hash64: a fast hash of many bytes, for checksums and keys of caches.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_HASH_H_
#define MACE_BASE_HASH_H_

#include <cstddef>
#include <cstdint>

namespace mace {

// Returns the 64-bit XXH3 hash without a seed, which is the same on every
// platform. `data` may be null if `size` is 0.
uint64_t Hash64(const void* data, size_t size);

}  // namespace mace

#endif  // MACE_BASE_HASH_H_
