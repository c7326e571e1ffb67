// The models of tokenizers: from pieces of text to tokens.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_MODELS_H_
#define MACE_TEXT_MODELS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// Each appends the tokens of one piece. Unknown characters: if kNone, they are
// left out.

// Byte pair encoding: merges neighbours, those of the lowest rank first, of
// equal ones the leftmost. Time O(n log n).
void EncodeBpe(const TokenizerData& data, std::string_view piece,
               std::vector<int32_t>* ids);
// The path through the piece with the largest sum of scores.
void EncodeUnigram(const TokenizerData& data, std::string_view piece,
                   std::vector<int32_t>* ids);
// The longest token, then the longest one behind it.
void EncodeWordPiece(const TokenizerData& data, std::string_view piece,
                     std::vector<int32_t>* ids);

// What stands for characters without a token: tokens of their bytes, or the
// unknown token. `*fuse`: whether the token before is an unknown one, with
// which this one is to be fused.
void AddUnknown(const TokenizerData& data, std::string_view characters,
                bool* fuse, std::vector<int32_t>* ids);

}  // namespace mace::text

#endif  // MACE_TEXT_MODELS_H_
