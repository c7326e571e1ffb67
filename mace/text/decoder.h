// Decoder: text from tokens, one token at a time.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_DECODER_H_
#define MACE_TEXT_DECODER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

// token -> BytesOf -> pending_ -> Emit -> text
//            (its bytes, with    (whole characters; the
//             spaces restored)    beginning of one waits)
// The texts of Add and Finish together are what decoding all tokens at once
// gives. For one thread.
class Decoder {
 public:
  // `data` must live as long as the decoder.
  Decoder(const TokenizerData& data, bool skip_special)
      : d_(data), skip_special_(skip_special) {}

  // Appends to `*text` the whole characters that are known now; special tokens
  // are passed over if the decoder skips them. REQUIRES: id < vocab_size.
  void Add(uint32_t id, std::string* text);
  // Appends U+FFFD for an incomplete character; begins anew.
  void Finish(std::string* text);

 private:
  // The bytes of a token as it stands here; WordOf: of a WordPiece.
  std::string BytesOf(uint32_t id);
  std::string WordOf(std::string_view token);
  // Moves whole characters from pending_; if `all`, U+FFFD for the rest.
  void Emit(std::string* text, bool all);

  const TokenizerData& d_;
  const bool skip_special_;
  bool first_ = true;        // no token has been added
  bool at_start_ = true;     // no byte has been added
  bool space_next_ = false;  // a word has ended
  std::string pending_;      // the beginning of a character
};

}  // namespace mace::text

#endif  // MACE_TEXT_DECODER_H_
