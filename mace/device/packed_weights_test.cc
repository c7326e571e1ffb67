// Weights that are packed, kept and packed ahead.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/packed_weights.h"

#include <gtest/gtest.h>

#include <cstring>

namespace mace {
namespace {

struct Counter {
  int packed = 0;
  Status operator()(void* to) {
    ++packed;
    std::memset(to, 1, 8);
    return Status();
  }
};

TEST(PackedWeights, PacksOnceForEachArrangement) {
  PackedWeights weights;
  Counter count;
  const auto fill = [&](void* to) { return count(to); };
  const auto first = *weights.GetOrPack(0, "a", 8, fill);
  EXPECT_EQ(*weights.GetOrPack(0, "a", 8, fill), first);
  EXPECT_EQ(count.packed, 1);
  EXPECT_NE(*weights.GetOrPack(0, "b", 8, fill), first);
  EXPECT_NE(*weights.GetOrPack(1, "a", 8, fill), first);
  EXPECT_EQ(count.packed, 3);
  EXPECT_EQ(weights.total_bytes(), 24);
  // For other parts of the weight.
  EXPECT_NE(*weights.GetOrPack(0, "a", 16, fill), first);
  EXPECT_EQ(count.packed, 4);
  (void)weights.GetOrPack(-1, "a", 8, fill);
  EXPECT_EQ(weights.count(), 3);
}

TEST(PackedWeights, AFailureIsNotKept) {
  PackedWeights weights;
  const auto fails = [](void*) { return OutOfResources("no"); };
  EXPECT_FALSE(weights.GetOrPack(0, "a", 8, fails).ok());
  EXPECT_FALSE(weights.Has(0));
}

TEST(PackedWeights, UsesPrepackedWeights) {
  PackedWeights weights;
  Counter count;
  const auto fill = [&](void* to) { return count(to); };
  const auto ahead = std::make_shared<int64_t>(3);
  weights.AddPacked(0, "a", "w", ahead, 8);
  EXPECT_EQ(*weights.GetOrPack(0, "a", 8, fill), ahead);
  EXPECT_EQ(*weights.GetOrPack(0, "a", 8, fill), ahead);
  EXPECT_EQ(count.packed, 0);
  EXPECT_EQ(weights.total_bytes(), 0) << "it is part of the file";
  EXPECT_FALSE(weights.Has(0));
  EXPECT_NE(*weights.GetOrPack(0, "b", 8, fill), ahead);
  EXPECT_TRUE(weights.Has(0));
}

TEST(PackedWeights, AnotherSizeIsAnError) {
  PackedWeights weights;
  Counter count;
  weights.AddPacked(0, "a", "w", std::make_shared<int64_t>(3), 8);
  const auto got =
      weights.GetOrPack(0, "a", 9, [&](void* to) { return count(to); });
  EXPECT_EQ(got.status().code(), Status::MACE_INVALID_MODEL);
  EXPECT_NE(got.status().information().find(
                "weight 'w' packed as 'a' has 8 bytes, its kernel needs 9"),
            std::string::npos);
}

// Plain bytes are verified before they are packed, if the model has the weight
// packed otherwise.
TEST(PackedWeights, VerifiesWhatItPacksAgain) {
  PackedWeights weights;
  Counter count;
  int verified = 0;
  Status answer;
  const auto fill = [&](void* to) { return count(to); };
  weights.AddPacked(0, "a", "w", std::make_shared<int64_t>(3), 8);
  weights.SetVerify([&] {
    ++verified;
    return answer;
  });
  EXPECT_TRUE(weights.GetOrPack(0, "a", 8, fill).ok());
  EXPECT_TRUE(weights.GetOrPack(1, "a", 8, fill).ok());
  EXPECT_EQ(verified, 0);
  EXPECT_TRUE(weights.GetOrPack(0, "b", 8, fill).ok());
  EXPECT_EQ(verified, 1);
  answer = InvalidModel("damaged");
  EXPECT_EQ(weights.GetOrPack(0, "c", 8, fill).status().information(),
            "damaged");
}

}  // namespace
}  // namespace mace
