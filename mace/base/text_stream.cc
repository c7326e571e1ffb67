// Appending to a string.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/text_stream.h"

#include <cstdio>

namespace mace {

TextStream& TextStream::operator<<(const char* text) {
  text_ += text;
  return *this;
}

TextStream& TextStream::operator<<(const std::string& text) {
  text_ += text;
  return *this;
}

TextStream& TextStream::operator<<(char c) {
  text_ += c;
  return *this;
}

TextStream& TextStream::operator<<(double number) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%g", number);
  text_ += digits;
  return *this;
}

TextStream& TextStream::AddSigned(long long number) {
  text_ += std::to_string(number);
  return *this;
}

TextStream& TextStream::AddUnsigned(unsigned long long number) {
  text_ += std::to_string(number);
  return *this;
}

}  // namespace mace
