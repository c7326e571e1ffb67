// Reading cache sizes from systems that describe them well, badly or not at
// all.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/cache_sizes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mace::cpu {
namespace {

class CacheSizesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/caches" + std::to_string(::getpid());
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Add(int core, int index, const std::string& level,
           const std::string& type, const std::string& size,
           const std::string& ways) {
    const std::string folder = root_ + "/cpu" + std::to_string(core) +
                               "/cache/index" + std::to_string(index);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/level") << level << '\n';
    std::ofstream(folder + "/type") << type << '\n';
    std::ofstream(folder + "/size") << size << '\n';
    std::ofstream(folder + "/ways_of_associativity") << ways << '\n';
  }
  void AddCore(int core, const std::string& l1, const std::string& ways,
               const std::string& l2) {
    Add(core, 0, "1", "Data", l1, ways);
    Add(core, 1, "1", "Instruction", "16K", "2");
    Add(core, 2, "2", "Unified", l2, "16");
    Add(core, 3, "3", "Unified", "32768K", "16");
  }
  std::string Read() const { return ToList(ReadCacheSizes(root_)); }

  std::string root_;
};

TEST_F(CacheSizesTest, OfOneKindOfCore) {
  AddCore(0, "48K", "12", "2048K");
  AddCore(1, "48K", "12", "2M");
  EXPECT_EQ(Read(), "49152,12,2097152,33554432");
  EXPECT_EQ(ReadCacheSizes(root_).way_bytes(), 4096);
}

// Blocks must fit wherever a thread runs.
TEST_F(CacheSizesTest, TheSmallestOfSeveralKinds) {
  AddCore(0, "64K", "4", "1024K");
  AddCore(1, "32K", "4", "256K");
  AddCore(2, "64K", "4", "512K");
  EXPECT_EQ(Read(), "32768,4,262144,33554432");
}

TEST_F(CacheSizesTest, WithoutAThirdLevel) {
  Add(0, 0, "1", "Data", "32K", "4");
  Add(0, 1, "2", "Unified", "512K", "16");
  EXPECT_EQ(Read(), "32768,4,524288,0");
}

// Missing files, malformed numbers, levels without ways, or values out of
// range: the sizes are usable nevertheless, and none is a zero to divide by.
TEST_F(CacheSizesTest, OfSystemsThatDoNotTell) {
  const auto check = [this] {
    const CacheSizes caches = ReadCacheSizes(root_);
    EXPECT_GE(caches.way_bytes(), 64) << ToList(caches);
    EXPECT_EQ(caches.l1 % caches.l1_ways, 0);
    EXPECT_GE(caches.l2, 32 << 10);
  };
  check();
  for (const char* size : {"", "large", "-1K", "0K", "32", "99999999999999K"}) {
    for (const char* ways : {"", "0", "-4", "3000000", "7", "8"}) {
      SCOPED_TRACE(std::string(size) + " " + ways);
      AddCore(0, size, ways, size);
      check();
      AddCore(0, "32K", ways, "1M");
      check();
    }
  }
}

TEST_F(CacheSizesTest, AsText) {
  const CacheSizes some = {48 << 10, 12, 2 << 20, 0};
  const auto again = ParseCacheSizes(ToList(some));
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(*again == some);
  for (const char* wrong :
       {"", "1", "32768,8,1048576", "32768,8,1048576,1,", "32768,0,1048576,1",
        "32768;8;1048576;1", "32768,7,1048576,1", "1,1,1,1",
        "32768,8,1048576,-1", "32768,8,1048576,1x"}) {
    EXPECT_FALSE(ParseCacheSizes(wrong).has_value()) << wrong;
  }
}

TEST(CacheSizes, OfThisMachine) {
  const CacheSizes& caches = DetectCacheSizes();
  EXPECT_GT(caches.way_bytes(), 0);
  EXPECT_GE(caches.l2, caches.l1);
}

}  // namespace
}  // namespace mace::cpu
