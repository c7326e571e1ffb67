// WordPiece: a word as its longest tokens, from left to right.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "mace/text/models.h"
#include "mace/text/utf8_text.h"

namespace mace::text {

void EncodeWordPiece(const TokenizerData& data, std::string_view piece,
                     std::vector<int32_t>* ids) {
  const Characters characters(piece);
  const std::vector<uint32_t>& offsets = characters.offsets;
  const size_t first = ids->size();
  bool known = characters.size() <= data.settings.max_characters;
  const std::string_view prefix = data.settings.continuing == kNone
                                      ? std::string_view()
                                      : data.strings[data.settings.continuing];
  std::string text;
  for (size_t begin = 0; known && begin < characters.size();) {
    text = begin > 0 ? prefix : std::string_view();
    uint32_t text_hash = kFirstHash;
    for (const char byte : text) text_hash = NextHash(text_hash, byte);
    uint32_t longest = kNone;
    size_t next = begin;
    for (size_t end = begin; end < characters.size() &&
                             text.size() < data.settings.max_token_bytes;) {
      const size_t start = offsets[end++];
      for (size_t i = start; i < offsets[end]; ++i) {
        text.push_back(piece[i]);
        text_hash = NextHash(text_hash, piece[i]);
      }
      const uint32_t id = data.Find(text, text_hash, kInModel);
      if (id == kNone) continue;
      longest = id;
      next = end;
    }
    known = longest != kNone;
    if (known) ids->push_back(static_cast<int32_t>(longest));
    begin = next;
  }
  if (known) return;
  ids->resize(first);
  if (data.settings.unknown != kNone) {
    ids->push_back(static_cast<int32_t>(data.settings.unknown));
  }
}

}  // namespace mace::text
