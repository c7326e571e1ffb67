// Whether bytes are text, and making text of those that are not.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_UTF8_H_
#define MACE_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace mace {

// Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong
// forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view bytes);

// Returns the text of a message about what a file holds: `bytes`, but each byte
// outside a well-formed sequence written as `\xff`.
std::string ToUtf8(std::string_view bytes);

// Returns a text from a file or a caller for a message: as ToUtf8, with control
// characters written as `\x0a`, in at most 200 bytes: of a longer text, `...`
// replaces the middle.
std::string ShortText(std::string_view bytes);

// Returns `text` if it has at most `most` bytes, else at most `most` bytes of
// it, with `...` in the place of its middle. Cuts no UTF-8 sequence. REQUIRES:
// most >= 9.
std::string WithoutMiddle(std::string text, size_t most);

}  // namespace mace

#endif  // MACE_BASE_UTF8_H_
