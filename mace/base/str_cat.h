// StrCat: one string of several parts, for messages.
// SPDX-License-Identifier: Apache-2.0
//
// StrCat("node '", name, "' has ", n, " inputs") is a fraction of the code that
// the same string put together with + needs, since one function, which is not a
// template, does the work. Most strings of this library are messages of errors,
// which take an eighth of a small library even so.
#ifndef MACE_BASE_STR_CAT_H_
#define MACE_BASE_STR_CAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace mace {

// A piece of text or a number. It refers to its text and is valid as long as
// that is: it is to be used only as an argument.
class TextPart {
 public:
  TextPart(const char* text) : text_(text), kind_(kCString) {}  // NOLINT
  TextPart(const std::string& text)                             // NOLINT
      : string_(&text), kind_(kString) {}
  TextPart(std::string_view text)  // NOLINT
      : text_(text.data()),
        size_(static_cast<uint32_t>(text.size())),
        kind_(kView) {}
  TextPart(char c) : signed_(c), kind_(kChar) {}  // NOLINT
  // Six significant digits.
  TextPart(double number) : double_(number), kind_(kDouble) {}  // NOLINT
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  TextPart(T number)  // NOLINT
      : signed_(static_cast<int64_t>(number)),
        kind_(std::is_signed_v<T> ? kSigned : kUnsigned) {}

  void AppendTo(std::string* text) const;
  // Returns at least the number of characters that it appends.
  size_t MostChars() const;

 private:
  enum Kind { kCString, kString, kView, kChar, kDouble, kSigned, kUnsigned };

  union {
    const char* text_;
    const std::string* string_;
    double double_;
    int64_t signed_;
  };
  uint32_t size_ = 0;  // of a view
  Kind kind_;
};

// Appends `n` parts to `*text`.
void AppendParts(const TextPart* parts, size_t n, std::string* text);
std::string JoinParts(const TextPart* parts, size_t n);

template <typename... Parts>
[[gnu::always_inline]] inline std::string StrCat(const Parts&... parts) {
  const TextPart list[] = {TextPart(parts)...};
  return JoinParts(list, sizeof...(parts));
}

// Appends to `*text`, which must not be one of the parts.
template <typename... Parts>
[[gnu::always_inline]] inline void StrAppend(std::string* text,
                                             const Parts&... parts) {
  const TextPart list[] = {TextPart(parts)...};
  AppendParts(list, sizeof...(parts), text);
}

}  // namespace mace

#endif  // MACE_BASE_STR_CAT_H_
