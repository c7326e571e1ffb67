// MaceTokenizer: text to the tokens of a language model, and back.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceTokenizer    A vocabulary and its rules, from the file that
//                    `converter.py tokenizer` makes of tokenizer.json, GGUF or
//                    a model of SentencePiece.
//   MaceTokenStream  Text from tokens that arrive one by one.
//
// Text is UTF-8. Encode reads each byte that belongs to no character as U+FFFD,
// and the text that Decode and MaceTokenStream return is always well-formed.
// A library has these classes with the component `language`; without it, Load
// returns MACE_UNSUPPORTED. docs/tokenizers.md describes what is read.
#ifndef MACE_PUBLIC_MACE_TOKENIZER_H_
#define MACE_PUBLIC_MACE_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/status.h"

namespace mace {

struct MaceEncodeOptions {
  // Whether to add the tokens that the model expects around a text, such as
  // <s> or [CLS] and [SEP].
  bool add_special_tokens = true;
  // Whether special tokens written in the text, such as "<|im_end|>", become
  // these tokens. Set false for text of users, who must not be able to end
  // their turn in this way.
  bool parse_special_tokens = true;
};

// Immutable, so any number of threads may use it at once.
class MACE_API MaceTokenizer {
 public:
  ~MaceTokenizer();
  MaceTokenizer(const MaceTokenizer&) = delete;
  MaceTokenizer& operator=(const MaceTokenizer&) = delete;

  // Maps a tokenizer file, and checks it. A file that is cut short while the
  // tokenizer lives ends the process (SIGBUS), as with MaceModel::Load. Errors:
  // MACE_INVALID_ARGS if the file cannot be read, MACE_INVALID_MODEL if it
  // holds no valid tokenizer.
  static MaceStatus Load(const std::string& file,
                         std::shared_ptr<MaceTokenizer>* tokenizer);
  // The same from memory, which is copied. Further errors:
  // MACE_OUT_OF_RESOURCES.
  static MaceStatus Load(const unsigned char* data, size_t size,
                         std::shared_ptr<MaceTokenizer>* tokenizer);

  // Replaces `*ids` by the tokens of a text. Errors: MACE_INVALID_ARGS for more
  // than 4 MiB of text, for one that the tokenizer's steps make more than 17
  // times as long, or for a null pointer.
  MaceStatus Encode(const std::string& text, std::vector<int32_t>* ids,
                    const MaceEncodeOptions& options = {}) const;

  // Replaces `*text` by the text of tokens, without special ones if
  // `skip_special_tokens`. Errors: MACE_INVALID_ARGS for a number that is no
  // token, or a null pointer.
  MaceStatus Decode(const std::vector<int32_t>& ids, std::string* text,
                    bool skip_special_tokens = true) const;

  // Tokens are the numbers from 0 to vocab_size() - 1.
  int32_t vocab_size() const;
  // The token with this text, or -1. Texts are as in the vocabulary, except
  // that those of byte-level BPE are the bytes that they stand for.
  int32_t FindToken(const std::string& text) const;
  // The text of a token, which need not be UTF-8; "" for a number that is none.
  std::string TokenText(int32_t id) const;
  bool IsSpecial(int32_t id) const;
  // The token of this use, or -1.
  int32_t bos() const;
  int32_t eos() const;
  int32_t pad() const;
  int32_t unknown() const;
  // The tokens after which a generation ends.
  std::vector<int32_t> stop_tokens() const;
  // The text that the converter stored under this name, "" if there is none:
  // "chat_template", "bos_token", "source", "unicode_version", and the
  // recommended sampling, such as "temperature".
  std::string property(const std::string& name) const;
  // Differs between tokenizer files.
  uint64_t hash() const;

  class Impl;
  Impl* impl() const { return impl_.get(); }

 private:
  explicit MaceTokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The text of tokens that arrive one by one. The texts of Add and Finish
// together are what MaceTokenizer::Decode returns for all of the tokens. For
// one thread at a time.
class MACE_API MaceTokenStream {
 public:
  // With a null `tokenizer`, Add and Finish return MACE_INVALID_ARGS.
  explicit MaceTokenStream(std::shared_ptr<MaceTokenizer> tokenizer,
                           bool skip_special_tokens = true);
  ~MaceTokenStream();
  MaceTokenStream(const MaceTokenStream&) = delete;
  MaceTokenStream& operator=(const MaceTokenStream&) = delete;

  // Appends to `*text` what is known of the text now: whole characters only.
  // Errors: MACE_INVALID_ARGS for a number that is no token, or a null pointer.
  MaceStatus Add(int32_t id, std::string* text);
  // Appends U+FFFD for the beginning of a character that was not completed (one
  // for each of its bytes, unless the tokenizer is byte-level BPE). Then a new
  // text begins. Errors: MACE_INVALID_ARGS for a null pointer.
  MaceStatus Finish(std::string* text);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_TOKENIZER_H_
