// MemoryReserve: memory for small objects where the system gives no more.
// SPDX-License-Identifier: Apache-2.0
//
// Objects of the library are allocated by operator new, which throws where
// there is no memory: without exceptions, the process ends. When the library is
// linked, its calls of operator new, and only its own, become calls of
// NewFromReserve (mace_tools/package/library/link.py), which takes blocks from
// a reserve when operator new has none. Between the stages of loading and
// planning the reserve is filled again; where that fails, they end with an
// error. The blocks are from operator new, too, so that whoever owns an object
// deletes it as any other.
#ifndef MACE_BASE_MEMORY_RESERVE_H_
#define MACE_BASE_MEMORY_RESERVE_H_

#include "mace/base/status.h"

namespace mace {

// Fills the reserve. Call it at least once for every few dozen objects whose
// number depends on a model. Thread-safe. Errors: MACE_OUT_OF_RESOURCES.
Status FillMemoryReserve();

}  // namespace mace

#endif  // MACE_BASE_MEMORY_RESERVE_H_
