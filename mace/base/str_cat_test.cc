// StrCat of every kind of part.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/str_cat.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "mace/base/utf8.h"

namespace mace {
namespace {

TEST(StrCat, PutsTextAndNumbersTogether) {
  const std::string name = "conv";
  const char* verb = "has";
  EXPECT_EQ(StrCat("node '", name, "' ", verb, ' ', 3, " inputs"),
            "node 'conv' has 3 inputs");
  EXPECT_EQ(StrCat(std::string_view("abc").substr(1, 1), "c"), "bc");
  EXPECT_EQ(StrCat(""), "");
  EXPECT_EQ(StrCat(std::string("a\0b", 3), "c"), std::string("a\0bc", 4));
}

// Names and paths, which come from files and callers.
TEST(StrCat, QuotedPartsAreShortAndPrintable) {
  const std::string hostile = "a\n\x1b[2J\x7f\xc2\x9b\xff\u00e9";
  EXPECT_EQ(StrCat("node '", hostile, "': bad"),
            "node 'a\\x0a\\x1b[2J\\x7f\\xc2\\x9b\\xff\u00e9': bad");
  EXPECT_EQ(StrCat("'", std::string_view(hostile).substr(0, 2), "'"),
            "'a\\x0a'");
  EXPECT_EQ(StrCat("text ", hostile), "text " + hostile);
  EXPECT_EQ(StrCat("node 'x'", hostile), "node 'x'" + hostile);
  for (const size_t size : {200u, 201u, 401u, 10000000u}) {
    const std::string name(size, 'n');
    const std::string text = StrCat("node '", name, "'");
    EXPECT_EQ(text.size(), 7 + 200u) << size;
    EXPECT_EQ(text.find("...") != std::string::npos, size > 200) << size;
  }
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "\u00e9";
  EXPECT_TRUE(IsUtf8(StrCat("'", wide, "'")));
}

template <typename T>
void ExpectAsToString(T number) {
  EXPECT_EQ(StrCat(number), std::to_string(number));
}

template <typename T>
void ExpectLimitsAsToString() {
  ExpectAsToString(std::numeric_limits<T>::min());
  ExpectAsToString(std::numeric_limits<T>::max());
  ExpectAsToString(T{0});
  ExpectAsToString(static_cast<T>(10));
}

TEST(StrCat, WritesIntegersOfEveryTypeAsToStringDoes) {
  ExpectLimitsAsToString<bool>();
  ExpectLimitsAsToString<int8_t>();
  ExpectLimitsAsToString<uint8_t>();
  ExpectLimitsAsToString<int16_t>();
  ExpectLimitsAsToString<uint16_t>();
  ExpectLimitsAsToString<int32_t>();
  ExpectLimitsAsToString<uint32_t>();
  ExpectLimitsAsToString<int64_t>();
  ExpectLimitsAsToString<uint64_t>();
  ExpectLimitsAsToString<long long>();
  ExpectLimitsAsToString<unsigned long long>();
  ExpectAsToString(-1);
}

TEST(StrCat, WritesSixDigitsOfFloatingPointNumbers) {
  EXPECT_EQ(StrCat(0.5f, ' ', 1e10, ' ', 1.0 / 3), "0.5 1e+10 0.333333");
}

TEST(StrAppend, KeepsWhatIsThere) {
  std::string text = "a";
  StrAppend(&text, "b", 1);
  EXPECT_EQ(text, "ab1");
}

}  // namespace
}  // namespace mace
