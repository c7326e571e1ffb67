// Which algorithm is chosen for a convolution: only permitted ones, those that
// pay, and the one that is asked for.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_plan.h"

#include <gtest/gtest.h>

#include "mace/cpu/conv/conv_cost.h"

namespace mace::cpu {
namespace {

ConvShape Square(int64_t side, int64_t kernel, int64_t in, int64_t out) {
  ConvShape s;
  for (Window* w : {&s.window.h, &s.window.w}) {
    w->in = w->out = side;
    w->kernel = kernel;
    w->stride = w->dilation = 1;
    w->pad_before = kernel / 2;
  }
  s.batch = 1;
  s.in_channels = in;
  s.out_channels = out;
  return s;
}

// Returns the features of CPUs whose costs differ.
std::vector<CpuFeatures> AllFeatures() {
#if defined(__x86_64__)
  constexpr CpuFeatures kWide = kCpuAvx2Fma | kCpuAvx512;
  return {0, kCpuAvx2Fma, kWide, kWide | kCpuAmd};
#else
  return {0, DetectCpuFeatures()};
#endif
}

// Returns those of a CPU on which Strassen's method pays for medium-sized
// products.
CpuFeatures CheapSums() { return AllFeatures().back(); }

CpuContext Context(int max_winograd,
                   CpuFeatures features = DetectCpuFeatures()) {
  CpuContext context;
  context.features = features;
  context.max_winograd = max_winograd;
  return context;
}

Operand Constant() {
  static const float kWeight = 0;
  Operand filter;
  filter.data = &kWeight;
  return filter;
}

NodePlan Plan(const ConvShape& s, int max_winograd,
              CpuFeatures features = DetectCpuFeatures()) {
  return PlanConv(DataType::kF32, Constant(), s,
                  Context(max_winograd, features));
}

TEST(ConvPlan, WinogradOnlyAsLargeAsAllowed) {
  const ConvShape s = Square(56, 3, 64, 64);
  EXPECT_EQ(Plan(s, 0).method, Method::kGemm);
  for (const int largest : {2, 4}) {
    const NodePlan plan = Plan(s, largest);
    EXPECT_EQ(plan.method, Method::kWinograd);
    EXPECT_EQ(plan.tile, largest);
    EXPECT_EQ(plan.chosen_by, ChosenBy::kCostModel);
  }
  // The transforms cost more than three channels' products.
  EXPECT_NE(Plan(Square(224, 3, 3, 3), 4).method, Method::kWinograd);
  // The larger filter would take longer to read than its products save.
  EXPECT_NE(Plan(Square(2, 3, 1024, 1024), 6).method, Method::kWinograd);
}

TEST(ConvPlan, StrassenWhereItPaysAndMay) {
  for (const CpuFeatures features : AllFeatures()) {
    SCOPED_TRACE(ToString(features));
    EXPECT_EQ(Plan(Square(14, 1, 512, 512), 0, features).method, Method::kGemm);
    // The sums cost more than an eighth of the products.
    EXPECT_EQ(Plan(Square(56, 1, 24, 128), 4, features).method, Method::kGemm);
    // Half the columns are not whole vectors.
    EXPECT_EQ(Plan(Square(14, 1, 512, 500), 4, features).method, Method::kGemm);
  }
  EXPECT_EQ(Plan(Square(14, 1, 512, 512), 2, CheapSums()).method,
            Method::kStrassen);
  // The larger filter would take longer to read than its products save.
  EXPECT_EQ(Plan(Square(2, 1, 1024, 1024), 4).method, Method::kGemm);
}

// A larger layer never costs less.
TEST(ConvPlan, CostsGrowWithTheLayer) {
  const CacheSizes caches;
  for (const CpuFeatures features : AllFeatures()) {
    SCOPED_TRACE(ToString(features));
    const ConvCosts& costs = CostsOf(features);
    EXPECT_EQ(costs.isa & features, costs.isa);
    const auto all = [&](const ConvShape& s) {
      return std::vector<double>{Cost(DirectWork(s, caches), costs),
                                 Cost(StrassenWork(s, caches), costs),
                                 Cost(WinogradWork(s, 2, caches), costs),
                                 Cost(WinogradWork(s, 4, caches), costs),
                                 Cost(WinogradWork(s, 6, caches), costs)};
    };
    for (const int64_t side : {7, 14, 56}) {
      for (const int64_t channels : {32, 128, 512}) {
        const auto some = all(Square(side, 3, channels, channels));
        for (const ConvShape& larger :
             {Square(2 * side, 3, channels, channels),
              Square(side, 3, 2 * channels, channels),
              Square(side, 3, channels, 2 * channels)}) {
          const auto more = all(larger);
          for (size_t i = 0; i < some.size(); ++i) EXPECT_GT(more[i], some[i]);
        }
      }
    }
  }
}

// A filter that leaves the second-level cache is read once for each block of
// rows, so that larger caches never cost more.
TEST(ConvPlan, LargerCachesCostNoMore) {
  CacheSizes small, large;
  large.l2 = 4 * small.l2;
  for (const int64_t side : {7, 14, 28}) {
    for (const int64_t channels : {64, 256, 512}) {
      const ConvShape s = Square(side, 3, channels, channels);
      EXPECT_LE(DirectWork(s, large).filter_bytes,
                DirectWork(s, small).filter_bytes);
      EXPECT_LE(WinogradWork(s, 4, large).filter_bytes,
                WinogradWork(s, 4, small).filter_bytes);
      EXPECT_LE(StrassenWork(s, large).filter_bytes,
                StrassenWork(s, small).filter_bytes);
    }
  }
  const ConvShape deep = Square(28, 3, 512, 512);
  EXPECT_LT(WinogradWork(deep, 4, large).filter_bytes,
            WinogradWork(deep, 4, small).filter_bytes);
}

TEST(ConvPlan, OneProductOfWhatIsKnownAtRunOnly) {
  for (const int64_t kernel : {1, 3}) {
    const ConvShape s = Square(14, kernel, 512, 512);
    EXPECT_EQ(PlanConv(DataType::kF32, Operand(), s, Context(6)).method,
              Method::kGemm);
    EXPECT_EQ(ConvMethods(Operand(), s, Context(6)).size(), 1u);
    EXPECT_NE(Plan(s, 6, CheapSums()).method, Method::kGemm);
  }
}

// No possible plan costs much less than the chosen one.
TEST(ConvPlan, NothingMuchCheaper) {
  for (const CpuFeatures features : AllFeatures()) {
    SCOPED_TRACE(ToString(features));
    for (const int64_t side : {4, 7, 14, 28, 56}) {
      for (const int64_t kernel : {1, 3}) {
        for (const int64_t channels : {16, 64, 256, 512}) {
          const ConvShape s = Square(side, kernel, channels, channels);
          const NodePlan plan = Plan(s, 4, features);
          for (const NodePlan& other :
               ConvMethods(Constant(), s, Context(4, features))) {
            EXPECT_LT(plan.cost, 1.12 * other.cost) << side << ' ' << channels;
          }
        }
      }
    }
  }
}

TEST(ConvPlan, AsAskedIfItMay) {
  const ConvShape s = Square(14, 3, 256, 256);
  CpuContext context = Context(4);
  for (const NodePlan& method : ConvMethods(Constant(), s, context)) {
    StepPlan asked;
    asked.nodes = {method};
    asked.nodes[0].gemm.block = -1;
    asked.nodes[0].chosen_by = ChosenBy::kTuning;
    context.asked = &asked;
    const NodePlan plan = PlanConv(DataType::kF32, Constant(), s, context);
    EXPECT_EQ(plan.method, method.method);
    EXPECT_EQ(plan.tile, method.tile);
    EXPECT_EQ(plan.cost, method.cost);
    EXPECT_EQ(plan.gemm.kernel, method.gemm.kernel);
    EXPECT_EQ(plan.gemm.block, -1);
    EXPECT_EQ(plan.chosen_by, ChosenBy::kTuning);
    // A node that is not in `asked`, and a filter that is not constant.
    EXPECT_EQ(PlanConv(DataType::kF32, Constant(), s, context, 1).chosen_by,
              ChosenBy::kCostModel);
    EXPECT_EQ(PlanConv(DataType::kF32, Operand(), s, context).method,
              Method::kGemm);
  }
}

// A micro-kernel of other types, or that the CPU cannot run, is not chosen.
TEST(ConvPlan, NoForeignMicroKernel) {
  const ConvShape s = Square(14, 1, 100, 100);
  CpuContext context = Context(4);
  context.features = 0;
  StepPlan asked;
  asked.nodes = {PlanConv(DataType::kF32, Constant(), s, context)};
  asked.nodes[0].gemm.kernel = &kGemm[0];
  context.asked = &asked;
  EXPECT_EQ(PlanConv(DataType::kF32, Constant(), s, context).gemm.kernel->isa,
            0u);
  EXPECT_EQ(PlanGemm(Constant(), {14, 100, 400}, context).kernel->isa, 0u);
}

}  // namespace
}  // namespace mace::cpu
