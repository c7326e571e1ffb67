// What can be tuned on the CPU, that tuning changes no result, and that it ends
// in time.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/tuner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>

#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/cpu/tuning/cpu_identity.h"
#include "mace/cpu/tuning/search_space.h"
#include "mace/cpu/tuning/trial.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/ops/common/op.h"

namespace mace::cpu {
namespace {

using Ints = std::vector<int64_t>;
using ::mace::Infer;

// A sequence of nodes with weights of their own.
class Nodes {
 public:
  Nodes& Add(const std::string& op, std::vector<Shape> inputs,
             const AttrMap& attrs = {}) {
    Node& node = nodes_.emplace_back();
    node.name = "n" + std::to_string(nodes_.size());
    node.op = op;
    node.attrs = attrs;
    const bool is_first = nodes_.size() == 1;
    if (!is_first) node.inputs.push_back(Value(nodes_.end()[-2].outputs[0]));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorType type = {DataType::kF32, inputs[i]};
      const bool is_constant = !(is_first && i == 0) && op != "Eltwise";
      node.inputs.push_back(Value(type));
      if (is_constant)
        node.inputs.back().data = Weights(NumElements(type.shape));
    }
    node.outputs.resize(1);
    const Status status = Infer(node);
    EXPECT_TRUE(status.ok()) << status.information();
    return *this;
  }

  std::vector<FusedNode> links() const {
    std::vector<FusedNode> links;
    for (const Node& node : nodes_) {
      links.push_back({&node, links.empty() ? -1 : 0});
    }
    return links;
  }

 private:
  static Operand Value(const TensorType& type) {
    Operand operand;
    operand.type = type;
    return operand;
  }
  const float* Weights(int64_t n) {
    const auto w = std::make_shared<std::vector<float>>(n);
    for (int64_t i = 0; i < n; ++i) {
      (*w)[i] = static_cast<float>(i * 7919 % 101 - 50) * 0.01f;
    }
    weights_.push_back(w);
    return w->data();
  }

  std::deque<Node> nodes_;
  std::vector<std::shared_ptr<std::vector<float>>> weights_;  // of the nodes
};

AttrMap Window(int64_t stride) {
  return {{"strides", Ints{stride, stride}}, {"padding", int64_t{1}}};
}

Nodes Conv(int64_t kernel, int64_t channels, int64_t outputs) {
  return Nodes().Add(
      "Conv2d",
      {{1, 13, 15, channels}, {outputs, channels, kernel, kernel}, {outputs}},
      Window(1));
}

Nodes Chain(bool before, bool after, bool sum) {
  Nodes nodes;
  if (before) {
    nodes.Add("Conv2d", {{1, 17, 15, 8}, {40, 8, 1, 1}, {40}}, Window(1))
        .Add("DepthwiseConv2d", {{1, 40, 3, 3}, {40}}, Window(1));
  } else {
    nodes.Add("DepthwiseConv2d", {{1, 17, 15, 40}, {1, 40, 3, 3}}, Window(1));
  }
  if (after) nodes.Add("Conv2d", {{24, 40, 1, 1}, {24}}, Window(1));
  if (sum) {
    nodes.Add("Eltwise", {{1, 17, 15, 24}}, {{"type", std::string("SUM")}});
  }
  return nodes;
}

class Tuning : public ::testing::Test {
 protected:
  void SetUp() override {
    auto threads = ThreadPool::Create(2);
    ASSERT_TRUE(threads.ok());
    threads_ = std::move(*threads);
    context_.threads = threads_.get();
    auto cold = ColdCaches::Create(0, context_);
    ASSERT_TRUE(cold.ok());
    cold_ = std::move(*cold);
    context_.features = DetectCpuFeatures();
    context_.packed = &packed_;
  }

  std::vector<float> Run(const std::vector<FusedNode>& links,
                         const StepPlan& plan) {
    auto tensors = TrialTensors::Create(links, cold_, threads_.get());
    EXPECT_TRUE(tensors.ok());
    auto trial = Trial::Create(links, plan, context_, *tensors);
    EXPECT_TRUE(trial.ok()) << trial.status().information();
    if (!trial.ok()) return {};
    EXPECT_TRUE(trial->RunOnce(*tensors).ok());
    const auto* y = tensors->args().outputs[0].as<const float>();
    return {y, y + NumElements(links.back().node->outputs[0].shape)};
  }

