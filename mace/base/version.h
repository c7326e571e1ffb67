// The version of the library, for messages and for the keys of caches.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_VERSION_H_
#define MACE_BASE_VERSION_H_

#include "mace/public/mace_version.h"

namespace mace {

constexpr char kVersion[] = MACE_VERSION_STRING;

}  // namespace mace

#endif  // MACE_BASE_VERSION_H_
