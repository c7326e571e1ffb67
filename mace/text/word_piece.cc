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
    size_t end = characters.size();
    uint32_t id = kNone;
    for (; end > begin; --end) {
      const size_t length = offsets[end] - offsets[begin];
      if (length > data.settings.max_token_bytes) continue;
      text = begin > 0 ? prefix : std::string_view();
      text.append(piece.substr(offsets[begin], length));
      id = data.Find(text, kInModel);
      if (id != kNone) break;
    }
    known = id != kNone;
    if (known) ids->push_back(static_cast<int32_t>(id));
    begin = end;
  }
  if (known) return;
  ids->resize(first);
  if (data.settings.unknown != kNone) {
    ids->push_back(static_cast<int32_t>(data.settings.unknown));
  }
}

}  // namespace mace::text
