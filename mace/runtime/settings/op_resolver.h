// The contents of a MaceOpResolver.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_OP_RESOLVER_H_
#define MACE_RUNTIME_SETTINGS_OP_RESOLVER_H_

#include "mace/plan/known_ops.h"
#include "mace/public/mace_op.h"

namespace mace {

class MaceOpResolver::Impl {
 public:
  KnownOps ops;
};

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_OP_RESOLVER_H_
