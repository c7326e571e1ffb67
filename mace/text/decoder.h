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
// The texts of Add and Finish together are the text of all tokens. For one
// thread.
class Decoder {
 public:
  // `data` must live as long as the decoder.
  Decoder(const TokenizerData& data, bool skip_special)
      : d_(data), skip_special_(skip_special) {}

  // Appends to `*text` the whole characters that are known now, and U+FFFD for
  // bytes that belong to none. Ignores special tokens if `skip_special`.
  // REQUIRES: id < vocab_size.
  void Add(uint32_t id, std::string* text);
  // Appends U+FFFD for an incomplete character (one for each of its bytes,
  // unless kByteLevel is set). The next Add begins a new text.
  void Finish(std::string* text);

 private:
  // Returns the bytes of a token at this position of the text; WordOf those of
  // a token of WordPiece.
  std::string BytesOf(uint32_t id);
  std::string WordOf(std::string_view token);
  // Moves whole characters from pending_ to `*text`; if `all`, also the rest,
  // as U+FFFD.
  void Emit(std::string* text, bool all);

  const TokenizerData& d_;
  const bool skip_special_;
  bool first_ = true;        // no token but ignored ones has been added
  bool at_start_ = true;     // no byte has been added
  bool space_next_ = false;  // a word has ended
  std::string pending_;      // the beginning of a character
};

}  // namespace mace::text

#endif  // MACE_TEXT_DECODER_H_
