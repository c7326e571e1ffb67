// What is UTF-8, and what only looks like it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/utf8.h"

#include <gtest/gtest.h>

namespace mace {
namespace {

// The code point in as many bytes as asked for, whether it needs them or not.
std::string Encode(uint32_t point, int bytes) {
  if (bytes == 1) return std::string(1, static_cast<char>(point));
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) {
    const uint32_t part = point >> (6 * i);
    const uint32_t lead = (0xf00u >> bytes) & 0xff;
    text +=
        static_cast<char>(i == bytes - 1 ? lead | part : 0x80 | (part & 0x3f));
  }
  return text;
}

// Every code point in its one right form and in no longer one.
TEST(IsUtf8, EveryCodePoint) {
  for (uint32_t point = 0; point < 0x1fffff; ++point) {
    const int least = point < 0x80      ? 1
                      : point < 0x800   ? 2
                      : point < 0x10000 ? 3
                                        : 4;
    const bool exists = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    for (int bytes = least; bytes <= 4; ++bytes) {
      const std::string text = "a" + Encode(point, bytes) + "b";
      ASSERT_EQ(IsUtf8(text), exists && bytes == least)
          << std::hex << point << " in " << bytes << " bytes";
    }
  }
}

TEST(IsUtf8, CutShort) {
  for (uint32_t point : {0xe9u, 0x20acu, 0x1f600u}) {
    const int bytes = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    const std::string text = Encode(point, bytes);
    for (size_t length = 1; length < text.size(); ++length) {
      EXPECT_FALSE(IsUtf8(text.substr(0, length))) << point;
      EXPECT_FALSE(IsUtf8(text.substr(0, length) + "a")) << point;
    }
    EXPECT_FALSE(IsUtf8(text.substr(1))) << point;
  }
  EXPECT_TRUE(IsUtf8(""));
}

TEST(ToUtf8, WritesOutOnlyBytesThatAreNoText) {
  const std::string text = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 'x'";
  EXPECT_EQ(ToUtf8(text), text);
  EXPECT_EQ(ToUtf8(""), "");
  EXPECT_EQ(ToUtf8("S\xffM"), "S\\xffM");
  EXPECT_EQ(ToUtf8("a\xe2\x82"), "a\\xe2\\x82");  // cut short
  EXPECT_EQ(ToUtf8("\xe2\x82z\x80"), "\\xe2\\x82z\\x80");
  EXPECT_EQ(ToUtf8(std::string_view("\xed\xa0\x80\0\x80", 5)),
            std::string_view("\\xed\\xa0\\x80\0\\x80", 17));
}

}  // namespace
}  // namespace mace
