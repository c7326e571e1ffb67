// Text as std::ostringstream would write it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/text_stream.h"

#include <cstdint>
#include <limits>
#include <sstream>

#include "gtest/gtest.h"

namespace mace {
namespace {

template <typename... T>
void ExpectSame(const T&... values) {
  TextStream ours;
  std::ostringstream standard;
  ((ours << values << ' '), ...);
  ((standard << values << ' '), ...);
  EXPECT_EQ(ours.str(), standard.str());
}

TEST(TextStream, WritesLikeTheStandardStream) {
  ExpectSame("text", std::string("more"), 'c', true, false);
  ExpectSame(0, -7, int64_t{1} << 62, std::numeric_limits<uint64_t>::max(),
             std::numeric_limits<int64_t>::min(), uint32_t{5});
  ExpectSame(0.0, -0.0, 1.0f, 0.1f, 1e-7, 123456.0, 1234567.0, 3.14159265,
             std::numeric_limits<double>::infinity(),
             -std::numeric_limits<double>::infinity());
}

TEST(TextStream, KeepsZerosInsideOfStrings) {
  TextStream out;
  out << std::string("a\0b", 3);
  EXPECT_EQ(out.str().size(), 3u);
}

}  // namespace
}  // namespace mace
