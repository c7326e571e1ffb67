// States: what an engine keeps from run to run.
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

// y = x + sum, where the state sum is the y of the run before, from `first` on.
ModelBuilder Sums(const std::vector<float>& first = {}) {
  ModelBuilder b;
  b.Input("x", {1, 2});
  proto::Variable& state = *b.net().add_variables();
  state.mutable_tensor()->set_name("sum");
  state.mutable_tensor()->add_dims(1);
  state.mutable_tensor()->add_dims(2);
  state.set_next("next");
  if (!first.empty()) {
    b.Weight("first", {1, 2}, first);
    state.set_initial("first");
  }
  b.Op("Eltwise", {"x", "sum"}, {"y"}, {{"type", std::string("SUM")}})
      .Op("Identity", {"y"}, {"next"})
      .Output("y");
  return b;
}

std::shared_ptr<MaceEngine> Engine(
    std::shared_ptr<MaceModel> model,
    const MaceEngineConfig& config = MaceEngineConfig()) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(std::move(model), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> RunOn(MaceEngine& engine, const std::vector<float>& x) {
  Tensors outputs;
  const MaceStatus ran = engine.Run({{"x", FloatTensor({1, 2}, x)}}, &outputs);
  EXPECT_TRUE(ran.ok()) << ran.information();
  EXPECT_EQ(outputs.size(), 1u);
  return ran.ok() ? Values(outputs["y"]) : std::vector<float>();
}

std::vector<float> StateOf(const MaceEngine& engine) {
  Tensors states;
  EXPECT_TRUE(engine.GetState(&states).ok());
  EXPECT_EQ(states.count("sum"), 1u);
  return Values(states["sum"]);
}

using Floats = std::vector<float>;

TEST(States, LastFromRunToRun) {
  const auto engine = Engine(Sums().Load());
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{1, 2}));
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{2, 4}));
  EXPECT_EQ(StateOf(*engine), (Floats{2, 4}));
  EXPECT_TRUE(engine->ResetState().ok());
  EXPECT_EQ(StateOf(*engine), (Floats{0, 0}));
  EXPECT_EQ(RunOn(*engine, {5, 5}), (Floats{5, 5}));
}

TEST(States, BeginWithTheirFirstValues) {
  const auto engine = Engine(Sums({10, 20}).Load());
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{11, 22}));
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{12, 24}));
  EXPECT_TRUE(engine->ResetState().ok());
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{11, 22}));
}

// Of the weight's two bytes and its scale.
TEST(States, BeginWithTheValuesOfAQuantizedWeight) {
  ModelBuilder b = Sums();
  b.QuantizedWeight("first", {1, 2}, {10, -20}, {0.5f});
  b.net().mutable_variables(0)->set_initial("first");
  const auto engine = Engine(b.Load());
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{6, -8}));
  EXPECT_TRUE(engine->ResetState().ok());
  EXPECT_EQ(StateOf(*engine), (Floats{5, -10}));
}

TEST(States, AreNoInputsAndNoOutputs) {
  const auto model = Sums().Load();
  const auto engine = Engine(model);
  ASSERT_EQ(engine->inputs().size(), 1u);
  ASSERT_EQ(engine->outputs().size(), 1u);
  EXPECT_EQ(engine->inputs()[0].name, "x");
  ASSERT_EQ(engine->states().size(), 1u);
  EXPECT_EQ(engine->states()[0].name, "sum");
  EXPECT_EQ(engine->states()[0].shape, (std::vector<int64_t>{1, 2}));
  const MaceTensor x = FloatTensor({1, 2}, {1, 2});
  Tensors outputs;
  MaceStatus status = engine->Run({{"x", x}, {"sum", x}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("'sum' is no input but a state"),
            std::string::npos)
      << status.information();
  outputs = {{"next", MaceTensor()}};
  status = engine->Run({{"x", x}}, &outputs);
  EXPECT_NE(status.information().find("it becomes the state 'sum'"),
            std::string::npos)
      << status.information();
  std::shared_ptr<MaceEngine> cut;
  status = MaceEngine::Create(model, {}, {"next"}, MaceEngineConfig(), &cut);
  EXPECT_NE(status.information().find("read it by GetState"), std::string::npos)
      << status.information();
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{1, 2}));  // nothing has changed
}

