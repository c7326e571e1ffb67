// What owns objects of all types.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/make_shared.h"

namespace mace {

std::shared_ptr<void> Own(void* object, void (*destroy)(void*)) {
  return std::shared_ptr<void>(object, destroy);
}

}  // namespace mace
