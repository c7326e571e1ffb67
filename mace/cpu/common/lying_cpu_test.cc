// A CPU that claims to have all instruction sets: rows that it cannot run are
// passed over. test/arm/lying_cpu_test.py runs this on emulated CPUs that lack
// many.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "mace/base/kernel_tests.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/ukernels/testing/all_tables.h"

namespace mace::cpu {
namespace {

constexpr CpuFeatures kClaimed = ~CpuFeatures{0};

// The rows that are chosen.
template <typename F>
void ForEachChosenRow(const F& f) {
  for (const GemmTypes& types : {kGemmF32, kGemmBf16, kGemmF16, kGemmF16Rows}) {
    f(BestGemm(types, kClaimed));
  }
  for (const GemmTypes& types : {kGemmQ4, kGemmQ4Zero, kGemmW8}) {
    f(BestGemmOfBlocks(types, kClaimed));
  }
  f(BestGemmQ8(-128, kClaimed));
  f(BestGemmQ8(-127, kClaimed));
  const auto first = [&f](const auto& table) { f(ChooseRow(table, kClaimed)); };
  first(kGemvF32);
  first(kGemvQ8);
  first(kDwconvF32);
  first(kDwconvF16);
  first(kDwconvQ8);
  first(kWinogradF32);
  first(kWinogradQ8);
  first(kPoolF32);
  first(kPoolF16);
  first(kMaxpoolQ8);
  first(kAvgpoolQ8);
  first(kBinaryF32);
  first(kBinaryF16);
  first(kBinaryAddF32);
  first(kBinarySubtractF32);
  first(kBinaryAddF16);
  first(kActivateF32);
  first(kClampF32);
  first(kRowF32);
  first(kSoftmaxF32);
  first(kKvRowsF32);
  first(kMagnitudeF32);
  first(kPeakF32);
  first(kPeakQ8);
  first(kRequantizeQ8);
  first(kRequantizeOnceQ8);
  first(kAddQ8);
  first(kLutQ8);
  first(kQuantizeQ8);
  first(kDequantizeRowsQ8);
}

TEST(LyingCpu, RunsWhatIsChosen) {
  ForEachChosenRow([](const auto& row) {
    const auto memory = std::make_unique<TestMemory>(TestOf(&row).type);
    if constexpr (std::is_same_v<decltype(row), const GemmUkernel&>) {
      if (row.types.a == Element::kQ8Block) {
        EXPECT_TRUE(SelfTestOfBlocks(row, *memory)) << row.name;
        return;
      }
    }
    EXPECT_TRUE(SelfTest(row, *memory)) << row.name;  // not in a probe
  });
  EXPECT_TRUE(CheckKernelsLeft().ok());
  int failed = 0;
  for (const KernelTest& test : KernelTests()) {
    if (test.reason.empty()) continue;
    ++failed;
    EXPECT_EQ(test.reason, "illegal instruction") << test.kernel;
    EXPECT_NE(test.fallback, "") << test.kernel;
  }
  RecordProperty("switched_off", failed);
  std::printf("switched off: %d\n", failed);
}

}  // namespace
}  // namespace mace::cpu
