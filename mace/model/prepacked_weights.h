// What a model file holds of plans made ahead: prepacked weights, and a plan of
// the memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_PREPACKED_WEIGHTS_H_
#define MACE_MODEL_PREPACKED_WEIGHTS_H_

#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Returns MACE_UNSUPPORTED for a model with prepacked weights or a memory plan,
// if this library was built without the component `memory_tools`.
Status CheckStoredPlans(const stored::NetDef& net);

// Copies the plan without checks: mace/plan verifies it before use.
EmbeddedMemoryPlan ReadMemoryPlan(const stored::MemoryPlan& stored);

// Errors of the functions below: MACE_INVALID_MODEL.
//
// Checks that the bytes have this checksum (XXH3, 64 bits).
Status CheckHash(const uint8_t* data, size_t size, uint64_t xxh3);
// Checks that packed.head_bytes is within the `data_bytes` bytes of weights.
Status CheckHeadBytes(const stored::PackedWeights& packed, size_t data_bytes);

// Verifies net.packed_weights and adds it to `model`. Packed data, and the
// plain bytes of weights without packed data, must lie in the head:
//
//  0               head_bytes                          data_bytes
//  | plain | packed | plain ones that are packed as well |
//
// The checksum of the head is verified when the model is loaded, if LoadOptions
// asks for it, that of the tail by VerifyTail. REQUIRES: net.packed_weights is
// set; the rest of `model` is filled in.
Status ReadPackedWeights(const stored::NetDef& net, Model* model);

}  // namespace mace

#endif  // MACE_MODEL_PREPACKED_WEIGHTS_H_
