// Random pictures become, bit by bit, what the steps on whole pictures make of
// them, by the row kernels of every instruction set.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/converter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/memory_budget.h"
#include "mace/image/testing/random_image.h"
#include "mace/image/testing/reference.h"

namespace {

// By this thread.
thread_local int num_allocations = 0;

}  // namespace

// Inlined, they would look to the compiler as if they did not match.
__attribute__((noinline)) void* operator new(size_t size) {
  ++num_allocations;
  return std::malloc(size);
}
__attribute__((noinline)) void operator delete(void* p) noexcept {
  std::free(p);
}
__attribute__((noinline)) void operator delete(void* p, size_t) noexcept {
  std::free(p);
}

namespace mace::image {
namespace {

using Format = MaceImageFormat;

class ConverterTest : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (!kernels().runs_here()) {
      GTEST_SKIP() << "this CPU: has no " << kernels().name;
    }
  }
  const RowKernels& kernels() const { return *kRowKernels[GetParam()]; }

  void Compare(const MaceImage& image, const MaceImageInput& input) {
    auto converter = Converter::Create(input, kernels());
    ASSERT_TRUE(converter.ok()) << converter.status().information();
    const std::vector<uint8_t> wanted = ReferenceTensor(image, input);
    // In memory of just that size.
    ASSERT_EQ((*converter)->tensor_bytes(), wanted.size());
    const std::unique_ptr<float[]> tensor(new float[wanted.size() / 4 + 1]);
    for (int again = 0; again < 2; ++again) {  // the second one by a kept plan
      std::memset(tensor.get(), 0xee, wanted.size());
      const Status status =
          (*converter)->Convert(image, tensor.get(), wanted.size(), nullptr);
      ASSERT_TRUE(status.ok()) << status.information();
      ASSERT_EQ(std::memcmp(tensor.get(), wanted.data(), wanted.size()), 0)
          << Describe(image, input);
    }
  }
};

std::string NameOf(const testing::TestParamInfo<size_t>& info) {
  return kRowKernels[info.param]->name;
}

INSTANTIATE_TEST_SUITE_P(Isa, ConverterTest,
                         testing::Range(size_t{0}, kNumRowKernels), NameOf);

TEST_P(ConverterTest, SmallPictures) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const RandomImage r = MakeRandomImage(24, &random);
    Compare(r.image, MakeRandomInput(24, &random));
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST_P(ConverterTest, LargerPictures) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed + 1'000'000);
    const RandomImage r = MakeRandomImage(300, &random);
    Compare(r.image, MakeRandomInput(100, &random));
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// All that has more inputs than fit in a group, and many sums in progress.
TEST_P(ConverterTest, ThinPictures) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed + 2'000'000);
    RandomImage r = MakeRandomImage(3, &random);
    MaceImage image;
    image.format = seed % 2 == 0 ? Format::GRAY : Format::RGBA;
    image.width = seed % 4 < 2 ? 5000 : 2;
    image.height = seed % 4 < 2 ? 2 : 5000;
    const std::vector<uint8_t> pixels(40'000, 255);
    image.planes[0] = {pixels.data(), pixels.size(), 0, 0};
    image.orientation = r.image.orientation;
    MaceImageInput input = MakeRandomInput(3, &random);
    Compare(image, input);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Conversion, ThreadsDoNotChangeABit) {
  Random random(7);
  const RandomImage r = MakeRandomImage(200, &random);
  for (int filter = 0; filter < 5; ++filter) {
    MaceImageInput input;
    input.width = 61;
    input.height = 47;
    input.filter = static_cast<MaceImageFilter>(filter);
    std::vector<float> tensors[2];
    for (const int threads : {1, 4}) {
      input.num_threads = threads;
      auto converter = Converter::Create(input, **BestRowKernels());
      ASSERT_TRUE(converter.ok());
      std::vector<float>& tensor = tensors[threads / 4];
      tensor.resize((*converter)->tensor_bytes() / sizeof(float));
      ASSERT_TRUE(
          (*converter)
              ->Convert(r.image, tensor.data(), tensor.size() * 4, nullptr)
              .ok());
    }
    EXPECT_EQ(tensors[0], tensors[1]) << "filter " << filter;
  }
}

// Of the same size as before, a picture allocates nothing: neither in standard
// containers nor in a budget of memory.
TEST(Conversion, AllocatesOnce) {
  for (const auto format : {Format::RGBA, Format::RGB, Format::NV21}) {
    std::vector<uint8_t> pixels(40 * 30 * 4);
    const MaceImage image =
        MaceImageInBuffer(format, pixels.data(), pixels.size(), 40, 30);
    MaceImageInput input;
    input.width = input.height = 20;
    input.num_threads = 2;
    auto converter = Converter::Create(input, **BestRowKernels());
    ASSERT_TRUE(converter.ok());
    std::vector<float> tensor(20 * 20 * 3);
    const auto convert = [&] {
      return (*converter)
          ->Convert(image, tensor.data(), tensor.size() * 4, nullptr);
    };
    const auto nothing = std::make_shared<MemoryBudget>(0);
    {
      const ScopedMemoryBudget scope(nothing);
      EXPECT_EQ(convert().code(), Status::MACE_OUT_OF_RESOURCES);
    }
    ASSERT_TRUE(convert().ok());
    const ScopedMemoryBudget scope(nothing);
    const int before = num_allocations;
    const Status status = convert();
    EXPECT_EQ(num_allocations, before);
    EXPECT_TRUE(status.ok()) << status.information();
  }
}

// The scratch memory is a few rows, however large the picture is.
TEST(Conversion, NoWholePictureInBetween) {
  const int side = 2000;
  std::vector<uint8_t> pixels(size_t{side} * side * 4);
  for (const int orientation : {1, 6}) {
    for (int filter = 0; filter < 5; ++filter) {
      for (const auto format : {Format::BGRA, Format::NV21, Format::RGB}) {
        MaceImage image =
            MaceImageInBuffer(format, pixels.data(), pixels.size(), side, side);
        image.orientation = static_cast<MaceImageOrientation>(orientation);
        MaceImageInput input;
        input.width = input.height = 224;
        input.filter = static_cast<MaceImageFilter>(filter);
        auto converter = Converter::Create(input, **BestRowKernels());
        ASSERT_TRUE(converter.ok());
        std::vector<float> tensor(224 * 224 * 3);
        ASSERT_TRUE(
            (*converter)
                ->Convert(image, tensor.data(), tensor.size() * 4, nullptr)
                .ok());
        EXPECT_LE((*converter)->scratch_bytes(), size_t{side} * 4 * 32)
            << orientation << " " << filter;
      }
    }
  }
}

}  // namespace
}  // namespace mace::image
