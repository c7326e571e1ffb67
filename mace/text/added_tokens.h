// AddedTokens: finds special and added tokens in text.
// SPDX-License-Identifier: Apache-2.0
//
// text "<s>Hi"   Split ->  [0, 3) token <s>   [3, 5) text for the next step
//
// Encoding splits twice: the raw text at tokens without kNormalized, and then
// the normalized text between them at tokens with kNormalized.
#ifndef MACE_TEXT_ADDED_TOKENS_H_
#define MACE_TEXT_ADDED_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// A stretch of text between added tokens, or one of them.
struct Stretch {
  size_t begin, end;
  uint32_t id = kNone;  // the token, or kNone
};

// Immutable; threads share it.
class AddedTokens {
 public:
  // Copies the texts of tokens with kAdded; normalizes those with kNormalized
  // and without kSymbol. Leaves out tokens whose text is then empty. Errors:
  // MACE_INVALID_MODEL for texts that grow too long.
  static Result<AddedTokens> Create(const TokenizerData& data);

  // Splits `text` at the tokens with kNormalized if `normalized`, otherwise at
  // the others; at special tokens only if `special`. The leftmost token counts,
  // and of tokens that begin at the same byte the longest; if that one has
  // kSingleWord and is next to a letter or a digit, its bytes stay text.
  // Stretches follow each other without a gap and are not empty; the stretch of
  // a token includes the white space that the token takes along (kStripLeft,
  // kStripRight). `data` is that of Create.
  std::vector<Stretch> Split(const TokenizerData& data, std::string_view text,
                             bool normalized, bool special) const;

 private:
  struct Entry {
    std::string content;
    uint32_t id;
  };
  // Entries by the first byte of their contents, in rising order of contents.
  struct Table {
    std::vector<Entry> by_first[256];
    bool empty = true;
  };
  // Returns the longest token that `text`, which is not empty, begins with;
  // null if there is none.
  const Entry* Longest(const TokenizerData& data, const Table& table,
                       std::string_view text, bool special) const;

  Table raw_, normalized_;
};

}  // namespace mace::text

#endif  // MACE_TEXT_ADDED_TOKENS_H_
