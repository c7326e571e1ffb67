// Head, temporary section and tail fill one buffer to the last byte.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/single_arena.h"

#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace mace::memory {
namespace {

alignas(256) char buffer[1024];

TEST(SingleArenaTest, SectionsFillTheBuffer) {
  SingleArena arena(buffer, sizeof(buffer));
  char* tail = *arena.AllocateTail(100, 16);
  EXPECT_EQ(tail, buffer + 912);
  char* head = *arena.ResizeHead(512, 64);
  EXPECT_EQ(head, buffer);
  EXPECT_EQ(*arena.AllocateTemporary(1, 16), buffer + 512);
  EXPECT_EQ(*arena.AllocateTemporary(8, 16), buffer + 528);
  EXPECT_FALSE(arena.ResizeHead(600, 64).ok());
  arena.ResetTemporary();
  EXPECT_TRUE(arena.ResizeHead(912, 64).ok());
  EXPECT_EQ(arena.used_bytes(), 1024u);
  EXPECT_FALSE(arena.AllocateTail(1, 1).ok());
  EXPECT_FALSE(arena.AllocateTemporary(1, 1).ok());
}

TEST(SingleArenaTest, TooSmallSaysHowManyBytesDo) {
  SingleArena arena(buffer, 100);
  ASSERT_TRUE(arena.AllocateTail(60, 4).ok());
  const Result<char*> head = arena.ResizeHead(64, 16);
  ASSERT_FALSE(head.ok());
  EXPECT_NE(head.status().information().find("124 bytes are needed"),
            std::string::npos)
      << head.status().information();
  SingleArena enough(buffer, 124);
  EXPECT_TRUE(enough.AllocateTail(60, 4).ok());
  EXPECT_TRUE(enough.ResizeHead(64, 16).ok());
}

TEST(SingleArenaTest, MisalignedByOneByte) {
  SingleArena arena(buffer + 1, 127);
  EXPECT_EQ(*arena.ResizeHead(64, 64), buffer + 64);
  EXPECT_EQ(arena.head_bytes(), 127u);
  SingleArena small(buffer + 1, 126);
  EXPECT_FALSE(small.ResizeHead(64, 64).ok());
  SingleArena tiny(buffer + 1, 8);
  EXPECT_FALSE(tiny.AllocateTail(8, 8).ok());
  EXPECT_FALSE(tiny.AllocateTail(~size_t{0}, 8).ok());
  EXPECT_FALSE(tiny.AllocateTemporary(~size_t{0}, 8).ok());
}

TEST(SingleArenaTest, FreedPiecesOfTheTailCanBeHadAgain) {
  SingleArena arena(buffer, 256);
  char* const high = *arena.AllocateTail(64, 64);
  char* const low = *arena.AllocateTail(60, 64);
  EXPECT_EQ(low, buffer + 128);
  arena.FreeTail(high);
  EXPECT_EQ(arena.tail_bytes(), 128u) << "the one below is still there";
  arena.FreeTail(low);
  EXPECT_EQ(arena.tail_bytes(), 0u);
  EXPECT_EQ(*arena.AllocateTail(256, 64), buffer);
}

// Compares random allocations and releases with a map of the buffer's bytes.
TEST(SingleArenaTest, PiecesOfTheTailNeverShareBytes) {
  std::mt19937 rng(3);
  SingleArena arena(buffer, sizeof(buffer));
  std::map<char*, size_t> live;
  for (int round = 0; round < 20000; ++round) {
    if (live.empty() || rng() % 2 == 0) {
      const size_t bytes = rng() % 150, alignment = size_t{1} << rng() % 7;
      const Result<char*> piece = arena.AllocateTail(bytes, alignment);
      if (!piece.ok()) continue;
      ASSERT_EQ(reinterpret_cast<uintptr_t>(*piece) % alignment, 0u);
      ASSERT_GE(*piece, buffer + sizeof(buffer) - arena.tail_bytes());
      if (bytes == 0) {
        arena.FreeTail(*piece);
        continue;
      }
      const auto above = live.lower_bound(*piece);
      ASSERT_LE(*piece + bytes,
                above == live.end() ? buffer + sizeof(buffer) : above->first);
      if (above != live.begin()) {
        const auto below = std::prev(above);
        ASSERT_LE(below->first + below->second, *piece);
      }
      live[*piece] = bytes;
    } else {
      const auto piece =
          std::next(live.begin(), static_cast<ptrdiff_t>(rng() % live.size()));
      arena.FreeTail(piece->first);
      live.erase(piece);
    }
  }
  for (const auto& [piece, bytes] : live) arena.FreeTail(piece);
  EXPECT_EQ(arena.tail_bytes(), 0u);
  EXPECT_TRUE(arena.AllocateTail(sizeof(buffer), 64).ok());
}

TEST(SingleArenaTest, WhatIsCountedIsEnough) {
  const auto use = [](SingleArena& arena) {
    return arena.AllocateTemporary(100, 64).ok() &&
           arena.AllocateTail(1, 64).ok() &&
           (arena.ResetTemporary(), arena.ResizeHead(130, 64).ok()) &&
           arena.AllocateTail(70, 64).ok() &&
           arena.AllocateTemporary(30, 64).ok();
  };
  SingleArena counting = SingleArena::ForCounting();
  ASSERT_TRUE(use(counting));
  // 130 in the head, rounded up to 192; 30 temporary; 64 and 128 in the tail.
  EXPECT_EQ(counting.peak_bytes(), 192u + 30 + 64 + 128);
  EXPECT_EQ(counting.peak_temporary_bytes(), 100u);
  const size_t bytes = (counting.peak_bytes() + 63) / 64 * 64;
  SingleArena enough(buffer, bytes);
  EXPECT_TRUE(use(enough));
  SingleArena small(buffer, bytes - 64);
  EXPECT_FALSE(use(small));
}

std::string Message(const Result<char*>& piece) {
  return piece.ok() ? "" : piece.status().information();
}

TEST(SingleArenaTest, EachSectionSaysWhatItNeeds) {
  const auto filled = [] {
    SingleArena arena(buffer, 256);
    EXPECT_TRUE(arena.ResizeHead(60, 64).ok());
    EXPECT_TRUE(arena.AllocateTail(64, 64).ok());
    EXPECT_TRUE(arena.AllocateTemporary(4, 64).ok());
    return arena;
  };
  // 68 at the bottom, 64 on top, and the piece with its padding.
  SingleArena temporary = filled();
  EXPECT_EQ(Message(temporary.AllocateTemporary(100, 64)),
            "the arena of 256 bytes is too small for its temporary section: "
            "292 bytes are needed so far");
  EXPECT_EQ(Message(temporary.AllocateTemporary(64, 64)), "");
  SingleArena tail = filled();
  EXPECT_EQ(Message(tail.AllocateTail(100, 64)),
            "the arena of 256 bytes is too small for its tail: 260 bytes are "
            "needed so far");
  EXPECT_EQ(Message(tail.AllocateTail(125, 1)),
            "the arena of 256 bytes is too small for its tail: 257 bytes are "
            "needed so far");
  EXPECT_EQ(Message(tail.AllocateTail(124, 1)), "");
  SingleArena head = filled();
  head.ResetTemporary();
  EXPECT_EQ(Message(head.ResizeHead(193, 64)),
            "the arena of 256 bytes is too small for its head: 257 bytes are "
            "needed so far");
  EXPECT_EQ(Message(head.ResizeHead(192, 64)), "");
  // The largest possible number of bytes, not a small one.
  const std::string most = std::to_string(~size_t{0}) + " bytes are needed";
  for (const auto& message :
       {Message(head.ResizeHead(~size_t{0} - 5, 64)),
        Message(tail.AllocateTail(~size_t{0} - 5, 64)),
        Message(temporary.AllocateTemporary(~size_t{0}, 64))}) {
    EXPECT_NE(message.find(most), std::string::npos) << message;
  }
}

TEST(SingleArenaTest, TemporaryPiecesTakeAllThatIsFree) {
  std::mt19937 rng(4);
  for (int round = 0; round < 2000; ++round) {
    char* const begin = buffer + rng() % 20;
    SingleArena arena(begin, 100 + rng() % 100);
    ASSERT_TRUE(arena.ResizeHead(rng() % 70, 1).ok());
    ASSERT_TRUE(arena.AllocateTail(rng() % 25, 1).ok());
    const size_t alignment = size_t{1} << rng() % 8;
    const auto from = reinterpret_cast<uintptr_t>(begin) + arena.head_bytes();
    const size_t room = arena.bytes() - arena.used_bytes();
    const size_t padding =
        (from + alignment - 1) / alignment * alignment - from;
    const size_t most = padding > room ? 0 : room - padding;
    SingleArena more = arena;
    EXPECT_FALSE(more.AllocateTemporary(most + 1, alignment).ok());
    const Result<char*> piece = arena.AllocateTemporary(most, alignment);
    if (!piece.ok()) {
      EXPECT_EQ(most, 0u) << "only the padding does not fit";
      continue;
    }
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*piece) % alignment, 0u);
    EXPECT_FALSE(arena.AllocateTemporary(1, 1).ok());
  }
}

