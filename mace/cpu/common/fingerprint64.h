// Fingerprint64: FarmHash's portable hash of bytes, which models depend on.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_FINGERPRINT64_H_
#define MACE_CPU_COMMON_FINGERPRINT64_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Returns the Fingerprint64 of `size` bytes, which is defined to stay the same
// on every platform and in every version of FarmHash. For hashes of our own,
// mace/base/hash.h is faster. `data` may be null if `size` is 0.
// Source: FarmHash 1.1 (github.com/google/farmhash), Fingerprint64; it is also
// TensorFlow's tf.fingerprint with method "farmhash64".
uint64_t Fingerprint64(const void* data, size_t size);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_FINGERPRINT64_H_
