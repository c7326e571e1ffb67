// StrCat: one string of several parts, for messages.
// SPDX-License-Identifier: Apache-2.0
//
// StrCat("node '", name, "' has ", n, " inputs") is a fraction of the code that
// the same string put together with + needs, since one function, which is not a
// template, does the work. It gets the parts as plain arguments, as printf
// does, and before them a number that says of what kind each is. Most strings
// of this library are messages of errors.
//
//   StrCat("node ", id, ":")  ->  JoinParts(kinds, "node ", int64_t{id}, ":")
//   kinds = kCStringPart | kSignedPart << 3 | kCStringPart << 6
//
// A std::string or std::string_view that follows an opening quote (' at the
// beginning or after a space or one of `(,:;=[/`) is a name from a file or a
// caller: it is written as ShortText does (utf8.h), so that messages stay short
// and valid UTF-8. A const char* is written as it is.
#ifndef MACE_BASE_STR_CAT_H_
#define MACE_BASE_STR_CAT_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mace {

// How a part is passed to a function with variable arguments: text by its
// address, integers with 64 bits. Parts must live until that function returns.
inline const char* PassPart(const char* text) { return text; }
inline const std::string* PassPart(const std::string& text) { return &text; }
inline const std::string_view* PassPart(const std::string_view& text) {
  return &text;
}
inline int PassPart(char c) { return c; }
inline double PassPart(double number) { return number; }
template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> PassPart(T number) {
  return number;
}

// The kinds of parts, kBitsOfPart bits each; the first in the lowest bits, and
// kNoPart after the last.
using PartKinds = uint64_t;
enum PartKind : PartKinds {
  kNoPart,
  kCStringPart,
  kStringPart,
  kViewPart,
  kCharPart,
  kDoublePart,  // written with six significant digits
  kSignedPart,
  kUnsignedPart,
};
constexpr int kBitsOfPart = 3;
constexpr size_t kMaxParts = 64 / kBitsOfPart;

template <typename T>
constexpr PartKind KindOfPart() {
  using Passed = decltype(PassPart(std::declval<const T&>()));
  if (std::is_same_v<Passed, const char*>) return kCStringPart;
  if (std::is_same_v<Passed, const std::string*>) return kStringPart;
  if (std::is_same_v<Passed, const std::string_view*>) return kViewPart;
  if (std::is_same_v<Passed, int>) return kCharPart;
  if (std::is_same_v<Passed, double>) return kDoublePart;
  return std::is_same_v<Passed, int64_t> ? kSignedPart : kUnsignedPart;
}

template <typename... Parts>
constexpr PartKinds KindsOfParts() {
  static_assert(sizeof...(Parts) <= kMaxParts, "use several StrCat");
  PartKinds kinds = 0;
  int at = 0;
  ((kinds |= KindOfPart<Parts>() << at, at += kBitsOfPart), ...);
  return kinds;
}

// Append the arguments, which PassPart made, to `*text`, or return them as one
// string. REQUIRES: there is one argument for each kind, of its type.
void AppendParts(std::string* text, PartKinds kinds, ...);
void AppendPartList(std::string* text, PartKinds kinds, va_list parts);
std::string JoinParts(PartKinds kinds, ...);
std::string JoinPartList(PartKinds kinds, va_list parts);

template <typename... Parts>
[[gnu::always_inline]] inline std::string StrCat(const Parts&... parts) {
  return JoinParts(KindsOfParts<Parts...>(), PassPart(parts)...);
}

// Appends to `*text`, which must not be one of the parts.
template <typename... Parts>
[[gnu::always_inline]] inline void StrAppend(std::string* text,
                                             const Parts&... parts) {
  AppendParts(text, KindsOfParts<Parts...>(), PassPart(parts)...);
}

}  // namespace mace

#endif  // MACE_BASE_STR_CAT_H_
