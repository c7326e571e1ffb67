// The models of tokenizers: from pieces of text to tokens.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_MODELS_H_
#define MACE_TEXT_MODELS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// Each of these appends the tokens of one piece, which is UTF-8 or, with
// kByteLevel, any bytes. Characters without a token become what AddUnknown
// appends, except with WordPiece.

// Byte pair encoding: merges neighbours, those of the lowest rank first, of
// equal ones the leftmost; but with kIgnoreMerges a piece that is a token stays
// as it is. Time O(n log n).
void EncodeBpe(const TokenizerData& data, std::string_view piece,
               std::vector<int32_t>* ids);
// Unigram: the tokens with the largest sum of scores, of all ways to divide the
// piece.
void EncodeUnigram(const TokenizerData& data, std::string_view piece,
                   std::vector<int32_t>* ids);
// WordPiece: the longest token at the beginning, then the longest one behind
// it, and so on; the text of tokens after the first is looked up with the
// prefix Settings::continuing, if there is one ("##able"). If that fails, or
// the piece has more than max_characters characters, the whole piece is one
// unknown token, or none if Settings::unknown is kNone.
void EncodeWordPiece(const TokenizerData& data, std::string_view piece,
                     std::vector<int32_t>* ids);

// Appends the tokens for characters that have none: with kByteFallback those of
// their bytes, if all exist, otherwise the unknown token, or nothing if
// Settings::unknown is kNone. `*fuse`: whether the token before is an unknown
// one; then, with kFuseUnknown, no second one is appended. Updates `*fuse`.
void AddUnknown(const TokenizerData& data, std::string_view characters,
                bool* fuse, std::vector<int32_t>* ids);

}  // namespace mace::text

#endif  // MACE_TEXT_MODELS_H_
