// States with open dimensions: each run makes them longer.
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

using Tensors = std::map<std::string, MaceTensor>;
using Floats = std::vector<float>;

// y = all rows of x so far, [n,2], which the state `past` keeps.
ModelBuilder Rows(int64_t most, const Floats& first = {}) {
  ModelBuilder b;
  b.Input("x", {1, 2});
  b.net().mutable_input_info(0)->set_dims(0, -1);
  proto::Variable& state = *b.net().add_variables();
  state.mutable_tensor()->set_name("past");
  state.mutable_tensor()->add_dims(-1);
  state.mutable_tensor()->add_dims(2);
  if (most > 0) {
    state.mutable_tensor()->add_max_dims(most);
    state.mutable_tensor()->add_max_dims(2);
  }
  state.set_next("next");
  if (!first.empty()) {
    b.Weight("first", {static_cast<int64_t>(first.size()) / 2, 2}, first);
    state.set_initial("first");
  }
  b.Op("Concat", {"past", "x"}, {"y"}, {{"axis", int64_t{0}}})
      .Op("Identity", {"y"}, {"next"})
      .Output("y");
  return b;
}

std::shared_ptr<MaceEngine> Create(ModelBuilder& builder) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(builder.Load(), {}, {}, MaceEngineConfig(), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

MaceStatus RunOn(MaceEngine& engine, const Floats& x, Floats* y) {
  Tensors outputs;
  const MaceStatus status = engine.Run(
      {{"x", FloatTensor({static_cast<int64_t>(x.size()) / 2, 2}, x)}},
      &outputs);
  if (status.ok()) *y = Values(outputs["y"]);
  return status;
}

TEST(GrowingStates, HoldWhatAllRunsLeft) {
  ModelBuilder builder = Rows(0);
  const auto engine = Create(builder);
  EXPECT_EQ(engine->states()[0].shape, (Shape{0, 2}));
  Floats y;
  ASSERT_TRUE(RunOn(*engine, {1, 2}, &y).ok());
  EXPECT_EQ(y, (Floats{1, 2}));
  ASSERT_TRUE(RunOn(*engine, {3, 4, 5, 6}, &y).ok());
  EXPECT_EQ(y, (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(engine->states()[0].shape, (Shape{3, 2}));
  Tensors state;
  ASSERT_TRUE(engine->GetState(&state).ok());
  EXPECT_EQ(Values(state["past"]), y);
  ASSERT_TRUE(engine->ResetState().ok());
  EXPECT_EQ(engine->states()[0].shape, (Shape{0, 2}));
  ASSERT_TRUE(RunOn(*engine, {7, 8}, &y).ok());
  EXPECT_EQ(y, (Floats{7, 8}));
  // As before, with what was kept.
  ASSERT_TRUE(engine->SetState(state).ok());
  ASSERT_TRUE(RunOn(*engine, {7, 8}, &y).ok());
  EXPECT_EQ(y, (Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Values(state["past"]), (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(GrowingStates, AreSetTogetherOrNotAtAll) {
  ModelBuilder builder = Rows(0);
  proto::Variable& second = *builder.net().add_variables();
  second = builder.net().variables(0);
  second.mutable_tensor()->set_name("second");
  second.set_next("second_next");
  builder.Op("Concat", {"second", "x"}, {"z"}, {{"axis", int64_t{0}}})
      .Op("Identity", {"z"}, {"second_next"})
      .Output("z");
  MaceEngineConfig config;
  config.SetMemoryLimit(3 << 20);
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(MaceEngine::Create(builder.Load(), {}, {}, config, &engine).ok());
  const Tensors before = {{"past", FloatTensor({1, 2}, {1, 2})},
                          {"second", FloatTensor({1, 2}, {3, 4})}};
  ASSERT_TRUE(engine->SetState(before).ok());
  // There is memory for one of them.
  const MaceTensor large = FloatTensor({1 << 18, 2}, Floats(1 << 19));
  const MaceStatus status =
      engine->SetState({{"past", large}, {"second", large}});
  EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  Tensors after;
  ASSERT_TRUE(engine->GetState(&after).ok());
  for (const auto& [name, tensor] : before) {
    EXPECT_EQ(after[name].shape(), (Shape{1, 2})) << name;
    EXPECT_EQ(Values(after[name]), Values(tensor)) << name;
  }
  ASSERT_TRUE(engine->SetState({{"second", large}}).ok());
}

TEST(GrowingStates, AreResetTogetherOrNotAtAll) {
  constexpr int64_t kRows = 1 << 18;  // 2 MiB
  ModelBuilder builder = Rows(0, {9, 9});
  builder.Weight("many", {kRows, 2}, Floats(2 * kRows, 8));
  proto::Variable& second = *builder.net().add_variables();
  second = builder.net().variables(0);
  second.mutable_tensor()->set_name("second");
  second.set_next("second_next");
  second.set_initial("many");
  builder.Op("Concat", {"second", "x"}, {"z"}, {{"axis", int64_t{0}}})
      .Op("Identity", {"z"}, {"second_next"})
      .Output("z");
  MaceEngineConfig config;
  config.SetMemoryLimit(5 << 20);
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus created =
      MaceEngine::Create(builder.Load(), {}, {}, config, &engine);
  ASSERT_TRUE(created.ok()) << created.information();
  // Takes the memory that the first value of `second` needs.
  Tensors copy = {{"second", MaceTensor()}};
  ASSERT_TRUE(engine->GetState(&copy).ok());
  const Tensors before = {{"past", FloatTensor({2, 2}, {1, 2, 3, 4})},
                          {"second", FloatTensor({1, 2}, {5, 6})}};
  ASSERT_TRUE(engine->SetState(before).ok());
  EXPECT_EQ(engine->ResetState().code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  Tensors after;
  ASSERT_TRUE(engine->GetState(&after).ok());
  for (const auto& [name, tensor] : before) {
    EXPECT_EQ(after[name].shape(), tensor.shape()) << name;
    EXPECT_EQ(Values(after[name]), Values(tensor)) << name;
  }
  copy.clear();
  ASSERT_TRUE(engine->ResetState().ok());
  EXPECT_EQ(engine->states()[0].shape, (Shape{1, 2}));
  EXPECT_EQ(engine->states()[1].shape, (Shape{kRows, 2}));
}

TEST(GrowingStates, OfNodesWithoutInputsAreRefused) {
  ModelBuilder builder = Rows(0);
  builder.net().mutable_op(1)->clear_input();
  std::shared_ptr<MaceEngine> engine;
  EXPECT_EQ(
      MaceEngine::Create(builder.Load(), {}, {}, MaceEngineConfig(), &engine)
          .code(),
      MaceStatus::MACE_INVALID_MODEL);
}

TEST(GrowingStates, BeginWithTheirFirstValues) {
  ModelBuilder builder = Rows(4, {9, 9, 8, 8});
  const auto engine = Create(builder);
  Floats y;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(RunOn(*engine, {1, 2}, &y).ok());
    EXPECT_EQ(y, (Floats{9, 9, 8, 8, 1, 2}));
    ASSERT_TRUE(engine->ResetState().ok());
  }
}

TEST(GrowingStates, EndAtTheirLargestShape) {
  ModelBuilder builder = Rows(3);
  const auto engine = Create(builder);
  Floats y;
  ASSERT_TRUE(RunOn(*engine, {1, 2, 3, 4}, &y).ok());
  const MaceStatus status = RunOn(*engine, {5, 6, 7, 8}, &y);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(status.information(),
            "state 'past' may be [-1,2] (-1: any extent, at most those of "
            "[3,2]), but its next value 'next' is f32[4,2]; ResetState gives "
            "it its first value");
  // The state stayed as it was.
  ASSERT_TRUE(RunOn(*engine, {5, 6}, &y).ok());
  EXPECT_EQ(y, (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(GrowingStates, RefuseOtherValues) {
  ModelBuilder builder = Rows(3);
  const auto engine = Create(builder);
  // It has no rows now.
  const MaceStatus no_data =
      engine->SetState({{"past", MaceTensor({1, 2}, nullptr)}});
  EXPECT_EQ(no_data.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(no_data.information(), "state 'past' is given no data");
  const std::shared_ptr<float> data = FloatTensor({8}, Floats(8)).data();
  for (const Shape& shape :
       {Shape{4, 2}, Shape{1, 3}, Shape{2}, Shape{-1, 2}}) {
    const MaceStatus status =
        engine->SetState({{"past", MaceTensor(shape, data)}});
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find("and may grow"), std::string::npos)
        << status.information();
  }
  Tensors wrong = {{"past", FloatTensor({1, 2}, {0, 0})}};
  EXPECT_EQ(engine->GetState(&wrong).code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_TRUE(engine->SetState({{"past", FloatTensor({1, 2}, {0, 1})}}).ok());
  Floats y;
  ASSERT_TRUE(RunOn(*engine, {5, 6}, &y).ok());
  EXPECT_EQ(y, (Floats{0, 1, 5, 6}));
}

TEST(GrowingStates, FilesThatContradictThemselves) {
  ModelBuilder builder = Rows(3, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto graph = builder.Graph();
  std::shared_ptr<MaceModel> model;
  const MaceStatus status = MaceModel::Load(
      graph.data(), graph.size(), builder.Data(), builder.data_size(), &model);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
  EXPECT_NE(status.information().find("its first value is f32[4,2]"),
            std::string::npos)
      << status.information();
}

}  // namespace
}  // namespace mace::testing
