// TextStream: text put together with <<, without the weight of <ostream>.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_TEXT_STREAM_H_
#define MACE_BASE_TEXT_STREAM_H_

#include <string>

#include "mace/base/str_cat.h"

namespace mace {

// Writes numbers as std::ostringstream does by default in the locale "C":
// floating-point ones with six significant digits; but int8_t and uint8_t, too,
// as numbers. It takes what StrCat takes, and treats names in quotes in the
// same way.
class TextStream {
 public:
  template <typename Part>
  [[gnu::always_inline]] TextStream& operator<<(const Part& part) {
    StrAppend(&text_, part);
    return *this;
  }

  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

}  // namespace mace

#endif  // MACE_BASE_TEXT_STREAM_H_
