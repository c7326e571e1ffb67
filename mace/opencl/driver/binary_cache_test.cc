// Stored programs are found again, and only by the device that they are for.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/binary_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace mace::opencl {
namespace {

using Pairs = std::map<std::string, std::vector<unsigned char>>;

// A store whose contents stay in `pairs` when it is destroyed.
class MapStorage final : public KVStorage {
 public:
  explicit MapStorage(Pairs* pairs, int result = 0)
      : pairs_(pairs), result_(result) {}
  int Load() override { return result_; }
  bool Insert(const std::string& key,
              const std::vector<unsigned char>& value) override {
    (*pairs_)[key] = value;
    return true;
  }
  const std::vector<unsigned char>* Find(const std::string& key) override {
    const auto it = pairs_->find(key);
    return it == pairs_->end() ? nullptr : &it->second;
  }
  int Flush() override { return result_; }

 private:
  Pairs* pairs_;
  int result_;
};

DeviceInfo Info(const std::string& driver) {
  DeviceInfo info;
  info.platform = "platform";
  info.name = "device";
  info.driver = driver;
  return info;
}

BinaryCache Make(Pairs* pairs, const std::string& driver = "1") {
  return BinaryCache(Info(driver), {}, std::make_unique<MapStorage>(pairs));
}

TEST(BinaryCache, FindsWhatItKept) {
  Pairs pairs;
  Make(&pairs).Insert("conv2d -DA", {1, 2, 3});
  EXPECT_EQ(Make(&pairs).Find("conv2d -DA"),
            (std::vector<unsigned char>{1, 2, 3}));
  EXPECT_TRUE(Make(&pairs).Find("conv2d -DB").empty());
}

TEST(BinaryCache, ForgetsOnANewDriver) {
  Pairs pairs;
  Make(&pairs).Insert("conv2d", {1, 2, 3});
  EXPECT_TRUE(Make(&pairs, "2").Find("conv2d").empty());
}

// Damages each byte, and cuts the value at each length.
TEST(BinaryCache, HandsNothingDamagedToTheDriver) {
  Pairs pairs;
  Make(&pairs).Insert("conv2d", {1, 2, 3});
  const std::vector<unsigned char> good = pairs.begin()->second;
  for (size_t i = 0; i < good.size(); ++i) {
    pairs.begin()->second = good;
    pairs.begin()->second[i] ^= 0x10;
    EXPECT_TRUE(Make(&pairs).Find("conv2d").empty());
    pairs.begin()->second = {good.begin(), good.begin() + i};
    EXPECT_TRUE(Make(&pairs).Find("conv2d").empty());
  }
  pairs.begin()->second = good;
  EXPECT_FALSE(Make(&pairs).Find("conv2d").empty());
}

TEST(BinaryCache, ReadsPrecompiledFilesFirstAndWritesToTheOther) {
  Pairs precompiled, kept;
  Make(&precompiled).Insert("conv2d", {1});
  std::vector<std::shared_ptr<KVStorage>> read_only;
  read_only.push_back(std::make_unique<MapStorage>(&precompiled));
  BinaryCache cache(Info("1"), std::move(read_only),
                    std::make_unique<MapStorage>(&kept));
  EXPECT_EQ(cache.Find("conv2d"), (std::vector<unsigned char>{1}));
  cache.Insert("pooling", {2});
  EXPECT_EQ(precompiled.size(), 1u);
  EXPECT_EQ(kept.size(), 1u);
  EXPECT_EQ(cache.Find("pooling"), (std::vector<unsigned char>{2}));
}

TEST(BinaryCache, LivesWithoutAStoreAndWithOneThatFails) {
  BinaryCache none(Info("1"), {}, nullptr);
  none.Insert("conv2d", {1});
  none.Flush();
  EXPECT_TRUE(none.Find("conv2d").empty());
  Pairs pairs;
  BinaryCache failing(Info("1"), {}, std::make_unique<MapStorage>(&pairs, -1));
  failing.Insert("conv2d", {1});
  failing.Flush();
  EXPECT_EQ(failing.Find("conv2d"), (std::vector<unsigned char>{1}));
}

}  // namespace
}  // namespace mace::opencl
