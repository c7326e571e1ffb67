// What a model file holds of plans made ahead: prepacked weights, and a plan of
// the memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_PREPACKED_WEIGHTS_H_
#define MACE_MODEL_PREPACKED_WEIGHTS_H_

#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Errors: MACE_UNSUPPORTED for a model with one of them, if this library was
// built without the component `memory_tools`.
Status CheckStoredPlans(const stored::NetDef& net);

EmbeddedMemoryPlan ReadMemoryPlan(const stored::MemoryPlan& stored);

// Errors of the other functions: MACE_INVALID_MODEL.
Status CheckHash(const uint8_t* data, size_t size, uint64_t xxh3);
Status CheckHeadBytes(const stored::PackedWeights& packed, size_t data_bytes);

// Verifies net.packed_weights() and adds it to `model`, the rest of which must
// be filled in.
Status ReadPackedWeights(const stored::NetDef& net, Model* model);

}  // namespace mace

#endif  // MACE_MODEL_PREPACKED_WEIGHTS_H_
