// Unseal in a library without the component `encryption`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/sealed/sealed_model.h"

namespace mace {

Result<UnsealedModel> Unseal(const uint8_t*, size_t, const MaceKeyCallback&) {
  return AbsentComponent("loading a sealed model", "encryption");
}

}  // namespace mace
