// Decoding and encoding UTF-8.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/utf8_text.h"

namespace mace::text {

size_t FirstCharacter(std::string_view bytes, bool* complete) {
  const uint8_t lead = static_cast<uint8_t>(bytes[0]);
  const size_t length = LengthOfLead(lead);
  *complete = false;
  if (length == 0) return 0;
  for (size_t k = 1; k < length; ++k) {
    if (k == bytes.size()) return k;
    const uint8_t byte = static_cast<uint8_t>(bytes[k]);
    uint8_t low = 0x80, high = 0xbf;
    if (k == 1) {  // no overlong forms, no surrogates, nothing above U+10FFFF
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    }
    if (byte < low || byte > high) return k;
  }
  *complete = true;
  return length;
}

uint32_t NextCharacter(std::string_view text, size_t* at) {
  const uint8_t lead = static_cast<uint8_t>(text[*at]);
  const size_t length = LengthOfLead(lead);
  if (length <= 1 || *at + length > text.size()) {
    ++*at;
    return lead;
  }
  uint32_t c = lead & (0x7fu >> length);
  for (size_t k = 1; k < length; ++k) {
    c = c << 6 | (static_cast<uint8_t>(text[*at + k]) & 0x3f);
  }
  *at += length;
  return c;
}

void AppendCharacter(uint32_t c, std::string* text) {
  if (c < 0x80) {
    text->push_back(static_cast<char>(c));
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  const uint32_t lead = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
  text->push_back(static_cast<char>(lead | c >> (6 * more)));
  for (int k = more - 1; k >= 0; --k) {
    text->push_back(static_cast<char>(0x80 | (c >> (6 * k) & 0x3f)));
  }
}

void AppendWellFormed(std::string_view bytes, std::string* text) {
  while (!bytes.empty()) {
    bool complete = false;
    const size_t length = FirstCharacter(bytes, &complete);
    if (complete) {
      text->append(bytes.substr(0, length));
    } else {
      AppendCharacter(kReplacement, text);
    }
    bytes.remove_prefix(complete ? length : 1);
  }
}

Characters::Characters(std::string_view text) {
  code_points.reserve(text.size());
  offsets.reserve(text.size() + 1);
  for (size_t at = 0; at < text.size();) {
    offsets.push_back(static_cast<uint32_t>(at));
    code_points.push_back(NextCharacter(text, &at));
  }
  offsets.push_back(static_cast<uint32_t>(text.size()));
}

}  // namespace mace::text
