// Tokens to bytes, and bytes to whole characters.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/decoder.h"

#include <algorithm>

#include "mace/text/utf8_text.h"

namespace mace::text {
namespace {

constexpr std::string_view kMetaspaceMark = "\xe2\x96\x81";

void ReplaceAll(std::string_view from, std::string_view to, std::string* text) {
  size_t at = 0;
  while ((at = text->find(from, at)) != std::string::npos) {
    text->replace(at, from.size(), to);
    at += to.size();
  }
}

// As WordPiece decoders drop spaces that tokenizing English made.
void CleanUp(std::string* text) {
  static constexpr std::string_view kRules[][2] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& rule : kRules) ReplaceAll(rule[0], rule[1], text);
}

}  // namespace

void Decoder::Add(uint32_t id, std::string* text) {
  if (skip_special_ && (d_.flags[id] & kSpecial) != 0) return;
  std::string bytes = BytesOf(id);
  first_ = false;
  if (at_start_ && d_.has(kDropFirstSpace) && !bytes.empty() &&
      bytes[0] == ' ') {
    bytes.erase(0, 1);
    at_start_ = false;
  }
  at_start_ = at_start_ && bytes.empty();
  pending_.append(bytes);
  Emit(text, /*all=*/false);
}

void Decoder::Finish(std::string* text) {
  Emit(text, /*all=*/true);
  first_ = at_start_ = true;
  space_next_ = false;
}

std::string Decoder::BytesOf(uint32_t id) {
  const std::string_view token = d_.tokens[id];
  if ((d_.flags[id] & kByte) != 0) return std::string(token);
  if (d_.has(kWordPieces)) return WordOf(token);
  std::string bytes;
  if (space_next_) bytes = " ";
  space_next_ = false;
  bytes.append(token);
  if (d_.settings.word_end != kNone) {
    const std::string_view end = d_.strings[d_.settings.word_end];
    if (bytes.size() >= end.size() &&
        bytes.compare(bytes.size() - end.size(), end.size(), end) == 0) {
      bytes.resize(bytes.size() - end.size());
      space_next_ = true;
    }
  }
  if (d_.has(kDropFirstMetaspaces) && first_) {
    ReplaceAll(kMetaspaceMark, "", &bytes);
  }
  if (d_.has(kMetaspaces)) ReplaceAll(kMetaspaceMark, " ", &bytes);
  return bytes;
}

std::string Decoder::WordOf(std::string_view token) {
  const std::string_view prefix = d_.settings.continuing == kNone
                                      ? std::string_view()
                                      : d_.strings[d_.settings.continuing];
  std::string word;
  if (!first_) {
    if (!prefix.empty() && token.substr(0, prefix.size()) == prefix) {
      token.remove_prefix(prefix.size());
    } else {
      word = " ";
    }
  }
  word.append(token);
  if (d_.has(kCleanUp)) CleanUp(&word);
  return word;
}

void Decoder::Emit(std::string* text, bool all) {
  std::string_view bytes = pending_;
  while (!bytes.empty()) {
    bool complete = false;
    size_t length = FirstCharacter(bytes, &complete);
    if (complete) {
      text->append(bytes.substr(0, length));
    } else if (length == bytes.size() && !all) {
      break;  // the rest of the character may come
    } else {
      // Decoders of byte-level BPE write one for each beginning of a character,
      // SentencePiece one for each byte.
      length = d_.has(kByteLevel) ? std::max<size_t>(length, 1) : 1;
      AppendCharacter(kReplacement, text);
    }
    bytes.remove_prefix(length);
  }
  pending_.erase(0, pending_.size() - bytes.size());
}

}  // namespace mace::text
