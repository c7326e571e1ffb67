// Normalizing text as a tokenizer's steps say.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_NORMALIZE_H_
#define MACE_TEXT_NORMALIZE_H_

#include <string>
#include <string_view>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// Returns `text` after all steps before the first split (StepKind), in their
// order. `text` is well-formed UTF-8, or any bytes if the first step is
// kCharsmap. The result is well-formed as far as the strings and the charsmap
// of the file are; no step reads outside of a text that is not.
std::string Normalize(const TokenizerData& data, std::string_view text);

}  // namespace mace::text

#endif  // MACE_TEXT_NORMALIZE_H_
