// The memory that engines share: how it grows, what it hands out, and what is
// left when an allocation fails.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/memory/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace mace {
namespace {

// Images are integers, which count; those that live are known.
class FakeStorage final : public DeviceStorage {
 public:
  class Image final : public DeviceImages {
   public:
    Image(FakeStorage& storage, const ImageType& type) : storage_(storage) {
      storage_.live[this] = type;
    }
    ~Image() override { storage_.live.erase(this); }
    Buffer at(size_t) const override { return {const_cast<Image*>(this)}; }

   private:
    FakeStorage& storage_;
  };

  Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>& types) override {
    if (fail_from >= 0 && num_created >= fail_from) {
      return OutOfResources("no image");
    }
    EXPECT_EQ(types.size(), 1u);
    ++num_created;
    std::unique_ptr<DeviceImages> image =
        std::make_unique<Image>(*this, types[0]);
    int64_t bytes = 0;
    for (const auto& [live_image, type] : live) bytes += BytesOf(type);
    if (bytes > limit) return OutOfResources("the images do not fit");
    return image;
  }
  NativeHandles native_handles() const override { return {context, nullptr}; }

  Result<KernelPtr> PrepareConvert(const Node&) override { return NotHere(); }
  Result<Extent2D> ImageExtentOf(const TensorType&) const override {
    return NotHere();
  }
  DataType image_dtype() const override { return DataType::kF32; }
  Extent2D max_image_extent() const override { return {}; }
  Status CheckMemory(const DeviceMemory&, const TensorType&) const override {
    return NotHere();
  }
  void UseBuffer(Kernel&, void*) override {}

  static int64_t BytesOf(const ImageType& type) {
    return type.extent.width * type.extent.height *
           (type.dtype == DataType::kF16 ? 8 : 16);
  }
  int64_t live_bytes() const {
    int64_t bytes = 0;
    for (const auto& [image, type] : live) bytes += BytesOf(type);
    return bytes;
  }

  std::map<const Image*, ImageType> live;
  int num_created = 0;
  int fail_from = -1;  // the call from which on they fail
  int64_t limit = 1 << 30;
  void* context = this;

 private:
  static Status NotHere() { return InternalError("a test device"); }
};

ImageType F32(int64_t width, int64_t height) {
  return {{width, height}, DataType::kF32};
}
ImageType F16(int64_t width, int64_t height) {
  return {{width, height}, DataType::kF16};
}

class WorkspaceImages : public ::testing::Test {
 protected:
  // Expects images of these types, different ones, that live.
  void Get(const std::vector<ImageType>& types) {
    const auto images = workspace_.Images(storage_, types);
    ASSERT_TRUE(images.ok()) << images.status().information();
    ASSERT_EQ(images->size(), types.size());
    std::set<void*> different;
    for (size_t i = 0; i < types.size(); ++i) {
      void* const handle = (*images)[i].handle;
      const auto found =
          storage_.live.find(static_cast<FakeStorage::Image*>(handle));
      ASSERT_NE(found, storage_.live.end());
      EXPECT_EQ(found->second.dtype, types[i].dtype);
      EXPECT_GE(found->second.extent.width, types[i].extent.width);
      EXPECT_GE(found->second.extent.height, types[i].extent.height);
      different.insert(handle);
    }
    EXPECT_EQ(different.size(), types.size());
    EXPECT_EQ(workspace_.image_bytes(), storage_.live_bytes());
  }

  FakeStorage storage_;
  Workspace workspace_;
};

TEST_F(WorkspaceImages, ThoseThatFitServeAgain) {
  Get({F32(8, 8), F32(4, 4), F16(8, 8)});
  const uint64_t generation = workspace_.generation();
  const int64_t bytes = workspace_.image_bytes();
  EXPECT_EQ(bytes, 16 * (64 + 16) + 8 * 64);
  // In another order, smaller, and fewer.
  Get({F16(8, 8), F32(4, 4), F32(8, 8)});
  Get({F32(3, 3), F32(8, 7)});
  Get({F16(1, 8)});
  EXPECT_EQ(workspace_.generation(), generation);
  EXPECT_EQ(workspace_.image_bytes(), bytes);
  EXPECT_EQ(storage_.num_created, 3);
}

TEST_F(WorkspaceImages, TheyGrow) {
  Get({F32(8, 8), F32(4, 4)});
  const uint64_t generation = workspace_.generation();
  Get({F32(8, 9)});
  EXPECT_NE(workspace_.generation(), generation);
  EXPECT_EQ(workspace_.image_bytes(), 16 * (72 + 16));
  // One of those that are left grows; a new one is made where growing would
  // waste more.
  Get({F32(8, 9), F32(4, 5), F32(100, 1)});
  EXPECT_EQ(workspace_.image_bytes(), 16 * (72 + 20 + 100));
}

