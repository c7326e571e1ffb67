// Key: the bytes of a key, which do not outlive the call that needs them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_SEALED_KEY_H_
#define MACE_SEALED_KEY_H_

#include <cstdint>
#include <cstring>

#include "mace/sealed/aes_gcm.h"

namespace mace {

// All zeros until the app has filled it in, and again when it is destroyed.
// Cannot be copied, so that no second copy is left behind.
struct Key {
  Key() { std::memset(bytes, 0, sizeof(bytes)); }
  ~Key() { mace_wipe(bytes, sizeof(bytes)); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  uint8_t bytes[kMaceKeyBytes];
};

}  // namespace mace

#endif  // MACE_SEALED_KEY_H_
