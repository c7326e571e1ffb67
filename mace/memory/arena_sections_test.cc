// Sections of a caller's arena are counted, filled and freed.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/arena_sections.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace mace::memory {
namespace {

alignas(64) char buffer[2048];

std::shared_ptr<ArenaSections> Real(size_t bytes) {
  return std::make_shared<ArenaSections>(buffer, bytes);
}

bool IsInBuffer(const SectionBuffer& piece) {
  const char* const data = static_cast<const char*>(piece.data());
  return buffer <= data && data < buffer + sizeof(buffer);
}

bool IsAligned(const SectionBuffer& piece) {
  return reinterpret_cast<uintptr_t>(piece.data()) % 64 == 0;
}

TEST(ArenaSectionsTest, WithoutSectionsBuffersComeFromTheSystem) {
  EXPECT_EQ(ArenaSections::Current(), nullptr);
  const auto piece = SectionBuffer::Persistent(100, "a table");
  ASSERT_TRUE(piece.ok());
  EXPECT_NE(piece->data(), nullptr);
  EXPECT_FALSE(IsInBuffer(*piece));
  EXPECT_EQ(SectionBuffer().data(), nullptr);
}

TEST(ArenaSectionsTest, TheInnermostOnesAreCurrent) {
  const auto outer = Real(1024), inner = Real(512);
  {
    const ScopedArenaSections a(outer);
    EXPECT_EQ(ArenaSections::Current(), outer);
    {
      const ScopedArenaSections b(inner);
      EXPECT_EQ(ArenaSections::Current(), inner);
      const ScopedArenaSections none(nullptr);
      EXPECT_EQ(ArenaSections::Current(), nullptr);
    }
    EXPECT_EQ(ArenaSections::Current(), outer);
  }
  EXPECT_EQ(ArenaSections::Current(), nullptr);
}

TEST(ArenaSectionsTest, PersistentPiecesLieInTheTailUntilTheyEnd) {
  const auto sections = Real(1024);
  EXPECT_TRUE(sections->is_real());
  const ScopedArenaSections scope(sections);
  {
    const auto a = SectionBuffer::Persistent(100, "a");
    const auto b = SectionBuffer::Persistent(64, "b");
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->data(), buffer + 1024 - 128);
    EXPECT_EQ(b->data(), buffer + 1024 - 192);
    EXPECT_EQ(sections->arena().tail_bytes(), 192u);
  }
  EXPECT_EQ(sections->arena().tail_bytes(), 0u);
  EXPECT_EQ(sections->arena().temporary_bytes(), 0u);
}

TEST(ArenaSectionsTest, TheTemporarySectionEmptiesWithItsLastPiece) {
  const auto sections = Real(1024);
  const ScopedArenaSections scope(sections);
  ASSERT_TRUE(sections->GrowHead(100).ok());
  {
    auto a = SectionBuffer::Temporary(10, "a");
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->data(), buffer + 128);
    {
      const auto b = SectionBuffer::Temporary(10, "b");
      ASSERT_TRUE(b.ok());
      EXPECT_EQ(b->data(), buffer + 192);
      EXPECT_TRUE(IsAligned(*b));
    }
    EXPECT_GT(sections->arena().temporary_bytes(), 0u) << "one is left";
    EXPECT_EQ(sections->arena().tail_bytes(), 0u);
    EXPECT_FALSE(sections->GrowHead(200).ok());
    EXPECT_TRUE(sections->GrowHead(100).ok()) << "nothing to do";
  }
  EXPECT_EQ(sections->arena().temporary_bytes(), 0u);
  EXPECT_TRUE(sections->GrowHead(200).ok());
  EXPECT_EQ(sections->arena().head_bytes(), 200u);
  EXPECT_TRUE(sections->GrowHead(150).ok());
  EXPECT_EQ(sections->arena().head_bytes(), 200u) << "it never shrinks";
}

TEST(ArenaSectionsTest, WhatDoesNotFitIsNamedAndRemembered) {
  const auto sections = Real(256);
  const ScopedArenaSections scope(sections);
  EXPECT_FALSE(sections->failed());
  EXPECT_TRUE(SectionBuffer::Persistent(128, "a constant").ok());
  EXPECT_FALSE(sections->failed());
  for (const bool temporary : {false, true}) {
    const auto piece = temporary ? SectionBuffer::Temporary(257, "a constant")
                                 : SectionBuffer::Persistent(257, "a constant");
    EXPECT_EQ(piece.status().code(), Status::MACE_OUT_OF_RESOURCES);
    EXPECT_EQ(piece.status().information().find(
                  "a constant: the arena of 256 bytes is too small for its "),
              0u)
        << piece.status().information();
    EXPECT_TRUE(sections->failed());
    sections->ForgetFailure();
    EXPECT_FALSE(sections->failed());
  }
  EXPECT_EQ(sections->GrowHead(257).code(), Status::MACE_OUT_OF_RESOURCES);
  EXPECT_TRUE(sections->failed());
  EXPECT_TRUE(sections->GrowHead(256).ok());
  EXPECT_TRUE(sections->failed()) << "until it is forgotten";
  // Sizes near the largest do not wrap around when rounded.
  EXPECT_FALSE(SectionBuffer::Persistent(~size_t{0} - 3, "all").ok());
}

