// The first NaN or infinity is found where it arises, and named.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/numeric_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

// x -> scale by w -> a -> RELU -> r -> scale by w -> y
std::shared_ptr<MaceEngine> Create(float w, bool check) {
  ModelBuilder b;
  b.Input("x", {2, 3})
      .Weight("w", {3}, {w, w, w})
      .Op("Eltwise", {"x", "w"}, {"a"}, {{"type", std::string("PROD")}})
      .Op("Activation", {"a"}, {"r"}, {{"activation", std::string("RELU")}})
      .Op("Eltwise", {"r", "w"}, {"y"}, {{"type", std::string("PROD")}})
      .Output("y");
  MaceEngineConfig config;
  config.SetNumericCheck(check);
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

MaceStatus Feed(MaceEngine& engine, const std::vector<float>& x) {
  std::map<std::string, MaceTensor> outputs;
  return engine.Run({{"x", FloatTensor({2, 3}, x)}}, &outputs);
}

TEST(NumericCheck, NamesTheNodeThatOverflows) {
  const auto engine = Create(1e30f, true);
  const std::vector<float> fits = {0, 0, 0, 0, 0, 1e-25f};
  EXPECT_TRUE(Feed(*engine, fits).ok());
  const MaceStatus status = Feed(*engine, {0, 0, 0, 0, 1, 1});
  EXPECT_EQ(status, MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_EQ(status.information().find("Eltwise 'y' is the first with a bad "
                                      "value: its output 'y' f32[2,3], on "
                                      "the CPU"),
            0u)
      << status.information();
  EXPECT_NE(status.information().find("holds infinity at [1,1] (element 4)"),
            std::string::npos)
      << status.information();
  EXPECT_TRUE(Feed(*engine, fits).ok());
}

TEST(NumericCheck, NamesTheInput) {
  const auto engine = Create(1, true);
  const MaceStatus status = Feed(*engine, {0, 0, NAN, 0, 1, 1});
  EXPECT_EQ(status, MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(status.information(),
            "input 'x' f32[2,3] holds NaN at [0,2] (element 2); fix the "
            "values that are passed to the model");
}

TEST(NumericCheck, IsOffUnlessAskedFor) {
  EXPECT_TRUE(Feed(*Create(1e30f, false), {0, NAN, 0, 0, 1, 1}).ok());
}

TEST(NumericCheck, Float32NodesMustBeThere) {
  ModelBuilder b;
  b.Input("x", {2, 3})
      .Op("Activation", {"x"}, {"r"}, {{"activation", std::string("RELU")}})
      .Output("r");
  MaceEngineConfig config;
  config.SetFloat32Nodes({"r", "conv9"});
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  EXPECT_EQ(status, MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(status.information(),
            "float32_nodes: the model has no node named 'conv9'; it has 'r' "
            "(mace_run --dump=plan shows all)");
}

}  // namespace
}  // namespace mace::testing
