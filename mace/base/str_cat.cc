// The parts of a string, one after the other.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/str_cat.h"

#include <cstdio>
#include <cstring>

namespace mace {
namespace {

void AppendUnsigned(uint64_t number, std::string* text) {
  char digits[20];
  char* first = digits + sizeof(digits);
  do {
    *--first = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  text->append(first, digits + sizeof(digits) - first);
}

}  // namespace

void TextPart::AppendTo(std::string* text) const {
  switch (kind_) {
    case kCString:
      text->append(text_);
      return;
    case kString:
      text->append(*string_);
      return;
    case kView:
      text->append(text_, size_);
      return;
    case kChar:
      text->push_back(static_cast<char>(signed_));
      return;
    case kDouble: {
      char digits[32];
      std::snprintf(digits, sizeof(digits), "%g", double_);
      text->append(digits);
      return;
    }
    case kSigned:
      if (signed_ < 0) {
        text->push_back('-');
        AppendUnsigned(-static_cast<uint64_t>(signed_), text);
        return;
      }
      [[fallthrough]];
    case kUnsigned:
      AppendUnsigned(static_cast<uint64_t>(signed_), text);
      return;
  }
}

size_t TextPart::MostChars() const {
  switch (kind_) {
    case kCString:
      return std::strlen(text_);
    case kString:
      return string_->size();
    case kView:
      return size_;
    default:
      return 32;
  }
}

void AppendParts(const TextPart* parts, size_t n, std::string* text) {
  size_t size = text->size();
  for (size_t i = 0; i < n; ++i) size += parts[i].MostChars();
  text->reserve(size);
  for (size_t i = 0; i < n; ++i) parts[i].AppendTo(text);
}

std::string JoinParts(const TextPart* parts, size_t n) {
  std::string text;
  AppendParts(parts, n, &text);
  return text;
}

}  // namespace mace