TEST(ArenaSectionsTest, WhatIsCountedComesFromTheSystem) {
  const auto sections = std::make_shared<ArenaSections>();
  EXPECT_FALSE(sections->is_real());
  EXPECT_EQ(sections->needed_bytes(), 0u);
  const ScopedArenaSections scope(sections);
  const auto a = SectionBuffer::Persistent(100, "a");
  ASSERT_TRUE(a.ok());
  std::memset(a->data(), 1, 100);
  EXPECT_TRUE(IsAligned(*a));
  EXPECT_EQ(sections->arena().tail_bytes(), 128u);
}

TEST(ArenaSectionsTest, AMovedPieceEndsOnce) {
  const auto sections = Real(1024);
  const ScopedArenaSections scope(sections);
  auto a = SectionBuffer::Persistent(64, "a");
  auto t = SectionBuffer::Temporary(64, "t");
  ASSERT_TRUE(a.ok() && t.ok());
  void* const at = a->data();
  {
    SectionBuffer b = std::move(*a);
    EXPECT_EQ(b.data(), at);
    EXPECT_EQ(a->data(), nullptr);
    EXPECT_EQ(sections->arena().tail_bytes(), 64u);
    SectionBuffer moved = std::move(*t);
    EXPECT_EQ(moved.data(), buffer);
    EXPECT_EQ(sections->arena().temporary_bytes(), 64u);
  }
  EXPECT_EQ(sections->arena().tail_bytes(), 0u);
  EXPECT_EQ(sections->arena().temporary_bytes(), 0u);
  // The same for memory from the system.
  SectionBuffer kept;
  {
    const ScopedArenaSections none(nullptr);
    auto k = SectionBuffer::Persistent(8, "k");
    kept = std::move(*k);
  }
  EXPECT_NE(kept.data(), nullptr);
  EXPECT_FALSE(IsInBuffer(kept));
}

// Makes the same calls for counting, and then in a buffer of the counted size.
bool UseAll(const std::shared_ptr<ArenaSections>& sections, bool tail) {
  const ScopedArenaSections scope(sections);
  if (!sections->GrowHead(200).ok()) return false;
  auto t = SectionBuffer::Temporary(300, "t");
  if (!t.ok()) return false;
  if (!tail) return true;
  auto p = SectionBuffer::Persistent(70, "p");
  return p.ok();
}

TEST(ArenaSectionsTest, NeededBytesAreEnoughAndNotTooMany) {
  for (const bool tail : {false, true}) {
    const auto counting = std::make_shared<ArenaSections>();
    ASSERT_TRUE(UseAll(counting, tail));
    const size_t needed = counting->needed_bytes();
    // 200 rounded up to 256, and 300; with a tail, up to a boundary, and 128.
    EXPECT_EQ(needed, tail ? 704u : 556u);
    EXPECT_TRUE(UseAll(Real(needed), tail));
    EXPECT_FALSE(UseAll(Real(needed - 1), tail));
  }
}

TEST(ArenaSectionsTest, CountsOnTopOfWhatIsThere) {
  const auto sections = Real(2000);  // ends 16 bytes after a boundary
  const ScopedArenaSections scope(sections);
  ASSERT_TRUE(sections->GrowHead(100).ok());
  const auto p = SectionBuffer::Persistent(64, "p");
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(sections->arena().tail_bytes(), 64u + 16);
  const auto more =
      std::make_shared<ArenaSections>(*sections, ArenaSections::kCount);
  EXPECT_FALSE(more->is_real());
  EXPECT_EQ(more->arena().head_bytes(), 100u);
  EXPECT_EQ(more->arena().tail_bytes(), 64u);
  EXPECT_EQ(more->needed_bytes(), 192u);

  const auto no_tail = Real(2000);
  ASSERT_TRUE(no_tail->GrowHead(100).ok());
  const ArenaSections copy(*no_tail, ArenaSections::kCount);
  EXPECT_EQ(copy.arena().tail_bytes(), 0u);
  EXPECT_EQ(copy.needed_bytes(), 100u) << "nothing to align at the end";
}

}  // namespace
}  // namespace mace::memory
