// Engines test micro-kernels before they use them, and do without those that
// fail.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/kernel_tests.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "mace/base/cpu_features.h"
#include "mace/public/mace.h"
#include "mace/public/mace_capability.h"
#include "mace/public/mace_runtime.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

// One for all, under whatever key.
std::vector<unsigned char> stored;
int flushed = 0;

class OneStorage : public KVStorage {
 public:
  int Load() override { return 0; }
  bool Insert(const std::string&,
              const std::vector<unsigned char>& value) override {
    stored = value;
    return true;
  }
  const std::vector<unsigned char>* Find(const std::string&) override {
    return stored.empty() ? nullptr : &stored;
  }
  int Flush() override {
    ++flushed;
    return 0;
  }
};

class Factory : public KVStorageFactory {
 public:
  std::unique_ptr<KVStorage> CreateStorage(const std::string&) override {
    return std::make_unique<OneStorage>();
  }
};

std::shared_ptr<MaceEngine> Engine(int64_t channels) {
  std::vector<float> weights(static_cast<size_t>(channels * channels));
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i % 5) - 2;
  }
  ModelBuilder b;
  b.Input("x", {1, 4, 4, channels})
      .Weight("w", {channels, channels, 1, 1}, weights)
      .Op("Conv2d", {"x", "w"}, {"y"},
          {{"strides", std::vector<int64_t>{1, 1}}, {"padding", int64_t{1}}})
      .Output("y");
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

// Of whole numbers, so that every micro-kernel computes the same.
void ExpectRight(MaceEngine& engine, int64_t channels) {
  const auto n = static_cast<size_t>(16 * channels);
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 7) - 3;
  std::map<std::string, MaceTensor> outputs;
  ASSERT_TRUE(
      engine.Run({{"x", FloatTensor({1, 4, 4, channels}, x)}}, &outputs).ok());
  const float* y = outputs.at("y").data().get();
  const auto c = static_cast<size_t>(channels);
  for (size_t i = 0; i < n; ++i) {
    float wanted = 0;
    for (size_t k = 0; k < c; ++k) {
      wanted +=
          x[i / c * c + k] * (static_cast<float>((i % c * c + k) % 5) - 2);
    }
    ASSERT_EQ(y[i], wanted) << i;
  }
}

// As an earlier process kept it: the best rows of this CPU fail. In one test,
// since results belong to the process.
TEST(KernelTests, EnginesUseOthersInPlaceOfThoseThatFail) {
  const std::string kept =
      "gemm_f32_14x32__avx512:illegal instruction\n"
      "gemm_f32_8x48__avx512:wrong numbers\n"
      "gemm_f32_8x8__aarch64:illegal instruction\n";
  stored.assign(kept.begin(), kept.end());
  SetKVStorageFactory(std::make_shared<Factory>());
  const auto engine = Engine(32);
  ASSERT_NE(engine, nullptr);
  ExpectRight(*engine, 32);

  std::map<std::string, MaceKernelTest> tests;
  for (const MaceKernelTest& test : GetKernelTests()) {
    tests[test.kernel] = test;
  }
  EXPECT_FALSE(tests.empty());
  std::string plan;
  ASSERT_TRUE(engine->Dump("plan", &plan).ok());
  const CpuFeatures features = DetectCpuFeatures();
#if defined(__aarch64__)
  const std::string first = "gemm_f32_8x8__aarch64",
                    last = "gemm_f32_4x8__neon";
#else
  const std::string first = "gemm_f32_14x32__avx512",
                    last = "gemm_f32_6x16__avx2";
  if ((features & kCpuAvx512) == 0) {
    GTEST_SKIP() << "this CPU: has no AVX-512";
  }
#endif
  (void)features;
  EXPECT_EQ(plan.find(first), std::string::npos) << plan;
  EXPECT_EQ(tests[first].reason, "illegal instruction");
  EXPECT_EQ(tests[last].reason, "");
  EXPECT_EQ(tests[last].kernel, last);

  // What was found now is kept, too, once.
  const std::string now(stored.begin(), stored.end());
  EXPECT_NE(now.find(last + ":\n"), std::string::npos) << now;
  EXPECT_NE(now.find(first + ":illegal instruction\n"), std::string::npos);
  const int before = flushed;
  const auto another = Engine(32);
  EXPECT_EQ(flushed, before);
  SetKVStorageFactory(nullptr);
}

// A convolution takes few rows, and each is tested once.
TEST(KernelTests, CountsWhatIsTested) {
  const auto first = Engine(32);  // whichever cases ran before this one
  const size_t before = GetKernelTests().size();
  EXPECT_GT(before, 0u);
  EXPECT_LE(before, 8u);
  const auto engine = Engine(32);
  EXPECT_EQ(GetKernelTests().size(), before);
}

// What is behind a NUL is not read, and the micro-kernel is tested.
TEST(KernelTests, ANulEndsWhatIsRemembered) {
  RememberKernelTests(std::string("a\0\n", 3));
  EXPECT_TRUE(KernelPasses("b", nullptr, [](const void*) { return true; }));
  RememberKernelTests("");
}

}  // namespace
}  // namespace mace::testing
