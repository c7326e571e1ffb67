// Splitting text into the pieces that a model sees, as a tokenizer's steps say.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_SPLIT_H_
#define MACE_TEXT_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// Pieces of a text one after the other, without a gap. Piece i begins where
// piece i - 1 ends, and ends at byte ends[i]; none is empty. Steps may remove
// and add characters, so that `text` is not the text that was given.
struct Pieces {
  std::string text;
  std::vector<uint32_t> ends;
};

// Writes the pieces after all steps from the first split on to `*pieces`.
// `text` is normalized. `first`: whether `text` is the beginning of the whole
// text, where kMetaspace may put a mark. Takes from `*growth` what the steps
// add (TakeGrowth); returns false, and any pieces, if that is too little.
bool SplitText(const TokenizerData& data, std::string text, bool first,
               size_t* growth, Pieces* pieces);

}  // namespace mace::text

#endif  // MACE_TEXT_SPLIT_H_
