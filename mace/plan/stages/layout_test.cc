// InsertConverts: what random plans read is available, and is moved once and as
// late as possible.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/layout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mace/plan/testing/fake_device.h"

namespace mace {
namespace {

using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;
using testing::Random;

KernelProperties OnImages(DataType dtype = DataType::kF32) {
  KernelProperties properties;
  properties.takes_images = properties.gives_images = true;
  properties.image_dtype = dtype;
  return properties;
}

struct Fixture {
  Fixture() { gpu.its_image_dtype = DataType::kF16; }

  int Add(const std::vector<int>& inputs, const KernelProperties& properties) {
    maker.device = properties.takes_images ? &gpu : &cpu;
    return maker.AddOne(properties.takes_images ? "Gpu" : "Cpu", inputs, {4},
                        properties);
  }
  // "Upload:f16 Gpu:f32 Download:f32": the steps and what they write.
  std::string Steps() {
    EXPECT_TRUE(InsertConverts(maker.plan).ok());
    std::string all;
    for (const Step& step : maker.plan.steps) {
      const Node& node = maker.plan.graph.nodes[step.node].node;
      all += (all.empty() ? "" : " ") + node.op + ":" +
             Name(node.outputs[0].dtype);
    }
    return all;
  }

  FakeDevice cpu{"CPU"}, gpu{"GPU"};
  PlanMaker maker;
};

TEST(Layout, PlansWithoutImagesAreLeftAlone) {
  Fixture f;
  f.maker.Output(f.Add({f.maker.Input({4})}, {}));
  EXPECT_EQ(f.Steps(), "Cpu:f32");
  EXPECT_EQ(f.maker.plan.image_device, nullptr);
  EXPECT_EQ(f.maker.plan.graph.values.size(), 2u);
}

TEST(Layout, ThereAndBack) {
  Fixture f;
  const int a = f.Add({f.maker.Input({4})}, OnImages());
  const int b = f.Add({a}, OnImages());
  f.maker.Output(b);
  EXPECT_EQ(f.Steps(), "Upload:f32 Gpu:f32 Gpu:f32 Download:f32");
  EXPECT_EQ(f.maker.plan.image_device, &f.gpu);
  const Plan& plan = f.maker.plan;
  EXPECT_EQ(plan.graph.outputs, (std::vector<int>{b}));
  const GraphNode& download = plan.graph.nodes[plan.steps[3].node];
  EXPECT_EQ(download.outputs, (std::vector<int>{b}));
  EXPECT_EQ(download.node.name, plan.graph.values[b].name);
  EXPECT_EQ(plan.steps[3].device, &f.gpu);
}

TEST(Layout, AConvertStandsWhereItIsFirstNeeded) {
  Fixture f;
  const int x = f.maker.Input({4});
  const int a = f.Add({x}, OnImages());
  const int b = f.Add({x}, {});
  const int c = f.Add({b, a}, {});
  const int d = f.Add({a, c}, {});
  f.maker.Output(f.Add({d, d, a}, OnImages()));
  EXPECT_EQ(f.Steps(),
            "Upload:f32 Gpu:f32 Cpu:f32 Download:f32 Cpu:f32 Cpu:f32 "
            "Upload:f32 Gpu:f32 Download:f32");
}

TEST(Layout, OutputsComeBackAtTheEnd) {
  Fixture f;
  const int a = f.Add({f.maker.Input({4})}, OnImages());
  f.maker.Output(a);
  f.maker.Output(a);
  f.maker.Output(f.Add({a}, OnImages()));
  EXPECT_EQ(f.Steps(), "Upload:f32 Gpu:f32 Gpu:f32 Download:f32 Download:f32");
}

TEST(Layout, UploadsHoldWhatTheirReadersAskFor) {
  for (const bool floats : {false, true}) {
    Fixture f;
    const int x = f.maker.Input({4});
    f.maker.Output(f.Add({x}, OnImages(DataType::kF16)));
    if (floats) f.maker.Output(f.Add({-1, x}, OnImages(DataType::kF32)));
    EXPECT_EQ(f.Steps(), floats ? "Upload:f32 Gpu:f16 Gpu:f32 Download:f32 "
                                  "Download:f32"
                                : "Upload:f16 Gpu:f16 Download:f32");
  }
}

TEST(Layout, AHostReaderAsksForNoFloatsInImages) {
  Fixture f;
  const int x = f.maker.Input({4});
  f.maker.Output(f.Add({x}, {}));
  f.maker.Output(f.Add({x}, OnImages(DataType::kF16)));
  EXPECT_EQ(f.Steps(), "Cpu:f32 Upload:f16 Gpu:f16 Download:f32");
}

TEST(Layout, ARenamedImageKeepsItsType) {
  Fixture f;
  KernelProperties renames = OnImages(DataType::kF32);
  renames.renames_only = true;
  const int a = f.Add({f.maker.Input({4})}, OnImages(DataType::kF16));
  f.maker.Output(f.Add({a}, renames));
  EXPECT_EQ(f.Steps(), "Upload:f16 Gpu:f16 Gpu:f16 Download:f32");
}

TEST(Layout, ErrorsOfConvertsEndIt) {
  for (const std::string failing : {"Upload", "Download"}) {
    for (const bool reads_on_host : {false, true}) {
      Fixture f;
      f.gpu.prepare_convert =
          [&](const Node& node) -> Result<KernelProperties> {
        if (node.op == failing) return Unsupported("too large");
        return KernelProperties();
      };
      int at = f.Add({f.maker.Input({4})}, OnImages());
      if (reads_on_host) at = f.Add({at}, {});
      f.maker.Output(at);
      EXPECT_EQ(InsertConverts(f.maker.plan).information(), "too large");
    }
  }
}

// Follows a plan as it runs, and records which values are computed.
class Walk {
 public:
  explicit Walk(const Plan& plan) : plan_(plan), graph_(plan.graph) {
    filled_.insert(graph_.inputs.begin(), graph_.inputs.end());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (graph_.values[v].is_constant()) filled_.insert(static_cast<int>(v));
    }
  }

