// Normalizing text as a tokenizer's steps say.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_NORMALIZE_H_
#define MACE_TEXT_NORMALIZE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// How many bytes steps may add to a text of `bytes`, all together. NFKC makes
// U+FDFA 11 times as long, and U+2581 for its spaces 13 times.
constexpr size_t MostGrowth(size_t bytes) { return 16 * bytes + 256; }

// Takes from `*growth` what a step added that made `to` bytes of `from`.
// Returns false if that is more than there is.
bool TakeGrowth(size_t from, size_t to, size_t* growth);

// Replaces `*text` by what all steps before the first split (StepKind) make of
// it, in their order. Takes from `*growth` what they add; returns false, and
// leaves any text, if that is too little. `*text` is well-formed UTF-8, or any
// bytes if the first step is kCharsmap. The result is well-formed as far as the
// strings and the charsmap of the file are; no step reads outside of a text
// that is not.
bool Normalize(const TokenizerData& data, size_t* growth, std::string* text);

}  // namespace mace::text

#endif  // MACE_TEXT_NORMALIZE_H_
