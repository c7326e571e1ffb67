// Kernels with weights stored in 16-bit types, on every code path of the CPU.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/base/cpu_features.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// The largest error of rounding inputs to bf16 (by up to 2^-9), relative to the
// largest output, in short random sums like these.
constexpr float kBf16 = 1e-2f;

// A tenth of the bound of products and sums in fp16 (docs/model_format.md).
constexpr float kFp16 = 128 * 0x1p-11f / 10;

// `tolerance` is for CPUs that do not multiply fp16: they convert the weights
// to float.
void CheckStored(OpCase c, float tolerance) {
  if ((DetectCpuFeatures() & kCpuFp16) != 0) tolerance = kFp16;
  const TestTensor weight = c.inputs[1];
  c.inputs[1] = StoredAs(DataType::kF16, weight);
  CheckOp(c, tolerance);
  c.inputs[1] = StoredAs(DataType::kBF16, weight);
  CheckOp(c, kBf16);
}

TEST(StoredFp16, Conv2d) {
  for (int64_t kernel : {1, 3}) {
    for (int64_t channels : {1, 16, 33, 800}) {
      for (int64_t outputs : {1, 32, 47}) {
        SCOPED_TRACE(ToString(Shape{kernel, channels, outputs}));
        CheckStored({"Conv2d",
                     {{"activation", "RELU"}, {"padding", int64_t{1}}},
                     {RandomF32({1, 7, 5, channels}, 1),
                      RandomF32({outputs, channels, kernel, kernel}, 2),
                      Const(RandomF32({outputs}, 3))}},
                    2e-5f);
      }
    }
  }
}

TEST(StoredFp16, Conv2dGroupsAndStrides) {
  for (int64_t channels : {3, 258}) {  // 258 has several depth blocks
    CheckStored({"Conv2d",
                 {{"strides", Ints{2, 1}},
                  {"group", int64_t{2}},
                  {"padding", int64_t{1}}},
                 {RandomF32({2, 6, 17, 2 * channels}, 4),
                  RandomF32({10, channels, 3, 3}, 5)}},
                2e-5f);
  }
}

TEST(StoredFp16, DepthwiseConv2d) {
  for (int64_t multiplier : {1, 2}) {
    CheckStored(
        {"DepthwiseConv2d",
         {{"padding", int64_t{1}}},
         {RandomF32({1, 9, 9, 19}, 6), RandomF32({multiplier, 19, 3, 3}, 7)}},
        1e-5f);
  }
}

TEST(StoredFp16, Deconv2d) {
  CheckStored({"Deconv2d",
               {{"strides", Ints{2, 2}}, {"padding", int64_t{1}}},
               {RandomF32({1, 5, 6, 9}, 8), RandomF32({7, 9, 3, 3}, 9)}},
              1e-5f);
}

TEST(StoredFp16, FullyConnected) {
  for (int64_t batch : {1, 5}) {
    CheckStored({"FullyConnected",
                 {},
                 {RandomF32({batch, 70}, 10), RandomF32({33, 70}, 11)}},
                1e-5f);
  }
}

TEST(StoredFp16, MatMul) {
  for (int64_t transpose : {0, 1}) {
    CheckStored(
        {"MatMul",
         {{"transpose_b", transpose}},
         {RandomF32({2, 3, 21}, 12),
          RandomF32(transpose ? Shape{2, 8, 21} : Shape{2, 21, 8}, 13)}},
        1e-5f);
  }
}

const char* MicroKernelFor(DataType stored, CpuFeatures features) {
  Operand b;
  b.stored = stored;
  CpuContext context;
  context.features = features;
  return cpu::ChooseGemm(b, {100}, context).name;
}

TEST(StoredFp16, MicroKernel) {
  EXPECT_STREQ(MicroKernelFor(DataType::kBF16, 0), "gemm_f32_4x4__scalar");
}

#if defined(__x86_64__)
struct ChosenKernel {
  DataType stored;
  CpuFeatures features;
  const char* name;
};

class StoredFp16OnX86 : public ::testing::TestWithParam<ChosenKernel> {};

TEST_P(StoredFp16OnX86, MicroKernel) {
  const auto& [stored, features, name] = GetParam();
  if ((features & ~kCpuAmd & ~DetectCpuFeatures()) != 0) {
    GTEST_SKIP() << "this CPU: has not all instructions of this choice";
  }
  EXPECT_STREQ(MicroKernelFor(stored, features), name);
}

// Having the instructions for bf16 does not make them fast.
INSTANTIATE_TEST_SUITE_P(
    All, StoredFp16OnX86,
    ::testing::Values(
        ChosenKernel{DataType::kBF16, kCpuAvx512, "gemm_f32_14x32__avx512"},
        ChosenKernel{DataType::kBF16, kCpuAvx512 | kCpuAvx512Bf16,
                     "gemm_f32_14x32__avx512"},
        ChosenKernel{DataType::kBF16, kCpuAvx512 | kCpuAvx512Bf16 | kCpuAmd,
                     "gemm_bf16_14x32__avx512bf16"},
        ChosenKernel{DataType::kF16, kCpuAvx512 | kCpuAvx512Bf16,
                     "gemm_f32_14x32__avx512"}));
#endif

}  // namespace
}  // namespace mace::testing
