// Inputs without dimensions, and models that accept one shape only.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

std::shared_ptr<MaceEngine> Create(ModelBuilder& builder) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(builder.Load(), {}, {}, MaceEngineConfig(), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

// y = x * s, z = s * s.
ModelBuilder Scaled() {
  ModelBuilder b;
  b.Input("x", {1, 3})
      .Input("s", {})
      .Op("Eltwise", {"x", "s"}, {"y"}, {{"type", std::string("PROD")}})
      .Op("Eltwise", {"s", "s"}, {"z"}, {{"type", std::string("PROD")}})
      .Output("y")
      .Output("z");
  return b;
}

TEST(InputShapes, Scalars) {
  ModelBuilder builder = Scaled();
  const auto engine = Create(builder);
  EXPECT_TRUE(engine->inputs()[1].shape.empty());
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor x = FloatTensor({1, 3}, {1, 2, 3});
  ASSERT_TRUE(
      engine->Run({{"x", x}, {"s", FloatTensor({}, {3})}}, &outputs).ok());
  EXPECT_EQ(Values(outputs["y"]), (std::vector<float>{3, 6, 9}));
  EXPECT_TRUE(outputs["z"].shape().empty());
  EXPECT_EQ(Values(outputs["z"]), (std::vector<float>{9}));
  // The same with outputs in the caller's memory.
  outputs = {{"y", FloatTensor({1, 3}, {0, 0, 0})},
             {"z", FloatTensor({}, {0})}};
  ASSERT_TRUE(
      engine->Run({{"x", x}, {"s", FloatTensor({}, {2})}}, &outputs).ok());
  EXPECT_EQ(Values(outputs["z"]), (std::vector<float>{4}));
  const MaceStatus status =
      engine->Run({{"x", x}, {"s", FloatTensor({1}, {2})}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("found [1]"), std::string::npos)
      << status.information();
}

TEST(InputShapes, OfAModelThatTakesOneShape) {
  ModelBuilder builder = Scaled();
  builder.net().add_fixed_input_shapes("If 'choose'");
  const auto engine = Create(builder);
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor s = FloatTensor({}, {3});
  const MaceStatus status = engine->Run(
      {{"x", FloatTensor({1, 4}, {1, 2, 3, 4})}, {"s", s}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(status.information(),
            "input 'x': expected [1,3], found [1,4]; the model is for the "
            "shapes that it was converted for, as If 'choose' of the source "
            "model depends on them: convert it again with these input_shapes");
  EXPECT_TRUE(
      engine->Run({{"x", FloatTensor({1, 3}, {1, 2, 3})}, {"s", s}}, &outputs)
          .ok());
}

}  // namespace
}  // namespace mace::testing
