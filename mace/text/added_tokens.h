// AddedTokens: finds special and added tokens in text.
// SPDX-License-Identifier: Apache-2.0
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

class AddedTokens {
 public:
  explicit AddedTokens(const TokenizerData& data);

  // Splits `text` at the tokens that are found in normalized text, or at the
  // others; at special ones only if `special`.
  std::vector<Stretch> Split(const TokenizerData& data, std::string_view text,
                             bool normalized, bool special) const;

 private:
  struct Entry {
    std::string content;
    uint32_t id;
  };
  // By the first byte of their contents; longest first.
  struct Table {
    std::vector<Entry> by_first[256];
    bool empty = true;
  };
  const Entry* Longest(const TokenizerData& data, const Table& table,
                       std::string_view text, bool special) const;

  Table raw_, normalized_;
};

}  // namespace mace::text

#endif  // MACE_TEXT_ADDED_TOKENS_H_
