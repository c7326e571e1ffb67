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

// [vocab, size] each.
std::vector<float> Embeddings();
std::vector<float> OutputMatrix(float scale);

// input_ids [1, tokens] -> logits [1, tokens, vocab]: the output matrix times
// the causal attention of embeddings over themselves, which a cache of this
// type keeps.
std::shared_ptr<MaceModel> CachedModel(proto::DataType type, float scale = 1);

}  // namespace mace::testing

#endif  // MACE_TESTING_CACHED_MODEL_H_
