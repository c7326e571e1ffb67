// AssignImages: tensors that live together have different images.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/assign_images.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mace/plan/stages/layout.h"
#include "mace/plan/stages/storage.h"
#include "mace/plan/testing/fake_device.h"

namespace mace {
namespace {

using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;
using testing::Random;

// Returns a plan on a device with images, whose locations come from
// AssignStorage.
struct Fixture {
  Fixture() { maker.device = &gpu; }

  int Add(const std::vector<int>& inputs, int64_t elements, DataType dtype,
          std::vector<Extent2D> scratch = {}, bool renames = false) {
    KernelProperties properties;
    properties.takes_images = properties.gives_images = true;
    properties.image_dtype = dtype;
    properties.scratch_images = std::move(scratch);
    properties.renames_only = renames;
    return maker.AddOne("Gpu", inputs, {elements}, properties);
  }
  Status Assign() {
    MACE_RETURN_IF_ERROR(InsertConverts(maker.plan));
    storage = AssignStorage(maker.plan, MemorySavings());
    maker.plan.locations = storage.locations;
    // As AssignMemory does, removes steps that only rename.
    std::vector<Step> steps;
    for (size_t s = 0; s < maker.plan.steps.size(); ++s) {
      if (!storage.elided[s]) steps.push_back(std::move(maker.plan.steps[s]));
    }
    maker.plan.steps = std::move(steps);
    return AssignImages(maker.plan);
  }

  FakeDevice gpu{"GPU"};
  PlanMaker maker;
  Storage storage;
};

TEST(AssignImages, NothingWithoutImages) {
  PlanMaker maker;
  maker.Output(maker.AddOne("Cpu", {maker.Input({4})}, {4}));
  EXPECT_TRUE(AssignImages(maker.plan).ok());
  EXPECT_TRUE(maker.plan.images.empty());
  EXPECT_EQ(maker.plan.image_bytes, 0);
}

TEST(AssignImages, AChainTakesTwo) {
  Fixture f;
  int at = f.maker.Input({10});
  for (int i = 0; i < 5; ++i) at = f.Add({at}, 10, DataType::kF32);
  f.maker.Output(at);
  ASSERT_TRUE(f.Assign().ok());
  ASSERT_EQ(f.maker.plan.images.size(), 2u);
  for (const ImageType& image : f.maker.plan.images) {
    EXPECT_EQ(image.extent.width, 10);
    EXPECT_EQ(image.extent.height, 1);
    EXPECT_EQ(image.dtype, DataType::kF32);
  }
  EXPECT_EQ(f.maker.plan.image_bytes, 2 * 10 * 16);
}

TEST(AssignImages, PixelsOfFp16TakeHalfTheBytes) {
  Fixture f;
  f.gpu.its_image_dtype = DataType::kF16;
  f.maker.Output(f.Add({f.maker.Input({10})}, 20, DataType::kF16));
  ASSERT_TRUE(f.Assign().ok());
  EXPECT_EQ(f.maker.plan.image_bytes, (10 + 20) * 8);
}

TEST(AssignImages, ErrorsOfTheDeviceEndIt) {
  Fixture f;
  f.gpu.its_max_extent = {8, 1};
  f.maker.Output(f.Add({f.maker.Input({10})}, 4, DataType::kF32));
  const Status status = f.Assign();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.information().find("'v0'"), std::string::npos)
      << status.information();

  Fixture g;
  const int x = g.maker.Input({10}, DataType::kI32);
  g.gpu.its_image_dtype = DataType::kI32;
  g.maker.Output(g.Add({x}, 4, DataType::kF16));
  EXPECT_EQ(g.Assign().information(), "no image of numbers");
}

TEST(AssignImages, RandomPlans) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Fixture f;
    std::vector<int> values = {f.maker.Input({random.Between(1, 30)})};
    for (int n = random.Between(1, 10); n > 0; --n) {
      std::vector<int> inputs = {values.back()};
      if (random.OneIn(2)) inputs.push_back(random.Of(values));
      if (random.OneIn(5)) inputs.push_back(-1);
      std::vector<Extent2D> scratch;
      for (int k = random.OneIn(3) ? random.Between(1, 2) : 0; k > 0; --k) {
        scratch.push_back({random.Between(1, 30), 1});
      }
      const bool renames = random.OneIn(6);
      const int64_t elements =
          renames ? f.maker.plan.graph.values[inputs[0]].type.shape[0]
                  : random.Between(1, 30);
      values.push_back(f.Add(inputs, elements,
                             random.OneIn(2) ? DataType::kF16 : DataType::kF32,
                             scratch, renames));
      if (random.OneIn(5)) f.maker.Output(values.back());
    }
    f.maker.Output(values.back());
    ASSERT_TRUE(f.Assign().ok());

    // The first and last use of each image, by groups of values and by scratch.
    const Plan& plan = f.maker.plan;
    struct Use {
      int image;
      size_t first, last;
    };
    std::vector<Use> uses;
    std::vector<int> use_of_root(plan.graph.values.size(), -1);
    const auto check_fits = [&](int image, Extent2D extent, DataType dtype) {
      ASSERT_LT(static_cast<size_t>(image), plan.images.size());
      EXPECT_GE(plan.images[image].extent.width, extent.width);
      EXPECT_GE(plan.images[image].extent.height, extent.height);
      EXPECT_EQ(plan.images[image].dtype, dtype);
    };
    const auto touch = [&](int id, size_t step) {
      const Value& value = plan.graph.values[id];
      if (value.type.layout != Layout::kImage) return;
      const Location& location = plan.locations[id];
      ASSERT_EQ(location.kind, Location::kImage);
      EXPECT_EQ(location.offset, 0);
      check_fits(location.index, {NumElements(value.type.shape), 1},
                 value.type.dtype);
      int& use = use_of_root[f.storage.root[id]];
      if (use < 0) {
        use = static_cast<int>(uses.size());
        uses.push_back({location.index, step, step});
      }
      EXPECT_EQ(uses[use].image, location.index);
      uses[use].last = step;
    };
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      const Step& step = plan.steps[s];
      const GraphNode& g = plan.graph.nodes[step.node];
      for (int id : g.inputs) {
        if (id >= 0) touch(id, s);
      }
      for (int id : g.outputs) touch(id, s);
      const std::vector<Extent2D> scratch = step.kernel->scratch_images();
      ASSERT_EQ(step.images.size(), scratch.size());
      for (size_t k = 0; k < scratch.size(); ++k) {
        check_fits(step.images[k], scratch[k], step.kernel->image_dtype());
        uses.push_back({step.images[k], s, s});
      }
    }
    for (size_t a = 0; a < uses.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        EXPECT_FALSE(uses[a].image == uses[b].image &&
                     uses[a].first <= uses[b].last &&
                     uses[b].first <= uses[a].last);
      }
    }
    int64_t bytes = 0;
    for (const ImageType& image : plan.images) {
      bytes += image.extent.width * image.extent.height *
               (image.dtype == DataType::kF16 ? 8 : 16);
    }
    EXPECT_EQ(plan.image_bytes, bytes);
  }
}

}  // namespace
}  // namespace mace
