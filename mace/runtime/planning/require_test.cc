// What devices must run: shares of plans, and engines that miss them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/planning/require.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mace/plan/stages/place.h"
#include "mace/plan/testing/fake_device.h"
#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Texts = std::vector<std::string>;

void ExpectSaid(const Status& status, const Texts& parts) {
  EXPECT_EQ(status, Status::MACE_UNSUPPORTED);
  for (const std::string& part : parts) {
    EXPECT_NE(status.information().find(part), std::string::npos)
        << part << " is not in " << status.information();
  }
}

// On the GPU 3/4 of the multiply-adds: a large node, and one that only the CPU
// supports.
class RequireOfPlan : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto properties = [](const Node& node) -> Result<KernelProperties> {
      KernelProperties of_node;
      of_node.macs = std::get<int64_t>(node.attrs.at("macs"));
      return of_node;
    };
    gpu_.prepare = [properties](const Node& node) -> Result<KernelProperties> {
      if (node.op == "Cpu") return Unsupported("no ", node.name, " there");
      return properties(node);
    };
    cpu_.prepare = properties;
    gpu_.its_speed = {1e9, 1e9, 1, 1, 1e9};
    cpu_.its_speed = {1, 1, 1, 0, 1};
  }

  Plan& Place(int64_t on_gpu, int64_t on_cpu) {
    const int a =
        maker_.AddOne("Any", {maker_.Input({4})}, {4}, {}, {{"macs", on_gpu}});
    maker_.Output(maker_.AddOne("Cpu", {a}, {4}, {}, {{"macs", on_cpu}}));
    maker_.plan.steps.clear();
    EXPECT_TRUE(PlaceNodes(maker_.plan, {&gpu_, &cpu_}).ok());
    return maker_.plan;
  }

  PlanMaker maker_;
  FakeDevice gpu_{"GPU"}, cpu_{"CPU"};
};

TEST_F(RequireOfPlan, CountsMultiplyAdds) {
  const Plan& plan = Place(3000000, 1000000);
  EXPECT_TRUE(CheckRequired({}, "", plan).ok());
  EXPECT_TRUE(CheckRequired({"gpu=0.75"}, "", plan).ok());
  EXPECT_TRUE(CheckRequired({"gpu=0.5", "cpu=0.25"}, "", plan).ok());
  ExpectSaid(CheckRequired({"gpu=0.76"}, "", plan),
             {"the GPU runs 0.75 of the multiply-adds, and 0.76 are required",
              "Cpu 'n1' runs on the CPU: no n1 there"});
  ExpectSaid(CheckRequired({"gpu=0.5", "cpu=0.3"}, "", plan),
             {"the CPU runs 0.25", "Any 'n0' runs on the GPU"});
  ExpectSaid(CheckRequired({"dsp=0.1"}, "no DSP here", plan),
             {"the DSP runs 0 of", "Any 'n0' runs on the GPU: no DSP here",
              "Cpu 'n1'"});
}

TEST_F(RequireOfPlan, CountsNodesWhereNoneMultiplies) {
  const Plan& plan = Place(0, 0);
  EXPECT_TRUE(CheckRequired({"cpu=0.5"}, "", plan).ok());
  ExpectSaid(CheckRequired({"gpu=1"}, "", plan), {"of the nodes", "n1"});
}

ModelBuilder OneConvolution() {
  ModelBuilder b;
  b.Input("x", {1, 4, 4, 2})
      .Weight("w", {2, 2, 1, 1}, {1, 2, 3, 4})
      .Op("Conv2d", {"x", "w"}, {"y"},
          {{"strides", std::vector<int64_t>{1, 1}}, {"padding", int64_t{1}}})
      .Output("y");
  return b;
}

MaceStatus Create(const MaceEngineConfig& config,
                  std::shared_ptr<MaceEngine>* engine) {
  return MaceEngine::Create(OneConvolution().Load(), {}, {}, config, engine);
}

TEST(Require, EnginesThatMissItAreNotCreated) {
  std::shared_ptr<MaceEngine> engine;
  MaceEngineConfig cpu;
  ASSERT_TRUE(cpu.SetRequire(CPU, 1).ok());
  EXPECT_TRUE(Create(cpu, &engine).ok());
  engine.reset();

  MaceEngineConfig dsp(HEXAGON);
  ASSERT_TRUE(dsp.Set("dsp_library", "no_such_library.so").ok());
  ASSERT_TRUE(dsp.SetRequire(HEXAGON, 0.9).ok());
  ExpectSaid(Create(dsp, &engine),
             {"require: the DSP runs 0 of the multiply-adds, and 0.9",
              "Conv2d 'y' runs on the CPU: no DSP, the CPU takes over",
              "no_such_library.so"});
  EXPECT_EQ(engine, nullptr);
  // Nothing is required any more.
  ASSERT_TRUE(dsp.SetRequire(HEXAGON, 0).ok());
  EXPECT_TRUE(Create(dsp, &engine).ok());
}

TEST(Require, RefusesWhatIsNoShare) {
  MaceEngineConfig config;
  EXPECT_EQ(config.SetRequire(CPU, 1.5), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(config.SetRequire(CPU, -1), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(config.SetRequire(CPU, NAN), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(config.SetRequire(static_cast<DeviceType>(7), 0.5),
            MaceStatus::MACE_INVALID_ARGS);
  for (const char* wrong :
       {"gpu", "gpu=", "npu=0.5", "gpu=2", "gpu=-0.1", "gpu=nan", "gpu=0.5x",
        "gpu=0.1,gpu=0.2", "=1", "0.5"}) {
    const MaceStatus status = config.Set("require", wrong);
    EXPECT_EQ(status, MaceStatus::MACE_INVALID_ARGS) << wrong;
    EXPECT_EQ(status.information().substr(0, 9), "require: ")
        << status.information();
  }
  EXPECT_TRUE(config.Set("require", "gpu=0.9,cpu=0").ok());
  EXPECT_TRUE(config.Set("require", "none").ok());
}

TEST(Placement, SaysWhereNodesRun) {
  std::shared_ptr<MaceEngine> engine;
  MaceEngineConfig dsp(HEXAGON);
  ASSERT_TRUE(dsp.Set("dsp_library", "no_such_library.so").ok());
  ASSERT_TRUE(Create(dsp, &engine).ok());
  std::vector<MaceNodePlacement> placement(3);
  ASSERT_TRUE(engine->GetPlacement(&placement).ok());
  ASSERT_EQ(placement.size(), 1u);
  EXPECT_EQ(placement[0].node, "y");
  EXPECT_EQ(placement[0].type, "Conv2d");
  EXPECT_EQ(placement[0].device, "CPU");
  EXPECT_EQ(placement[0].data_type, "f32");
  EXPECT_NE(placement[0].kernel, "");
  EXPECT_NE(placement[0].reason.find("no_such_library.so"), std::string::npos);
  EXPECT_EQ(placement[0].macs, 4 * 4 * 2 * 2);
  EXPECT_EQ(engine->GetPlacement(nullptr), MaceStatus::MACE_INVALID_ARGS);

  ASSERT_TRUE(Create(MaceEngineConfig(), &engine).ok());
  ASSERT_TRUE(engine->GetPlacement(&placement).ok());
  EXPECT_EQ(placement[0].reason, "");
}

}  // namespace
}  // namespace mace::testing
