// The part of a model file that holds prepacked weights.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_PREPACKED_WEIGHTS_H_
#define MACE_MODEL_PREPACKED_WEIGHTS_H_

#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Errors of all functions: MACE_INVALID_MODEL.
Status CheckHash(const uint8_t* data, size_t size, uint64_t xxh3);
Status CheckHeadBytes(const stored::PackedWeights& packed, size_t data_bytes);

// Verifies net.packed_weights() and adds it to `model`, the rest of which must
// be filled in.
Status ReadPackedWeights(const stored::NetDef& net, Model* model);

}  // namespace mace

#endif  // MACE_MODEL_PREPACKED_WEIGHTS_H_
