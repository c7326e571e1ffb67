// CachedModel: a small language model that has a KV cache, for tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_CACHED_MODEL_H_
#define MACE_TESTING_CACHED_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "mace/testing/model_builder.h"

namespace mace::testing {

inline constexpr int kCachedVocab = 258;  // bytes, <s> and </s>
inline constexpr int64_t kCachedSize = 2, kCachedCapacity = 24;

// The two weights, each [vocab, size]; `scale` multiplies the logits.
std::vector<float> Embeddings();
std::vector<float> OutputMatrix(float scale);

// Returns a model that maps input_ids, i64 [1, tokens], to logits [1, tokens,
// vocab]: the output matrix times the causal attention of embeddings over
// themselves. Its states are the position and the cache, for kCachedCapacity
// tokens:
//
//  input_ids -> Gather -> x -> UpdateKvCache -> Attention -> logits
//                         |      cache, position    ^
//                         +-------------------------+
//
// `type` is that of the cache: DT_FLOAT, DT_HALF or DT_INT8. Fails the test,
// and returns null, if the model does not load.
std::shared_ptr<MaceModel> CachedModel(proto::DataType type, float scale = 1);

}  // namespace mace::testing

#endif  // MACE_TESTING_CACHED_MODEL_H_
