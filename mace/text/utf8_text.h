// Text as code points: decoding, encoding, and replacing what is no UTF-8.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_UTF8_TEXT_H_
#define MACE_TEXT_UTF8_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mace::text {

// U+FFFD, which takes the place of what is no UTF-8.
constexpr uint32_t kReplacement = 0xfffd;

// The bytes of the character whose first byte is `lead`, 0 if no character
// begins so: 0x80 to 0xbf continue one, 0xc0 and 0xc1 would be overlong, and
// from 0xf5 on it would lie above U+10FFFF.
inline size_t LengthOfLead(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

// How many bytes of `bytes`, which is not empty, are the beginning of a
// character: all of it if `*complete`, else its longest valid beginning, which
// is 0 if the first byte begins none.
size_t FirstCharacter(std::string_view bytes, bool* complete);

// The character at `*at` of well-formed UTF-8; moves `*at` behind it.
uint32_t NextCharacter(std::string_view text, size_t* at);

// Appends a code point as UTF-8. REQUIRES: c is at most 0x10ffff.
void AppendCharacter(uint32_t c, std::string* text);

// Appends `bytes` with U+FFFD for each byte that belongs to no character.
void AppendWellFormed(std::string_view bytes, std::string* text);

// The characters of well-formed UTF-8, with the offset of each; one offset
// more, that of the end.
struct Characters {
  explicit Characters(std::string_view text);
  size_t size() const { return code_points.size(); }

  std::vector<uint32_t> code_points;
  std::vector<uint32_t> offsets;
};

}  // namespace mace::text

#endif  // MACE_TEXT_UTF8_TEXT_H_
