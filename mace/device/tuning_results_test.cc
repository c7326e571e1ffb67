// Tuning results: found again, and only where they fit.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/tuning_results.h"

#include <gtest/gtest.h>

namespace mace {
namespace {

using Numbers = std::vector<int64_t>;

class MapStorage final : public KVStorage {
 public:
  int Load() override { return 0; }
  bool Insert(const std::string& key,
              const std::vector<unsigned char>& value) override {
    pairs[key] = value;
    return true;
  }
  const std::vector<unsigned char>* Find(const std::string& key) override {
    const auto it = pairs.find(key);
    return it == pairs.end() ? nullptr : &it->second;
  }
  int Flush() override {
    ++flushes;
    return flush_result;
  }

  std::map<std::string, std::vector<unsigned char>> pairs;
  int flushes = 0;
  int flush_result = 0;
};

TEST(TuningResults, AreFoundAgain) {
  const auto store = std::make_shared<MapStorage>();
  TuningResults first("gpu", {}, store);
  EXPECT_TRUE(first.Find("conv").empty());
  first.Insert("conv", {4, -7, int64_t{1} << 40});
  EXPECT_EQ(first.Find("conv"), (Numbers{4, -7, int64_t{1} << 40}));
  first.Flush();
  first.Flush();
  EXPECT_EQ(store->flushes, 1);
  TuningResults second("gpu", {}, store);
  EXPECT_EQ(second.Find("conv"), (Numbers{4, -7, int64_t{1} << 40}));
  EXPECT_TRUE(second.Find("pool").empty());
}

TEST(TuningResults, AreOfOneDevice) {
  const auto store = std::make_shared<MapStorage>();
  TuningResults("driver 1", {}, store).Insert("conv", {1});
  EXPECT_TRUE(TuningResults("driver 2", {}, store).Find("conv").empty());
}

TEST(TuningResults, AreReadFromGivenStoresAndKeptInTheOther) {
  const auto given = std::make_shared<MapStorage>();
  const auto kept = std::make_shared<MapStorage>();
  TuningResults("gpu", {}, given).Insert("conv", {1});
  TuningResults results("gpu", {given}, kept);
  EXPECT_EQ(results.Find("conv"), Numbers{1});
  results.Insert("pool", {2});
  EXPECT_EQ(given->pairs.size(), 1u);
  EXPECT_EQ(kept->pairs.size(), 1u);
}

// Every byte, and every length.
TEST(TuningResults, DamagedOnesAreNotFound) {
  const auto store = std::make_shared<MapStorage>();
  TuningResults("gpu", {}, store).Insert("conv", {1, 2});
  const std::vector<unsigned char> good = store->pairs.begin()->second;
  auto& value = store->pairs.begin()->second;
  for (size_t i = 0; i < good.size(); ++i) {
    value = good;
    value[i] ^= 0x20;
    EXPECT_TRUE(TuningResults("gpu", {}, store).Find("conv").empty());
    value.assign(good.begin(), good.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_TRUE(TuningResults("gpu", {}, store).Find("conv").empty());
  }
  value = good;
  EXPECT_FALSE(TuningResults("gpu", {}, store).Find("conv").empty());
}

TEST(TuningResults, LiveWithoutAStoreAndWithOneThatCannotBeWritten) {
  TuningResults none("gpu", {}, nullptr);
  none.Insert("conv", {1});
  none.Flush();
  EXPECT_EQ(none.Find("conv"), Numbers{1});
  const auto full = std::make_shared<MapStorage>();
  full->flush_result = -1;
  TuningResults results("gpu", {}, full);
  results.Insert("conv", {1});
  results.Flush();
  EXPECT_EQ(results.Find("conv"), Numbers{1});
}

}  // namespace
}  // namespace mace
