// The version of the library, for messages and for the keys of caches.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_VERSION_H_
#define MACE_BASE_VERSION_H_

namespace mace {

constexpr char kVersion[] = "1.0.0";

}  // namespace mace

#endif  // MACE_BASE_VERSION_H_
