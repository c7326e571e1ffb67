// A loop on the GPU: all iterations run there while shapes stay, and one where
// they change, as each would need programs of its own.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/public/mace_log.h"
#include "mace/public/mace_stats.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr int64_t kIterations = 4;
constexpr int64_t kRows = 64, kColumns = 64, kChannels = 16;

// v = Conv2d(v), and with `grows` four more rows in each iteration.
ModelBuilder LoopModel(bool grows) {
  const AttrMap same = {{"strides", std::vector<int64_t>{1, 1}},
                        {"padding", int64_t{1}}};
  ModelBuilder body;
  const auto input = [](ModelBuilder& b, const std::string& name,
                        proto::DataType type) {
    b.Input(name, {}).net().mutable_input_info()->rbegin()->set_data_type(type);
  };
  input(body, "i", proto::DT_INT64);
  input(body, "go", proto::DT_BOOL);
  body.Input("v", {}).Input("more", {});
  body.Op("Conv2d", {"v", "w"}, {"conv"}, same);
  if (grows) {
    body.Op("Concat", {"conv", "more"}, {"next"}, {{"axis", int64_t{1}}});
  }
  body.Output("go").Output(grows ? "next" : "conv");

  ModelBuilder b;
  b.net().set_format_version(2);
  b.Weight("w", {kChannels, kChannels, 3, 3},
           SmallWeights(kChannels * kChannels * 9));
  proto::Subgraph* subgraph = b.net().add_subgraphs();
  subgraph->set_name("body");
  *subgraph->mutable_op() = body.net().op();
  *subgraph->mutable_input_info() = body.net().input_info();
  *subgraph->mutable_output_info() = body.net().output_info();
  b.Input("x", {1, kRows, kColumns, kChannels})
      .Input("more", {1, 4, kColumns, kChannels});
  input(b, "n", proto::DT_INT64);
  input(b, "c", proto::DT_BOOL);
  b.Op("Loop", {"n", "c", "x", "more"}, {"y"}, {{"carried", int64_t{1}}})
      .Output("y");
  proto::Argument* arg = b.net().mutable_op(0)->add_arg();
  arg->set_name("body");
  arg->set_type(proto::Argument::SUBGRAPH);
  arg->set_s("body");
  return b;
}

struct Answer {
  std::vector<float> y;
  std::string convolutions;  // their devices, one after the other
};

Answer RunOn(MaceEngine& engine) {
  std::vector<float> x(kRows * kColumns * kChannels),
      more(4 * x.size() / kRows);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) - 5;
  for (size_t i = 0; i < more.size(); ++i) more[i] = x[i];
  std::map<std::string, MaceTensor> outputs;
  RunMetadata metadata;
  const MaceStatus status = engine.Run(
      {{"x", FloatTensor({1, kRows, kColumns, kChannels}, x)},
       {"more", FloatTensor({1, 4, kColumns, kChannels}, more)},
       {"n", MaceTensor({}, std::make_shared<int64_t>(kIterations), IDT_INT64)},
       {"c", MaceTensor({}, std::make_shared<uint8_t>(1), IDT_BOOL)}},
      &outputs, &metadata);
  EXPECT_TRUE(status.ok()) << status.information();
  Answer answer;
  if (status.ok()) answer.y = Values(outputs["y"]);
  for (const OperatorStats& stats : metadata.op_stats) {
    if (stats.type == "Conv2d") answer.convolutions += stats.device + " ";
  }
  return answer;
}

void CountWarnings(MaceLogLevel level, const char* message, void* user) {
  const std::string text = message;
  if (level == MACE_LOG_WARNING &&
      text.find("Loop 'y': the shapes of what it carries change") == 0) {
    ++*static_cast<int*>(user);
  }
}

TEST(GpuLoop, ChangingShapesStayOnTheCpuAfterTheFirstIteration) {
  int warnings = 0;
  SetLogCallback(CountWarnings, &warnings, MACE_LOG_WARNING);
  for (const bool grows : {false, true}) {
    SCOPED_TRACE(grows);
    std::map<DeviceType, std::shared_ptr<MaceEngine>> engines;
    for (const DeviceType device : {CPU, GPU}) {
      MaceEngineConfig config(device);
      ASSERT_TRUE(config.SetGPUDataType("fp32_fp32").ok());
      const MaceStatus status = MaceEngine::Create(
          LoopModel(grows).Load(), {}, {}, config, &engines[device]);
      ASSERT_TRUE(status.ok()) << status.information();
    }
    const Answer want = RunOn(*engines[CPU]);
    for (int run = 0; run < 2; ++run) {
      const Answer found = RunOn(*engines[GPU]);
      if (found.convolutions.find("GPU") == std::string::npos) {
        SetLogCallback(nullptr, nullptr, MACE_LOG_WARNING);
        FailOrSkipWithoutGpu(found.convolutions);
        return;
      }
      EXPECT_EQ(found.convolutions,
                grows ? "GPU CPU CPU CPU " : "GPU GPU GPU GPU ");
      ASSERT_EQ(found.y.size(), want.y.size());
      for (size_t i = 0; i < want.y.size(); ++i) {
        ASSERT_NEAR(found.y[i], want.y[i], 1e-2) << i;
      }
    }
    EXPECT_EQ(warnings, grows ? 1 : 0);
  }
  SetLogCallback(nullptr, nullptr, MACE_LOG_WARNING);
}

}  // namespace
}  // namespace mace::testing