// y, the next value of `sum`, has an element for each of x that is not 0, so
// that the plan waits for data: the sum of its indices.
ModelBuilder Waiting() {
  using Ints = std::vector<int64_t>;
  ModelBuilder b;
  b.Input("x", {1, 2});
  proto::Variable& state = *b.net().add_variables();
  state.mutable_tensor()->set_name("sum");
  state.mutable_tensor()->add_dims(1);
  state.set_next("next");
  b.WeightI32("start", {0})
      .WeightI32("axis", {1})
      .Op("NonZero", {"x"}, {"all", "count"})
      .Op("Slice", {"all", "start", "count", "axis"}, {"places"})
      .Op("Cast", {"places"}, {"floats"}, {{"to", std::string("f32")}})
      .Op("Reduce", {"floats"}, {"indices"},
          {{"reduce_type", std::string("SUM")},
           {"axis", Ints{0}},
           {"keepdims", int64_t{0}}})
      .Op("Eltwise", {"indices", "sum"}, {"y"}, {{"type", std::string("SUM")}})
      .Op("Identity", {"y"}, {"next"})
      .Output("y");
  return b;
}

TEST(States, MayWaitForData) {
  const auto engine = Engine(Waiting().Load());
  EXPECT_EQ(RunOn(*engine, {0, 7}), (Floats{1}));
  EXPECT_EQ(RunOn(*engine, {0, 7}), (Floats{2}));
  Tensors outputs;
  const MaceStatus status =
      engine->Run({{"x", FloatTensor({1, 2}, {7, 7})}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("'next'"), std::string::npos)
      << status.information();
  EXPECT_EQ(StateOf(*engine), (Floats{2}));
  EXPECT_EQ(RunOn(*engine, {0, 7}), (Floats{3}));
}

TEST(States, AreReadAndWritten) {
  const auto engine = Engine(Sums().Load());
  EXPECT_TRUE(engine->SetState({{"sum", FloatTensor({1, 2}, {3, 4})}}).ok());
  EXPECT_EQ(RunOn(*engine, {1, 1}), (Floats{4, 5}));
  const MaceTensor mine = FloatTensor({1, 2}, {0, 0});
  Tensors states = {{"sum", mine}};
  EXPECT_TRUE(engine->GetState(&states).ok());
  EXPECT_EQ(Values(mine), (Floats{4, 5}));
  const auto expect = [](const MaceStatus& status, const std::string& text) {
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find(text), std::string::npos)
        << status.information();
  };
  expect(engine->SetState({{"h", mine}}),
         "there is no state named 'h'; the states are 'sum'");
  expect(engine->SetState({{"sum", FloatTensor({2, 1}, {1, 2})}}),
         "state 'sum' is f32[1,2], the tensor given is f32[2,1]");
  expect(engine->SetState({{"sum", MaceTensor({1, 2}, nullptr)}}),
         "state 'sum' is given no data");
  expect(engine->GetState(nullptr), "states is null");
  states = {{"h", MaceTensor()}};
  expect(engine->GetState(&states), "there is no state named 'h'");
  // One that is wrong leaves all as they are.
  expect(engine->SetState({{"sum", FloatTensor({1, 2}, {7, 7})}, {"t", mine}}),
         "there is no state named 't'");
  EXPECT_EQ(StateOf(*engine), (Floats{4, 5}));
}

TEST(States, EachEngineHasItsOwn) {
  const auto model = Sums().Load();
  const auto first = Engine(model);
  MaceEngineConfig sharing;
  ASSERT_TRUE(sharing.ShareMemoryWith(first.get()).ok());
  const auto second = Engine(model, sharing);
  EXPECT_EQ(RunOn(*first, {1, 2}), (Floats{1, 2}));
  EXPECT_EQ(RunOn(*second, {10, 10}), (Floats{10, 10}));
  EXPECT_EQ(RunOn(*first, {1, 2}), (Floats{2, 4}));
  EXPECT_TRUE(first->ReleaseIntermediateBuffer().ok());
  EXPECT_EQ(RunOn(*second, {10, 10}), (Floats{20, 20}));
  EXPECT_EQ(RunOn(*first, {1, 2}), (Floats{3, 6}));
}

