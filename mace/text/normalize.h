// Normalizing text as a tokenizer's steps say.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_NORMALIZE_H_
#define MACE_TEXT_NORMALIZE_H_

#include <string>
#include <string_view>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// Returns `text` after all steps before the first split (StepKind), in their
// order. `text` is well-formed UTF-8, which a first step kCharsmap does not
// need, and so is the result.
std::string Normalize(const TokenizerData& data, std::string_view text);

}  // namespace mace::text

#endif  // MACE_TEXT_NORMALIZE_H_