  // Checks each candidate of each aspect, beside the model's plan. There must
  // be at least `num_candidates`.
  void CheckEveryPlan(const Nodes& nodes, size_t num_candidates) {
    const std::vector<FusedNode> links = nodes.links();
    StepPlan model = PlanStep(links, context_);
    if (links.size() > 1) model.fusion = Fusion::kAlways;
    const std::vector<float> want = Run(links, model);
    float largest = 0;
    for (const float y : want) largest = std::max(largest, std::abs(y));
    EXPECT_GT(largest, 0);
    size_t found = 0;
    for (const AspectName& aspect : kAspects) {
      for (const StepPlan& plan :
           Candidates(aspect.aspect, links, model, context_)) {
        SCOPED_TRACE(Describe(plan, model));
        ++found;
        EXPECT_TRUE(CanRunAs(plan, links, context_));
        CheckNumbers(plan, links);
        if (!Prepares(links, plan)) {
          // Fused kernels cannot run this method line by line.
          EXPECT_TRUE(links.size() > 1 && aspect.aspect == Aspect::kMethod);
          continue;
        }
        const std::vector<float> y = Run(links, plan);
        if (aspect.aspect != Aspect::kMethod) {
          EXPECT_EQ(y, want);
          continue;
        }
        ASSERT_EQ(y.size(), want.size());
        for (size_t i = 0; i < y.size(); ++i) {
          ASSERT_NEAR(y[i], want[i], 1e-5f * largest) << i;
        }
      }
    }
    EXPECT_GE(found, num_candidates);
  }

  bool Prepares(const std::vector<FusedNode>& links, const StepPlan& plan) {
    CpuContext context = context_;
    context.asked = &plan;
    return plan.fusion == Fusion::kNever || PrepareLinks(links, context).ok();
  }

  // The stored form of a plan is read back as the same plan.
  void CheckNumbers(const StepPlan& plan, const std::vector<FusedNode>& links) {
    std::vector<int64_t> numbers = ToNumbers(plan);
    const auto again = FromNumbers(numbers);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(*again == plan);
    EXPECT_TRUE(CanRunAs(*again, links, context_));
    for (int64_t& n : numbers) {
      const int64_t was = n;
      n = 1000;
      const auto damaged = FromNumbers(numbers);
      EXPECT_FALSE(damaged.has_value());
      n = was;
    }
    numbers.pop_back();
    EXPECT_FALSE(FromNumbers(numbers).has_value());
  }

  // Ways to reach the rows of a product other than the model's: none if its
  // micro-kernel packs them.
  size_t NumRowAccesses() const {
    const GemmUkernel& kernel = BestGemm(kGemmF32, context_.features);
    return kernel.packs == GemmPacks::kNever ? 2 : 0;
  }

