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

std::string ToUtf8(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  while (!bytes.empty()) {
    const size_t length = LengthOfFirst(bytes);
    if (length == 0) {
      const uint8_t byte = static_cast<uint8_t>(bytes[0]);
      for (const char c : {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]}) {
        text.push_back(c);
      }
    } else {
      text.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace mace
