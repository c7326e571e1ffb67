// CheckTuning in a library that can tune.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/config.h"

namespace mace {

bool CanTune() { return true; }

Status CheckTuning(const MaceEngineConfig::Impl&) { return Status(); }

}  // namespace mace
