// Reading UTF-8 byte by byte.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace mace {
namespace {

// The bytes of the sequence that begins with `lead`, or 0 if none does, and the
// range of its second byte; all later ones are in [0x80, 0xbf].
struct Sequence {
  size_t length;
  uint8_t low, high;
};

Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xc2) return {0, 0, 0};
  if (lead < 0xe0) return {2, 0x80, 0xbf};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3, 0x80, 0xbf};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4, 0x80, 0xbf};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

// Returns the bytes of the sequence that `bytes` begins with, or 0 if they
// begin with none. There must be one byte at least.
size_t LengthOfFirst(std::string_view bytes) {
  const Sequence s = SequenceOf(static_cast<uint8_t>(bytes[0]));
  if (s.length > bytes.size()) return 0;
  for (size_t k = 1; k < s.length; ++k) {
    const uint8_t byte = static_cast<uint8_t>(bytes[k]);
    const uint8_t low = k == 1 ? s.low : 0x80, high = k == 1 ? s.high : 0xbf;
    if (byte < low || byte > high) return 0;
  }
  return s.length;
}

}  // namespace

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = LengthOfFirst(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

namespace {

constexpr size_t kMaxText = 200;  // bytes of a text in a message

void AppendByte(char c, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  for (const char digit : {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]}) {
    text->push_back(digit);
  }
}

// Of ASCII, and U+0080 to U+009F, which terminals obey, too.
bool IsControl(std::string_view sequence) {
  const auto first = static_cast<uint8_t>(sequence[0]);
  return first < 0x20 || first == 0x7f ||
         (first == 0xc2 && static_cast<uint8_t>(sequence[1]) < 0xa0);
}

std::string Escaped(std::string_view bytes, bool escapes_controls) {
  std::string text;
  while (!bytes.empty()) {
    const size_t length = LengthOfFirst(bytes);
    const std::string_view sequence = bytes.substr(0, length == 0 ? 1 : length);
    if (length == 0 || (escapes_controls && IsControl(sequence))) {
      for (const char c : sequence) AppendByte(c, &text);
    } else {
      text.append(sequence);
    }
    bytes.remove_prefix(sequence.size());
  }
  return text;
}

}  // namespace

std::string ToUtf8(std::string_view bytes) { return Escaped(bytes, false); }

std::string ShortText(std::string_view bytes) {
  // No more of it is looked at than is shown.
  if (bytes.size() > 2 * kMaxText) {
    const std::string both(bytes.substr(0, kMaxText));
    return WithoutMiddle(
        Escaped(both, true) +
            Escaped(bytes.substr(bytes.size() - kMaxText), true),
        kMaxText);
  }
  return WithoutMiddle(Escaped(bytes, true), kMaxText);
}

std::string WithoutMiddle(std::string text, size_t most) {
  if (text.size() <= most) return text;
  const auto is_inside = [&](size_t at) {  // a sequence
    return (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80;
  };
  size_t begin = most * 3 / 4, end = text.size() - (most - begin - 3);
  while (begin > 0 && is_inside(begin)) --begin;
  while (end < text.size() && is_inside(end)) ++end;
  return text.replace(begin, end - begin, "...");
}

}  // namespace mace
