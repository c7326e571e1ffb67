// How far outputs begin before inputs, and that this is computed quickly.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/safe_distance.h"

#include <gtest/gtest.h>

namespace mace::cpu {
namespace {

// Pieces of 10 bytes that read from 4 bytes before their own position on.
int64_t Distance(int64_t pieces, int64_t at_once, int64_t* calls) {
  return SafeDistance(
      pieces, at_once,
      [calls](int64_t i) {
        ++*calls;
        return 10 * (i + 1);
      },
      [](int64_t i) { return std::max<int64_t>(10 * i - 4, 0); });
}

TEST(SafeDistance, OfWhatIsReadLater) {
  int64_t calls = 0;
  EXPECT_EQ(Distance(0, 1, &calls), 0);
  EXPECT_EQ(Distance(1, 1, &calls), 10);
  EXPECT_EQ(Distance(5, 1, &calls), 14);
  EXPECT_EQ(Distance(5, 2, &calls), 24);
}

// A batch of 2^31 images has more pieces than there is time to look at.
TEST(SafeDistance, NotForAnyNumberOfPieces) {
  int64_t calls = 0;
  EXPECT_EQ(Distance(int64_t{1} << 40, 1, &calls), -1);
  EXPECT_LE(calls, 1 << 16);
}

TEST(PieceBegin, SharesAnyNumberOfLines) {
  for (int64_t lines : {0, 1, 7, 8, 9, 1000}) {
    for (int64_t pieces : {1, 2, 7, 8, 65536}) {
      for (int64_t i = 0; i <= pieces; ++i) {
        ASSERT_EQ(PieceBegin(i, pieces, lines), i * lines / pieces);
      }
    }
  }
  const int64_t most = int64_t{1} << 61;
  EXPECT_EQ(PieceBegin(8, 8, most), most);
  EXPECT_EQ(PieceBegin(3, 8, most), most / 8 * 3);
  EXPECT_EQ(PieceBegin(65536, 65536, most + 5), most + 5);
}

}  // namespace
}  // namespace mace::cpu