TEST(SingleArenaTest, PeaksOfAllSectionsTogether) {
  SingleArena arena(buffer, 512);
  EXPECT_EQ(arena.peak_bytes(), 0u);
  EXPECT_EQ(arena.peak_temporary_bytes(), 0u);
  ASSERT_TRUE(arena.ResizeHead(100, 1).ok());
  char* const piece = *arena.AllocateTail(50, 1);
  ASSERT_TRUE(arena.AllocateTemporary(30, 1).ok());
  EXPECT_EQ(arena.peak_bytes(), 180u);
  arena.ResetTemporary();
  arena.FreeTail(piece);
  EXPECT_EQ(arena.used_bytes(), 100u);
  ASSERT_TRUE(arena.AllocateTemporary(20, 1).ok());
  EXPECT_EQ(arena.temporary_bytes(), 20u);
  EXPECT_EQ(arena.peak_bytes(), 180u);
  EXPECT_EQ(arena.peak_temporary_bytes(), 30u);
  arena.ResetTemporary();
  ASSERT_TRUE(arena.ResizeHead(200, 1).ok());
  EXPECT_EQ(arena.peak_bytes(), 200u);
}

TEST(SingleArenaTest, GapsOfTheTailAreFilledFromTheTop) {
  SingleArena arena(buffer, 1024);
  std::vector<char*> pieces;
  for (int i = 0; i < 6; ++i) pieces.push_back(*arena.AllocateTail(64, 64));
  EXPECT_EQ(arena.tail_bytes(), 384u);
  // Gaps of 64 bytes on top and of 128 further down, made of two adjacent ones.
  arena.FreeTail(pieces[0]);
  arena.FreeTail(pieces[3]);
  arena.FreeTail(pieces[2]);
  EXPECT_EQ(*arena.AllocateTail(128, 64), pieces[3]) << "where it fits";
  EXPECT_EQ(*arena.AllocateTail(1, 1), pieces[0] + 63) << "highest";
  EXPECT_EQ(*arena.AllocateTail(63, 1), pieces[0]) << "all that is left";
  EXPECT_EQ(*arena.AllocateTail(64, 64), pieces[5] - 64) << "no gap left";
  EXPECT_EQ(arena.tail_bytes(), 448u);
  // Addresses that were not allocated, or already freed, are ignored.
  arena.FreeTail(pieces[5] + 1);
  arena.FreeTail(pieces[4]);
  arena.FreeTail(pieces[4]);
  EXPECT_EQ(arena.tail_bytes(), 448u);
  EXPECT_EQ(*arena.AllocateTail(64, 64), pieces[4]);
  // A gap that is large enough, but not at an aligned address.
  arena.FreeTail(pieces[1]);
  EXPECT_EQ(*arena.AllocateTail(32, 256), buffer + 512) << "below all of them";
}

}  // namespace
}  // namespace mace::memory
