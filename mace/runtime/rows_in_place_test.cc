// A Concat of quantized tensors whose inputs are written to its output.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr int64_t kHeight = 6, kWidth = 5, kChannels = 8;
using List = std::vector<int64_t>;

// y = [maxima of 3x3, means of 3x3, x], each of which is computed from
// quantized tensors.
ModelBuilder ThreePoolings() {
  ModelBuilder b;
  b.Input("x", {1, kHeight, kWidth, kChannels});
  b.Op("Quantize", {"x"}, {"quantized"});
  auto* op = b.net().mutable_op(0);
  op->clear_output_shape();
  for (const int64_t extent : {int64_t{1}, kHeight, kWidth, kChannels}) {
    if (op->output_shape_size() == 0) op->add_output_shape();
    op->mutable_output_shape(0)->add_dims(extent);
  }
  op->clear_output_type();
  op->add_output_type(proto::DT_INT8);
  auto* quantization = op->add_output_quantization();
  quantization->add_scales(0.25f);
  quantization->add_zero_points(-3);
  const auto pool = [&b](const char* name, int64_t type, int64_t kernel) {
    b.Op("Pooling", {"quantized"}, {name},
         {{"pooling_type", type},
          {"kernels", List{kernel, kernel}},
          {"padding", int64_t{1}}});
  };
  pool("maxima", 2, 3);
  pool("means", 1, 3);
  pool("same", 2, 1);
  b.Op("Concat", {"maxima", "means", "same"}, {"joined"},
       {{"axis", int64_t{3}}});
  b.Op("Dequantize", {"joined"}, {"y"}).Output("y");
  return b;
}

struct Ran {
  std::vector<float> y;
  std::string plan;
};

Ran RunWith(const std::string& savings, int threads) {
  ModelBuilder b = ThreePoolings();
  MaceEngineConfig config;
  EXPECT_TRUE(config.Set("memory_savings", savings).ok());
  EXPECT_TRUE(
      config.SetCPUThreadPolicy(threads, CPUAffinityPolicy::AFFINITY_NONE)
          .ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  if (engine == nullptr) return {};
  std::vector<float> x(kHeight * kWidth * kChannels);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = 0.25f * static_cast<float>(static_cast<int>(i * 37 % 101) - 50);
  }
  Ran ran;
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor input = FloatTensor({1, kHeight, kWidth, kChannels}, x);
  EXPECT_TRUE(engine->Run({{"x", input}}, &outputs).ok());
  ran.y = Values(outputs["y"]);
  EXPECT_TRUE(engine->Dump("plan", &ran.plan).ok());
  return ran;
}

TEST(RowsInPlace, ResultsAreThoseOfACopy) {
  const Ran copied = RunWith("none", 1);
  EXPECT_NE(copied.plan.find("Concat"), std::string::npos) << copied.plan;
  ASSERT_EQ(copied.y.size(), 3u * kHeight * kWidth * kChannels);
  for (const int threads : {1, 2}) {
    for (const char* savings : {"concat", "views,in_place,concat,overlap"}) {
      const Ran in_place = RunWith(savings, threads);
      EXPECT_EQ(in_place.plan.find("Concat"), std::string::npos)
          << in_place.plan;
      EXPECT_EQ(in_place.y, copied.y) << savings;
    }
  }
}

}  // namespace
}  // namespace mace::testing
