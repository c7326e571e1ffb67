// Head, temporary and tail in one buffer, to the last byte.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/compat/single_arena.h"

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

}  // namespace
}  // namespace mace::memory
