// Checksums of weights.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/hash.h"
#include "mace/model/prepacked_weights.h"

namespace mace {

Status CheckHash(const uint8_t* data, size_t size, uint64_t xxh3) {
  if (Hash64(data, size) == xxh3) return Status();
  return InvalidModel(
      "the weights do not have the checksum that the model names: the "
      "weights file is damaged or belongs to another model");
}

}  // namespace mace
