// Writing tokenizer files as the converter does.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/tokenizer_builder.h"

#include <algorithm>
#include <cstring>

#include "gtest/gtest.h"
#include "mace/base/hash.h"

namespace mace::testing {
namespace {

template <typename T>
void Append(const T& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(T));
}

std::string StringsOf(const std::vector<std::string>& texts) {
  std::string bytes, all;
  Append<uint32_t>(static_cast<uint32_t>(texts.size()), &bytes);
  Append<uint32_t>(0, &bytes);
  for (const std::string& text : texts) {
    all += text;
    Append<uint32_t>(static_cast<uint32_t>(all.size()), &bytes);
  }
  return bytes + all;
}

std::string IndexOf(const std::vector<uint32_t>& hashes) {
  if (hashes.empty()) return std::string();
  size_t size = 4;
  while (size < 2 * hashes.size()) size *= 2;
  std::vector<uint32_t> slots(size);
  for (size_t i = 0; i < hashes.size(); ++i) {
    size_t at = hashes[i] & (size - 1);
    while (slots[at] != 0) at = (at + 1) & (size - 1);
    slots[at] = static_cast<uint32_t>(i + 1);
  }
  return BytesOf(slots);
}

uint32_t HashOf(const std::string& text) {
  uint32_t hash = text::kFirstHash;
  for (const char byte : text) hash = text::NextHash(hash, byte);
  return hash;
}

uint32_t HashOf(const text::Merge& merge) {
  const uint32_t hash = (merge.left * 0x9e3779b1u + merge.right) * 0x85ebca6bu;
  return hash ^ hash >> 15;
}

}  // namespace

TokenizerBuilder::TokenizerBuilder(text::ModelKind model, uint32_t flags)
    : settings_{
          model,       flags,       0,           text::kNone, 100, text::kNone,
          text::kNone, text::kNone, text::kNone, text::kNone, 0} {}

TokenizerBuilder& TokenizerBuilder::Token(const std::string& text,
                                          uint16_t flags, double score) {
  texts_.push_back(text);
  flags_.push_back(flags);
  scores_.push_back(score);
  return *this;
}

uint32_t TokenizerBuilder::IdOf(const std::string& text) const {
  const auto at = std::find(texts_.begin(), texts_.end(), text);
  EXPECT_NE(at, texts_.end()) << text;
  return static_cast<uint32_t>(at - texts_.begin());
}

TokenizerBuilder& TokenizerBuilder::Merge(const std::string& left,
                                          const std::string& right) {
  merges_.push_back({IdOf(left), IdOf(right),
                     static_cast<uint32_t>(merges_.size()),
                     IdOf(left + right)});
  return *this;
}

TokenizerBuilder& TokenizerBuilder::AddStep(text::StepKind kind, uint32_t a,
                                            uint32_t b, uint32_t c) {
  steps_.push_back({kind, a, b, c});
  return *this;
}

uint32_t TokenizerBuilder::String(const std::string& text) {
  strings_.push_back(text);
  return static_cast<uint32_t>(strings_.size() - 1);
}

TokenizerBuilder& TokenizerBuilder::Property(const std::string& name,
                                             const std::string& value) {
  properties_.push_back(name);
  properties_.push_back(value);
  return *this;
}

std::string TokenizerBuilder::Build() const {
  text::Settings settings = settings_;
  settings.vocab_size = static_cast<uint32_t>(texts_.size());
  std::vector<uint32_t> text_hashes, merge_hashes, bytes;
  for (const std::string& text : texts_) {
    text_hashes.push_back(HashOf(text));
    settings.max_token_bytes =
        std::max(settings.max_token_bytes, static_cast<uint32_t>(text.size()));
  }
  for (const text::Merge& merge : merges_)
    merge_hashes.push_back(HashOf(merge));
  if ((settings.flags & (text::kByteLevel | text::kByteFallback)) != 0) {
    for (int byte = 0; byte < 256; ++byte) {
      const auto at = std::find(texts_.begin(), texts_.end(),
                                std::string(1, static_cast<char>(byte)));
      bytes.push_back(at == texts_.end()
                          ? text::kNone
                          : static_cast<uint32_t>(at - texts_.begin()));
    }
  }
  const bool scored = settings.model == text::ModelKind::kUnigram;
  const std::pair<uint32_t, std::string> sections[] = {
      {1,
       std::string(reinterpret_cast<const char*>(&settings), sizeof(settings))},
      {2, BytesOf(steps_)},
      {3, StringsOf(strings_)},
      {4, StringsOf(texts_)},
      {5, BytesOf(flags_)},
      {6, IndexOf(text_hashes)},
      {7, scored ? BytesOf(scores_) : std::string()},
      {8, BytesOf(merges_)},
      {9, IndexOf(merge_hashes)},
      {10, BytesOf(bytes)},
      {16, BytesOf(prefix_)},
      {18, BytesOf(stops_)},
      {19, StringsOf(properties_)},
  };
  std::string table, body;
  const size_t start = 32 + 24 * std::size(sections);
  for (const auto& [kind, data] : sections) {
    body.resize((body.size() + 7) / 8 * 8);
    Append<uint32_t>(kind, &table);
    Append<uint32_t>(0, &table);
    Append<uint64_t>(start + body.size(), &table);
    Append<uint64_t>(data.size(), &table);
    body += data;
  }
  std::string file = "MACETOKN";
  Append<uint32_t>(1, &file);
  Append<uint32_t>(static_cast<uint32_t>(std::size(sections)), &file);
  Append<uint64_t>(start + body.size(), &file);
  Append<uint64_t>(0, &file);
  return WithChecksum(file + table + body);
}

std::shared_ptr<MaceTokenizer> TokenizerBuilder::Load() const {
  const std::string file = Build();
  std::shared_ptr<MaceTokenizer> tokenizer;
  const MaceStatus status =
      MaceTokenizer::Load(reinterpret_cast<const unsigned char*>(file.data()),
                          file.size(), &tokenizer);
  EXPECT_TRUE(status.ok()) << status.information();
  return tokenizer;
}

std::string WithChecksum(std::string file) {
  if (file.size() < 32) return file;
  const uint64_t hash = Hash64(file.data() + 32, file.size() - 32);
  std::memcpy(&file[24], &hash, sizeof(hash));
  return file;
}

TokenizerBuilder ByteTokens(
    const std::vector<std::pair<std::string, std::string>>& merged) {
  TokenizerBuilder b(text::ModelKind::kBpe, text::kByteLevel);
  for (int byte = 0; byte < 256; ++byte) {
    b.Token(std::string(1, static_cast<char>(byte)));
  }
  b.Token("<s>", text::kAdded | text::kSpecial);
  b.Token("</s>", text::kAdded | text::kSpecial);
  for (const auto& [left, right] : merged) b.Token(left + right);
  for (const auto& [left, right] : merged) b.Merge(left, right);
  b.settings().bos = 256;
  b.settings().eos = 257;
  b.stops() = {257};
  b.Property("bos_token", "<s>").Property("eos_token", "</s>");
  return b;
}

}  // namespace mace::testing