  std::unique_ptr<ThreadPool> threads_;
  ColdCaches cold_;
  PackedWeights packed_;
  CpuContext context_;
};

TEST_F(Tuning, OnlyMethodsChangeABit) {
  const bool has_rows =
      context_.features != 0;  // micro-kernels besides the scalar one
  const size_t products = 2 + NumRowAccesses();
  CheckEveryPlan(Conv(3, 16, 40), has_rows ? 3 : 2);
  CheckEveryPlan(Conv(1, 512, 70), products);
  CheckEveryPlan(Conv(5, 3, 16), products);
  // The product and Strassen's method; where the model chooses the latter,
  // there is no choice of rows.
  const Nodes large = Conv(1, 512, 128);
  const bool is_strassen =
      PlanStep(large.links(), context_).nodes[0].method == Method::kStrassen;
  CheckEveryPlan(large, is_strassen ? 1 : products - 1);
  CheckEveryPlan(
      Nodes().Add("DepthwiseConv2d", {{1, 13, 15, 128}, {1, 128, 5, 5}, {128}},
                  Window(1)),
      4);
  CheckEveryPlan(Nodes().Add("FullyConnected", {{5, 300}, {70, 300}, {70}}),
                 products);
}

// Depths that are divided into blocks, and rows that compete for cache sets. A
// measurement decides neither where depths are divided nor, therefore, how sums
// are rounded.
TEST_F(Tuning, NoCandidateCutsADepthElsewhere) {
  context_.max_winograd = 0;  // only products
  const size_t products = 2 + NumRowAccesses();
  for (const int64_t depth : {768, 1024, 1536, 2048, 4096}) {
    SCOPED_TRACE(depth);
    CheckEveryPlan(Conv(1, depth, 130), products);
    CheckEveryPlan(
        Nodes().Add("FullyConnected", {{33, depth}, {130, depth}, {130}}),
        products);
  }
  CheckEveryPlan(Conv(3, 256, 70), products);
}

TEST_F(Tuning, NoPlanOfAChainChangesABit) {
  CheckEveryPlan(Chain(false, true, false), 3);
  CheckEveryPlan(Chain(false, true, true), 3);
  CheckEveryPlan(Chain(true, false, false), 3);
  CheckEveryPlan(Chain(true, true, false), 3);
  CheckEveryPlan(Chain(true, true, true), 3);
}

TEST_F(Tuning, KeepsToTheAccuracyBudget) {
  const Nodes nodes = Conv(3, 64, 64);
  const std::vector<FusedNode> links = nodes.links();
  for (const int largest : {0, 2, 4, 6}) {
    context_.max_winograd = largest;
    int64_t found = 0;
    const StepPlan model = PlanStep(links, context_);
    for (const NodePlan& plan : model.nodes) found = plan.tile;
    for (const StepPlan& plan :
         Candidates(Aspect::kMethod, links, model, context_)) {
      found = std::max(found, plan.nodes[0].tile);
    }
    EXPECT_LE(found, largest);
    EXPECT_TRUE(largest < 6 || found == 6);
  }
  // A plan that demands Winograd does not override the limit.
  StepPlan plan = PlanStep(links, context_);
  plan.nodes[0].method = Method::kWinograd;
  plan.nodes[0].tile = 6;
  EXPECT_TRUE(CanRunAs(plan, links, context_));
  context_.max_winograd = 2;
  EXPECT_FALSE(CanRunAs(plan, links, context_));
  auto tensors = TrialTensors::Create(links, cold_, threads_.get());
  auto trial = Trial::Create(links, plan, context_, *tensors);
  ASSERT_TRUE(trial.ok());
  EXPECT_EQ(trial->kernel().variant().find("winograd 6"), std::string::npos);
}

TEST_F(Tuning, HasNothingToChooseElsewhere) {
  const Nodes relu = Nodes().Add("Activation", {{1, 8, 8, 16}},
                                 {{"activation", std::string("RELU")}});
  EXPECT_FALSE(HasCandidates(relu.links(), context_));
  // With a single row, reading the weights takes all the time.
  const Nodes row = Nodes().Add("FullyConnected", {{1, 300}, {70, 300}, {70}});
  EXPECT_FALSE(HasCandidates(row.links(), context_));
}

// Returns the number of runs made to tune two convolutions, where each run
// takes a millisecond by the clock.
int64_t RunsWithin(int64_t budget_ms, const CpuContext& context,
                   std::string* report = nullptr) {
  const Nodes small = Conv(1, 16, 40), large = Conv(1, 32, 64);
  TunerOptions options;
  options.budget_micros = budget_ms * 1000;
  int64_t now = 0;
  options.now_micros = [&now] { return now += 1000; };
  const auto tuner =
      Tuner::Create(options, context.features, 2, context.caches);
  if (tuner == nullptr) return 0;
  const auto dry_run = [&]() -> Result<std::shared_ptr<const void>> {
    for (const Nodes* nodes : {&small, &large}) {
      MACE_RETURN_IF_ERROR(tuner->Prepare(nodes->links(), context).status());
    }
    return std::shared_ptr<const void>();
  };
  EXPECT_TRUE(tuner->TunePlan(dry_run, context).ok());
  if (report != nullptr) *report = tuner->report();
  return tuner->num_measured();
}

TEST_F(Tuning, EndsWithItsBudget) {
  EXPECT_EQ(RunsWithin(0, context_), 0);
  const int64_t few = RunsWithin(20, context_);
  const int64_t all = RunsWithin(int64_t{1} << 40, context_);
  EXPECT_GT(few, 0);
  EXPECT_LT(few, 200);
  EXPECT_GT(all, few);
  EXPECT_EQ(packed_.count(), 0) << "what was measured is still there";
}

TEST_F(Tuning, BeginsWithTheLargest) {
  // The budget ends between the two, or a little later.
  std::string report;
  int64_t budget = 8;
  do {
    RunsWithin(budget *= 2, context_, &report);
  } while (report.empty());
  EXPECT_NE(report.find("[1,13,15,32]"), std::string::npos) << report;
}

TEST(CpuIdentity, NamesProcessorFeaturesAndThreads) {
  const std::string root =
      ::testing::TempDir() + "/" + std::to_string(::getpid());
  std::filesystem::create_directories(root);
  std::ofstream(root + "/cpuinfo")
      << "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags : fpu\n"
      << "processor\t: 1\nmodel name\t: Some CPU @ 2 GHz\nbogus\n";
  EXPECT_EQ(CpuIdentity(kCpuAvx2Fma, 2, root),
            "CPU, model name Some CPU @ 2 GHz, avx2, 2 threads");
  std::ofstream(root + "/cpuinfo")
      << "CPU implementer : 0x41\nCPU part : 0xd0b\nCPU part : 0xd05\n";
  EXPECT_EQ(CpuIdentity(kCpuNeon, 4, root),
            "CPU, CPU implementer 0x41, CPU part 0xd05, CPU part 0xd0b, neon, "
            "4 threads");
  EXPECT_EQ(CpuIdentity(0, 1, root + "/none"), "CPU, scalar, 1 threads");
}

}  // namespace
}  // namespace mace::cpu
