// Ops of the app's own.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/op_resolver.h"

namespace mace {

MaceStatus MaceOpResolver::AddCustom(const mace_op_registration_t& op) {
  return impl_->ops.AddCustom(op);
}

}  // namespace mace