TEST_F(WorkspaceImages, NeverMoreThanTheSum) {
  const std::vector<std::vector<ImageType>> plans = {
      {F32(100, 10), F32(30, 30), F16(7, 7)},
      {F32(10, 100), F16(70, 7), F16(7, 70)},
      {F32(50, 50)},
      {F32(1, 1), F32(2, 2), F32(3, 3), F32(4, 4)}};
  int64_t sum = 0, largest = 0;
  for (const auto& plan : plans) {
    int64_t bytes = 0;
    for (const ImageType& type : plan) bytes += FakeStorage::BytesOf(type);
    sum += bytes;
    largest = std::max(largest, bytes);
  }
  for (const auto& plan : plans) Get(plan);
  EXPECT_LE(workspace_.image_bytes(), sum);
  EXPECT_GE(workspace_.image_bytes(), largest);
  // All of them are served now, in any order.
  const uint64_t generation = workspace_.generation();
  for (size_t i = plans.size(); i-- > 0;) Get(plans[i]);
  EXPECT_EQ(workspace_.generation(), generation);
}

TEST_F(WorkspaceImages, OfAnotherContextAreOthers) {
  Get({F32(8, 8)});
  int other = 0;
  storage_.context = &other;
  const uint64_t generation = workspace_.generation();
  Get({F32(4, 4)});
  EXPECT_NE(workspace_.generation(), generation);
  EXPECT_EQ(workspace_.image_bytes(), 16 * 16);
}

// A plan that fits alone is not refused because of another plan's images.
TEST_F(WorkspaceImages, OthersMakeRoom) {
  storage_.limit = 16 * 100;
  Get({F32(10, 10)});
  Get({F16(10, 20)});
  EXPECT_EQ(workspace_.image_bytes(), 8 * 200);
}

TEST_F(WorkspaceImages, AFailureLeavesNone) {
  for (int n = 0; n < 3; ++n) {
    Get({F32(8, 8)});
    const uint64_t generation = workspace_.generation();
    storage_.fail_from = storage_.num_created + n;
    const auto images =
        workspace_.Images(storage_, {F32(20, 20), F32(8, 8), F32(8, 8)});
    EXPECT_EQ(images.status().code(), Status::MACE_OUT_OF_RESOURCES);
    EXPECT_EQ(workspace_.image_bytes(), 0);
    EXPECT_TRUE(storage_.live.empty());
    EXPECT_NE(workspace_.generation(), generation);
    storage_.fail_from = -1;
  }
}

TEST_F(WorkspaceImages, ReleaseFreesThem) {
  Get({F32(8, 8)});
  const uint64_t generation = workspace_.generation();
  workspace_.Release();
  EXPECT_TRUE(storage_.live.empty());
  EXPECT_EQ(workspace_.image_bytes(), 0);
  EXPECT_NE(workspace_.generation(), generation);
  Get({F32(8, 8)});
}

TEST(WorkspaceArena, GrowsInPlaceOfTheFormer) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  const ScopedMemoryBudget scope(budget);
  Workspace workspace;
  const auto first = workspace.Arena(600);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*workspace.Arena(100), *first);
  EXPECT_EQ(workspace.arena_bytes(), 600);
  // Both together would be too much.
  ASSERT_TRUE(workspace.Arena(800).ok());
  EXPECT_EQ(budget->used(), 800);
  const auto too_large = workspace.Arena(1001);
  EXPECT_EQ(too_large.status().code(), Status::MACE_OUT_OF_RESOURCES);
  EXPECT_EQ(workspace.arena_bytes(), 0);
  EXPECT_EQ(budget->used(), 0);
  EXPECT_TRUE(workspace.Arena(100).ok());
  workspace.Release();
  EXPECT_EQ(budget->used(), 0);
}

// The memory counts for the engine that let it grow.
TEST(WorkspaceArena, CountsForTheBudgetThatItGrewIn) {
  const auto small = std::make_shared<MemoryBudget>(100);
  const auto large = std::make_shared<MemoryBudget>(1000);
  Workspace workspace;
  {
    const ScopedMemoryBudget scope(small);
    ASSERT_TRUE(workspace.Arena(100).ok());
  }
  {
    const ScopedMemoryBudget scope(large);
    ASSERT_TRUE(workspace.Arena(900).ok());
  }
  EXPECT_EQ(small->used(), 0);
  EXPECT_EQ(large->used(), 900);
  const ScopedMemoryBudget scope(small);
  EXPECT_TRUE(workspace.Arena(100).ok());
  EXPECT_EQ(large->used(), 900);
}

TEST(WorkspaceTurn, MemoryInUseIsReleasedBeforeTheNextTurn) {
  Workspace workspace;
  {
    const Workspace::Lease lease(workspace);
    ASSERT_TRUE(workspace.Arena(100).ok());
    std::thread([&] { workspace.ReleaseSoon(); }).join();
    EXPECT_EQ(workspace.arena_bytes(), 100);
  }
  const Workspace::Lease lease(workspace);
  EXPECT_EQ(workspace.arena_bytes(), 0);
}

TEST(WorkspaceTurn, MemoryThatIsFreeIsReleasedAtOnce) {
  Workspace workspace;
  {
    const Workspace::Lease lease(workspace);
    ASSERT_TRUE(workspace.Arena(100).ok());
  }
  workspace.ReleaseSoon();
  EXPECT_EQ(workspace.arena_bytes(), 0);
}

}  // namespace
}  // namespace mace
