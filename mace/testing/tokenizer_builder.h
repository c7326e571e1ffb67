// TokenizerBuilder: small tokenizer files in memory, for tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_TOKENIZER_BUILDER_H_
#define MACE_TESTING_TOKENIZER_BUILDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/public/mace_tokenizer.h"
#include "mace/text/tokenizer_data.h"

namespace mace::testing {

// Writes the file that mace/text/tokenizer_data.h describes. Tokens are
// numbered as they are added, from 0; steps and merges keep their order. Hash
// tables, the table of bytes and the checksum are made by Build.
class TokenizerBuilder {
 public:
  explicit TokenizerBuilder(text::ModelKind model, uint32_t flags = 0);

  TokenizerBuilder& Token(const std::string& text,
                          uint16_t flags = text::kInModel, double score = 0);
  // Adds the merge of two tokens, given by their texts, to the token of both
  // texts, which must be there; it has the next rank.
  TokenizerBuilder& Merge(const std::string& left, const std::string& right);
  // A step of normalizing or splitting; text::StepKind says what a, b and c
  // are.
  TokenizerBuilder& AddStep(text::StepKind kind, uint32_t a = 0, uint32_t b = 0,
                            uint32_t c = 0);
  // Adds a text for steps, which name it by the number that is returned.
  uint32_t String(const std::string& text);
  TokenizerBuilder& Property(const std::string& name, const std::string& value);
  text::Settings& settings() { return settings_; }
  std::vector<uint32_t>& prefix() { return prefix_; }
  std::vector<uint32_t>& stops() { return stops_; }

  // Returns the file. Unlike in Load, nothing is checked.
  std::string Build() const;
  // Loads the file. Expects success; null if it fails.
  std::shared_ptr<MaceTokenizer> Load() const;

 private:
  uint32_t IdOf(const std::string& text) const;

  text::Settings settings_;
  std::vector<std::string> texts_, strings_, properties_;
  std::vector<uint16_t> flags_;
  std::vector<double> scores_;
  std::vector<text::Merge> merges_;
  std::vector<text::Step> steps_;
  std::vector<uint32_t> prefix_, stops_;
};

// Byte-level BPE with a token for each byte, then <s>, </s> and `merged`, each
// made of two earlier tokens. </s> ends a text.
TokenizerBuilder ByteTokens(
    const std::vector<std::pair<std::string, std::string>>& merged);

// Returns the file with the checksum of its contents, after these were changed.
// A file without a head stays as it is.
std::string WithChecksum(std::string file);

}  // namespace mace::testing

#endif  // MACE_TESTING_TOKENIZER_BUILDER_H_
