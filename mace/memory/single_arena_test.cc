// Head, temporary and tail in one buffer, to the last byte.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/single_arena.h"

#include <iterator>
#include <map>
#include <random>

#include "gtest/gtest.h"

namespace mace::memory {
namespace {

alignas(64) char buffer[1024];

TEST(SingleArenaTest, SectionsFillTheBuffer) {
  SingleArena arena(buffer, sizeof(buffer));
  char* tail = *arena.AllocateTail(100, 16);
  EXPECT_EQ(tail, buffer + 912);
  char* head = *arena.ResizeHead(512, 64);
  EXPECT_EQ(head, buffer);
  EXPECT_EQ(arena.AvailableBytes(16), 400u);
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

// Allocations and releases at random against a map of the buffer's bytes.
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
  // 130 in the head, up to 192, 30 temporary, 64 and 128 of the tail.
  EXPECT_EQ(counting.peak_bytes(), 192u + 30 + 64 + 128);
  EXPECT_EQ(counting.peak_temporary_bytes(), 100u);
  const size_t bytes = (counting.peak_bytes() + 63) / 64 * 64;
  SingleArena enough(buffer, bytes);
  EXPECT_TRUE(use(enough));
  SingleArena small(buffer, bytes - 64);
  EXPECT_FALSE(use(small));
}

}  // namespace
}  // namespace mace::memory
