// How sealed models begin.
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "mace/sealed/sealed_model.h"

namespace mace {

bool IsSealed(const uint8_t* bytes, size_t size) {
  constexpr char kMagic[] = {'M', 'A', 'C', 'E', 'S', 'E', 'A', 'L'};
  return size >= sizeof(kMagic) &&
         std::memcmp(bytes, kMagic, sizeof(kMagic)) == 0;
}

}  // namespace mace
