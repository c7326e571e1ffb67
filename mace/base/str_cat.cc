// The parts of a string, one after the other.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/str_cat.h"

#include <cstdio>
#include <cstring>

#include "mace/base/c_locale.h"
#include "mace/base/utf8.h"

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

void AppendSigned(int64_t number, std::string* text) {
  if (number < 0) text->push_back('-');
  const auto bits = static_cast<uint64_t>(number);
  AppendUnsigned(number < 0 ? -bits : bits, text);
}

void AppendDouble(double number, std::string* text) {
  const CLocale c_locale;
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%g", number);
  text->append(digits);
}

// Whether what follows is put into quotes: it is a name or a path, which comes
// from a file or from a caller.
bool IsQuoteOpen(const std::string& text) {
  const size_t n = text.size();
  return n > 0 && text[n - 1] == '\'' &&
         (n == 1 || std::strchr(" (,:;=[/", text[n - 2]) != nullptr);
}

void AppendText(std::string_view part, std::string* text) {
  if (IsQuoteOpen(*text)) {
    text->append(ShortText(part));
  } else {
    text->append(part);
  }
}

}  // namespace

void AppendPartList(std::string* text, PartKinds kinds, va_list parts) {
  constexpr PartKinds kMask = (1 << kBitsOfPart) - 1;
  for (; kinds != 0; kinds >>= kBitsOfPart) {
    switch (kinds & kMask) {
      case kCStringPart:
        text->append(va_arg(parts, const char*));
        break;
      case kStringPart:
        AppendText(*va_arg(parts, const std::string*), text);
        break;
      case kViewPart:
        AppendText(*va_arg(parts, const std::string_view*), text);
        break;
      case kCharPart:
        text->push_back(static_cast<char>(va_arg(parts, int)));
        break;
      case kDoublePart:
        AppendDouble(va_arg(parts, double), text);
        break;
      case kSignedPart:
        AppendSigned(va_arg(parts, int64_t), text);
        break;
      case kUnsignedPart:
        AppendUnsigned(va_arg(parts, uint64_t), text);
        break;
      default:
        return;
    }
  }
}

void AppendParts(std::string* text, PartKinds kinds, ...) {
  va_list parts;
  va_start(parts, kinds);
  AppendPartList(text, kinds, parts);
  va_end(parts);
}

std::string JoinPartList(PartKinds kinds, va_list parts) {
  std::string text;
  AppendPartList(&text, kinds, parts);
  return text;
}

std::string JoinParts(PartKinds kinds, ...) {
  va_list parts;
  va_start(parts, kinds);
  std::string text = JoinPartList(kinds, parts);
  va_end(parts);
  return text;
}

}  // namespace mace
