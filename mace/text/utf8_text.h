// Text as code points: decoding, encoding, and replacing what is no UTF-8.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TEXT_UTF8_TEXT_H_
#define MACE_TEXT_UTF8_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mace::text {

// U+FFFD, which replaces bytes that are no UTF-8.
constexpr uint32_t kReplacement = 0xfffd;

// Returns the number of bytes of a character whose first byte is `lead`; 0 if
// no character begins with it: 0x80 to 0xbf continue one, 0xc0 and 0xc1 would
// be overlong, and from 0xf5 on it would be above U+10FFFF.
inline size_t LengthOfLead(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

// Returns how many bytes at the beginning of `bytes`, which is not empty,
// belong to one character: the whole character, and `*complete` becomes true;
// or its longest valid beginning, which is 0 if the first byte begins no
// character, and `*complete` becomes false.
size_t FirstCharacter(std::string_view bytes, bool* complete);

// Returns the character at `*at` of well-formed UTF-8, and moves `*at` behind
// it. In other bytes returns any number, moves `*at` by at least one byte, and
// never beyond the end. REQUIRES: *at < text.size().
uint32_t NextCharacter(std::string_view text, size_t* at);

// Appends a code point as UTF-8. REQUIRES: c is at most 0x10ffff.
void AppendCharacter(uint32_t c, std::string* text);

// Appends `bytes` with U+FFFD for each byte that belongs to no character.
void AppendWellFormed(std::string_view bytes, std::string* text);

// The characters of well-formed UTF-8, with the byte offset of each, and at
// last the offset of the end.
struct Characters {
  explicit Characters(std::string_view text);
  size_t size() const { return code_points.size(); }

  std::vector<uint32_t> code_points;
  std::vector<uint32_t> offsets;
};

// Returns the last of those of [begin, end) that `text` begins with and that
// `accept` takes; `end` if there is none. `text_of` gives their texts, in
// rising order; of equal ones only the first counts.
template <typename Iterator, typename TextOf, typename Accept>
Iterator LongestBeginning(Iterator begin, Iterator end, std::string_view text,
                          const TextOf& text_of, const Accept& accept) {
  Iterator longest = end;
  for (size_t at = 0; begin != end; ++at) {
    // What is left begins with the first `at` bytes of `text`.
    if (text_of(*begin).size() == at && accept(*begin)) longest = begin;
    if (at == text.size()) break;
    const int byte = static_cast<uint8_t>(text[at]);
    const auto byte_of = [&](const auto& one) {
      const std::string_view t = text_of(one);
      return at < t.size() ? static_cast<uint8_t>(t[at]) : -1;
    };
    if (byte_of(*begin) != byte) {
      begin = std::partition_point(
          begin, end, [&](const auto& one) { return byte_of(one) < byte; });
    }
    if (begin != end && byte_of(*std::prev(end)) != byte) {
      end = std::partition_point(
          begin, end, [&](const auto& one) { return byte_of(one) == byte; });
    }
  }
  return longest;
}

}  // namespace mace::text

#endif  // MACE_TEXT_UTF8_TEXT_H_