TEST(States, RunsThatFailLeaveThem) {
  const auto engine = Engine(Sums().Load());
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{1, 2}));
  MaceCancellation cancellation;
  cancellation.Cancel();
  Tensors outputs;
  EXPECT_EQ(
      engine->Run({{"x", FloatTensor({1, 2}, {9, 9})}}, &outputs, cancellation)
          .code(),
      MaceStatus::MACE_CANCELLED);
  EXPECT_FALSE(engine->Run({}, &outputs).ok());
  EXPECT_EQ(StateOf(*engine), (Floats{1, 2}));
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{2, 4}));
}

// The lengths of a GRU's sequences are checked after other nodes ran.
TEST(States, KernelsThatFailLeaveThem) {
  ModelBuilder b;
  b.Input("x", {1, 2}).Input("index", {1});
  b.net().mutable_input_info(1)->set_data_type(proto::DT_INT32);
  proto::Variable& state = *b.net().add_variables();
  state.mutable_tensor()->set_name("sum");
  state.mutable_tensor()->add_dims(1);
  state.mutable_tensor()->add_dims(2);
  state.set_next("next");
  b.Op("Eltwise", {"x", "sum"}, {"next"}, {{"type", std::string("SUM")}})
      .Op("Gather", {"next", "index"}, {"y"})
      .Output("y");
  const auto engine = Engine(b.Load());
  const auto run = [&](int32_t index) {
    const auto data = std::make_shared<int32_t>(index);
    Tensors outputs;
    return engine->Run({{"x", FloatTensor({1, 2}, {1, 2})},
                        {"index", MaceTensor({1}, data, IDT_INT32)}},
                       &outputs);
  };
  EXPECT_TRUE(run(0).ok());
  EXPECT_EQ(run(5).code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(StateOf(*engine), (Floats{1, 2}));
  EXPECT_TRUE(run(0).ok());
  EXPECT_EQ(StateOf(*engine), (Floats{2, 4}));
}

TEST(States, KeepTheirShapes) {
  const auto engine = Engine(Sums().Load());
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{1, 2}));
  Tensors outputs;
  // x + sum broadcasts to [3,2], which is no value for sum.
  MaceStatus status =
      engine->Run({{"x", FloatTensor({3, 2}, Floats(6))}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find(
                "state 'sum' is f32[1,2] and keeps its shape, but with these "
                "inputs its next value 'next' is f32[3,2]; give inputs of the "
                "model's own shapes, or convert the model for these"),
            std::string::npos)
      << status.information();
  outputs.clear();
  status = engine->Run({{"x", FloatTensor({1, 3}, Floats(3))}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("its states keep their shapes"),
            std::string::npos)
      << status.information();
  EXPECT_EQ(RunOn(*engine, {1, 2}), (Floats{2, 4}));
}

TEST(States, AreReported) {
  const auto engine = Engine(Sums().Load());
  MaceMemoryUsage usage;
  ASSERT_TRUE(engine->GetMemoryUsage(&usage).ok());
  for (const MaceMemoryCategory& c : usage.categories) {
    if (c.name != "variables") continue;
    EXPECT_EQ(c.requested_bytes, 8);
    EXPECT_EQ(c.used_bytes, 16);
    EXPECT_EQ(c.count, 1);
  }
  std::string dump;
  ASSERT_TRUE(engine->Dump("memory", &dump).ok());
  EXPECT_NE(dump.find("state sum f32[1,2], 8 bytes, from next"),
            std::string::npos)
      << dump;
  size_t bytes = 0;
  EXPECT_TRUE(
      MaceEngine::QueryArenaBytes(Sums().Load(), {}, MaceEngineConfig(), &bytes)
          .ok());
}

TEST(States, CountForTheMemoryLimit) {
  ModelBuilder b = Sums();
  b.net().mutable_variables(0)->mutable_tensor()->set_dims(0, 1 << 20);
  MaceEngineConfig config;
  config.SetMemoryLimit(1 << 20);
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(status.information().find("a state"), std::string::npos)
      << status.information();
}

}  // namespace
}  // namespace mace::testing
