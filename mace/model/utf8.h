// IsUtf8: whether bytes are text.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_UTF8_H_
#define MACE_MODEL_UTF8_H_

#include <string_view>

namespace mace {

// Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong
// forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view bytes);

}  // namespace mace

#endif  // MACE_MODEL_UTF8_H_