  void Check(const Graph& before) {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const GraphNode& g = graph_.nodes[plan_.steps[s].node];
      const bool move = g.node.op == "Upload" || g.node.op == "Download";
      if (move) {
        CheckMove(s, g);
      } else {
        CheckStep(s, g, before.nodes[plan_.steps[s].node]);
      }
      for (size_t i = 0; i < g.outputs.size(); ++i) {
        EXPECT_TRUE(filled_.insert(g.outputs[i]).second) << "written twice";
        EXPECT_EQ(g.node.outputs[i], graph_.values[g.outputs[i]].type);
      }
    }
    EXPECT_EQ(graph_.outputs, before.outputs);
    for (int id : graph_.outputs) ExpectHost(id);
  }

 private:
  Layout LayoutOf(int id) const { return graph_.values[id].type.layout; }

  void ExpectHost(int id) {
    EXPECT_EQ(LayoutOf(id), Layout::kRowMajor);
    EXPECT_EQ(filled_.count(id), 1u) << "value " << id;
  }

  void CheckMove(size_t s, const GraphNode& g) {
    const bool up = g.node.op == "Upload";
    EXPECT_EQ(LayoutOf(g.inputs[0]) == Layout::kImage, !up);
    EXPECT_EQ(LayoutOf(g.outputs[0]) == Layout::kImage, up);
    EXPECT_EQ(filled_.count(g.inputs[0]), 1u);
    EXPECT_TRUE(moved_.insert({g.node.op, g.inputs[0]}).second);
    EXPECT_EQ(plan_.steps[s].device, plan_.image_device);
    // The next step that is not a move needs it, or else the caller does.
    size_t next = s + 1;
    while (next < plan_.steps.size() && IsMove(next)) ++next;
    bool needed = false;
    if (next == plan_.steps.size()) {
      for (int id : graph_.outputs) needed |= id == g.outputs[0];
    } else {
      for (int id : graph_.nodes[plan_.steps[next].node].inputs) {
        needed |= id == g.outputs[0];
      }
    }
    EXPECT_TRUE(needed) << "step " << s << " comes early";
  }

  bool IsMove(size_t s) const {
    const std::string& op = graph_.nodes[plan_.steps[s].node].node.op;
    return op == "Upload" || op == "Download";
  }

  void CheckStep(size_t s, const GraphNode& g, const GraphNode& before) {
    ASSERT_EQ(g.inputs.size(), before.inputs.size());
    const Kernel& kernel = *plan_.steps[s].kernel;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      EXPECT_EQ(g.inputs[i] < 0, before.inputs[i] < 0);
      if (g.inputs[i] < 0) continue;
      EXPECT_EQ(LayoutOf(g.inputs[i]), kernel.input_layout(i));
      EXPECT_EQ(g.node.inputs[i].type, graph_.values[g.inputs[i]].type);
      EXPECT_EQ(graph_.values[g.inputs[i]].name,
                graph_.values[before.inputs[i]].name);
      EXPECT_EQ(filled_.count(g.inputs[i]), 1u);
    }
    for (int id : g.outputs) EXPECT_EQ(LayoutOf(id), kernel.output_layout());
  }

  const Plan& plan_;
  const Graph& graph_;
  std::set<int> filled_;
  std::set<std::pair<std::string, int>> moved_;
};

TEST(Layout, RandomPlans) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Fixture f;
    std::vector<int> values = {f.maker.Input({4}), f.maker.Constant({4}), -1};
    for (int n = random.Between(1, 12); n > 0; --n) {
      std::vector<int> inputs = {
          values[random.OneIn(3) ? 0 : values.size() - 1]};
      if (inputs[0] < 0) inputs[0] = values[0];
      if (random.OneIn(2)) inputs.push_back(random.Of(values));
      KernelProperties properties;
      if (!random.OneIn(3)) {
        properties =
            OnImages(random.OneIn(2) ? DataType::kF16 : DataType::kF32);
        properties.renames_only = random.OneIn(5);
        properties.gives_images = !random.OneIn(6);
      }
      values.push_back(f.Add(inputs, properties));
      if (random.OneIn(4)) f.maker.Output(values.back());
    }
    if (values.back() >= 0) f.maker.Output(values.back());
    // A plan stays without images only if no kernel outputs any.
    bool any = false;
    for (const Step& s : f.maker.plan.steps) {
      any |= s.kernel->output_layout() == Layout::kImage;
    }
    const Graph before = f.maker.plan.graph;
    ASSERT_TRUE(InsertConverts(f.maker.plan).ok());
    if (any) Walk(f.maker.plan).Check(before);
  }
}

}  // namespace
}  // namespace mace
