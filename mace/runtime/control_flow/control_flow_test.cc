// Tests of models that wait for data: what waits, memory, plans that are kept,
// outputs, and errors.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace {
namespace {

using testing::FloatTensor;
using testing::ModelBuilder;
using testing::Values;
using Tensors = std::map<std::string, MaceTensor>;

// Adds a subgraph, which is built as a model.
void AddSubgraph(const std::string& name, ModelBuilder& from,
                 ModelBuilder* to) {
  proto::Subgraph* subgraph = to->net().add_subgraphs();
  subgraph->set_name(name);
  *subgraph->mutable_op() = from.net().op();
  *subgraph->mutable_input_info() = from.net().input_info();
  *subgraph->mutable_output_info() = from.net().output_info();
}

void SetSubgraph(ModelBuilder* model, int node, const std::string& attr,
                 const std::string& name) {
  proto::Argument* arg = model->net().mutable_op(node)->add_arg();
  arg->set_name(attr);
  arg->set_type(proto::Argument::SUBGRAPH);
  arg->set_s(name);
}

void InputOf(ModelBuilder* model, const std::string& name, const Shape& shape,
             proto::DataType type) {
  model->Input(name, shape);
  auto* inputs = model->net().mutable_input_info();
  inputs->rbegin()->set_data_type(type);
}

template <typename T>
MaceTensor Scalar(T value, IDataType type) {
  auto data = std::make_shared<T>(value);
  return MaceTensor({}, data, type);
}
MaceTensor Bool(bool value) { return Scalar<uint8_t>(value, IDT_BOOL); }
MaceTensor Int(int64_t value) { return Scalar<int64_t>(value, IDT_INT64); }

// y = c ? Exp-like Abs(x) : Concat(x, x), which has another shape.
void BuildIf(ModelBuilder* model) {
  model->net().set_format_version(2);
  ModelBuilder then;
  then.Input("t", {})
      .Op("Unary", {"t"}, {"ty"}, {{"type", "ABS"}})
      .Output("ty");
  ModelBuilder other;
  other.Input("e", {}).Op("Concat", {"e", "e"}, {"ey"}, {{"axis", int64_t{0}}});
  other.Output("ey");
  AddSubgraph("then", then, model);
  AddSubgraph("else", other, model);
  model->Input("x", {2});
  InputOf(model, "c", {}, proto::DT_BOOL);
  model->Op("If", {"c", "x"}, {"y"}).Output("y");
  SetSubgraph(model, 0, "then_branch", "then");
  SetSubgraph(model, 0, "else_branch", "else");
}

// y = x doubled n times, as long as the condition is true.
void BuildLoop(ModelBuilder* model) {
  model->net().set_format_version(2);
  ModelBuilder body;
  InputOf(&body, "i", {}, proto::DT_INT64);
  InputOf(&body, "go", {}, proto::DT_BOOL);
  body.Input("v", {});
  body.Op("Eltwise", {"v", "v"}, {"w"}, {{"type", "SUM"}});
  body.Output("go").Output("w");
  AddSubgraph("body", body, model);
  model->Input("x", {2});
  InputOf(model, "n", {}, proto::DT_INT64);
  InputOf(model, "c", {}, proto::DT_BOOL);
  model->Op("Loop", {"n", "c", "x"}, {"y"}, {{"carried", int64_t{1}}});
  model->Output("y");
  SetSubgraph(model, 0, "body", "body");
}

std::shared_ptr<MaceEngine> Create(
    ModelBuilder& model, const MaceEngineConfig& config = MaceEngineConfig()) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(model.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

// Ifs with a constant condition: each branch holds two Ifs of the next level,
// and the innermost one is an Abs.
ModelBuilder NestedIfs(int levels) {
  ModelBuilder model;
  model.net().set_format_version(2);
  ModelBuilder inner;
  inner.Input("v0", {}).Op("Unary", {"v0"}, {"y0"}, {{"type", "ABS"}});
  inner.Output("y0");
  AddSubgraph("level0", inner, &model);
  for (int i = 1; i <= levels; ++i) {
    const std::string n = std::to_string(i);
    const std::string below = "level" + std::to_string(i - 1);
    ModelBuilder level;
    InputOf(&level, "c" + n, {}, proto::DT_BOOL);
    level.Input("v" + n, {});
    std::vector<std::string> first = {"c" + n, "v" + n}, second;
    if (i > 1) first.insert(first.begin(), "c" + n);
    second = first;
    second.back() = "a" + n;
    level.Op("If", first, {"a" + n}).Op("If", second, {"y" + n});
    for (int k = 0; k < 2; ++k) {
      SetSubgraph(&level, k, "then_branch", below);
      SetSubgraph(&level, k, "else_branch", below);
    }
    level.Output("y" + n);
    AddSubgraph("level" + n, level, &model);
  }
  return model;
}

TEST(ControlFlow, NestedBranchesGrowWithTheFileOnly) {
  for (const int levels : {3, 40}) {
    SCOPED_TRACE(levels);
    ModelBuilder model = NestedIfs(levels);
    InputOf(&model, "c", {}, proto::DT_BOOL);
    model.Input("x", {2});
    model.Op("If", {"c", "c", "x"}, {"y"}).Output("y");
    SetSubgraph(&model, 0, "then_branch", "level" + std::to_string(levels));
    SetSubgraph(&model, 0, "else_branch", "level" + std::to_string(levels));
    const auto engine = Create(model);
    ASSERT_NE(engine, nullptr);
    Tensors outputs;
    const MaceStatus status = engine->Run(
        {{"x", FloatTensor({2}, {-1, 2})}, {"c", Bool(true)}}, &outputs);
    if (levels == 3) {
      ASSERT_TRUE(status.ok()) << status.information();
      EXPECT_EQ(Values(outputs["y"]), (std::vector<float>{1, 2}));
      continue;
    }
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.information().find("branches inside branches add more "
                                        "than 32768 values and nodes"),
              std::string::npos)
        << status.information();
  }
}

TEST(ControlFlow, IfTakesOneBranchAndShapesFollow) {
  ModelBuilder model;
  BuildIf(&model);
  const auto engine = Create(model);
  ASSERT_NE(engine, nullptr);
  for (int k = 0; k < 3; ++k) {
    Tensors outputs;
    ASSERT_TRUE(engine
                    ->Run({{"x", FloatTensor({2}, {-1, 2})}, {"c", Bool(true)}},
                          &outputs)
                    .ok());
    EXPECT_EQ(Values(outputs["y"]), (std::vector<float>{1, 2}));
    ASSERT_TRUE(
        engine
            ->Run({{"x", FloatTensor({2}, {-1, 2})}, {"c", Bool(false)}},
                  &outputs)
            .ok())
        << "the engine's own memory is replaced";
    EXPECT_EQ(Values(outputs["y"]), (std::vector<float>{-1, 2, -1, 2}));
  }
}

TEST(ControlFlow, DumpSaysWhereThePlanWaits) {
  ModelBuilder model;
  BuildIf(&model);
  const auto engine = Create(model);
  std::string text;
  ASSERT_TRUE(engine->Dump("plan", &text).ok());
  EXPECT_NE(text.find("If 'y': the plan waits for data here: 'c'"),
            std::string::npos)
      << text;
  ASSERT_TRUE(engine->Dump("plan_json", &text).ok());
  EXPECT_NE(text.find("\"waits\": [{\"node\": \"If 'y'\", \"input\": \"c\"}]"),
            std::string::npos)
      << text;
}

TEST(ControlFlow, CallersMemoryIsACapacity) {
  ModelBuilder model;
  BuildIf(&model);
  const auto engine = Create(model);
  const Tensors inputs = {{"x", FloatTensor({2}, {-1, 2})}, {"c", Bool(false)}};
  const MaceTensor large = FloatTensor({8}, std::vector<float>(8, 7));
  Tensors outputs = {{"y", large}};
  ASSERT_TRUE(engine->Run(inputs, &outputs).ok());
  EXPECT_EQ(outputs["y"].shape(), (std::vector<int64_t>{4}));
  EXPECT_EQ(outputs["y"].raw_data(), large.raw_data());
  EXPECT_EQ(Values(large), (std::vector<float>{-1, 2, -1, 2, 7, 7, 7, 7}));
  outputs = {{"y", FloatTensor({3}, {0, 0, 0})}};
  const MaceStatus status = engine->Run(inputs, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("output 'y' is f32[4] this time"),
            std::string::npos)
      << status.information();
}

TEST(ControlFlow, LoopsRunAndEnd) {
  ModelBuilder model;
  BuildLoop(&model);
  const auto engine = Create(model);
  for (const auto& [n, want] :
       std::map<int64_t, float>{{-1, 1}, {0, 1}, {1, 2}, {5, 32}}) {
    Tensors outputs;
    const MaceStatus status = engine->Run(
        {{"x", FloatTensor({2}, {1, -1})}, {"n", Int(n)}, {"c", Bool(true)}},
        &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(Values(outputs["y"]), (std::vector<float>{want, -want}));
  }
}

// A file has the loop's name once, whatever the number of nodes in its body.
TEST(ControlFlow, NodesOfALoopHaveShortNames) {
  ModelBuilder model;
  BuildLoop(&model);
  model.net().mutable_op(0)->set_name(std::string(1000000, 'n'));
  const auto engine = Create(model);
  ASSERT_NE(engine, nullptr);
  Tensors outputs;
  RunMetadata metadata;
  const MaceStatus status = engine->Run(
      {{"x", FloatTensor({2}, {1, -1})}, {"n", Int(3)}, {"c", Bool(true)}},
      &outputs, &metadata);
  ASSERT_TRUE(status.ok()) << status.information();
  size_t of_body = 0;
  for (const OperatorStats& op : metadata.op_stats) {
    if (op.type != "Eltwise") continue;
    ++of_body;
    EXPECT_LT(op.operator_name.size(), 300u);
  }
  EXPECT_GT(of_body, 0u);
}

TEST(ControlFlow, DataThatNoNodeTakesAreTheCallersFault) {
  ModelBuilder model;
  InputOf(&model, "shape", {1}, proto::DT_INT64);
  model.Input("x", {2, 3}).Op("Reshape", {"x", "shape"}, {"y"}).Output("y");
  const auto engine = Create(model);
  const auto run = [&](int64_t elements) {
    Tensors outputs;
    return engine->Run(
        {{"x", FloatTensor({2, 3}, {1, 2, 3, 4, 5, 6})},
         {"shape",
          MaceTensor({1}, std::make_shared<int64_t>(elements), IDT_INT64)}},
        &outputs);
  };
  const MaceStatus status = run(9);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(
      status.information(),
      "Reshape 'y': shape [9] does not hold the 6 elements of x f32[2,3]");
  EXPECT_TRUE(run(6).ok());
}

TEST(ControlFlow, EndlessLoopsFail) {
  ModelBuilder model;
  BuildLoop(&model);
  MaceEngineConfig config;
  ASSERT_TRUE(config.Set("max_loop_iterations", "100").ok());
  const auto engine = Create(model, config);
  Tensors outputs;
  const Tensors inputs = {{"x", FloatTensor({2}, {1, -1})},
                          {"n", Int(INT64_MAX)},
                          {"c", Bool(true)}};
  const MaceStatus status = engine->Run(inputs, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_EQ(status.information(),
            "Loop 'y': goes on after 100 iterations (its count is "
            "9223372036854775807), and all loops of the run together had 100; "
            "raise the setting max_loop_iterations if they should");
  Tensors short_run = inputs;
  short_run["n"] = Int(100);
  outputs.clear();
  EXPECT_TRUE(engine->Run(short_run, &outputs).ok());
}

// y = x doubled n times n times: an iteration of the outer loop runs the loop
// of BuildLoop.
void BuildNestedLoop(ModelBuilder* model) {
  ModelBuilder inner, body;
  BuildLoop(&inner);
  *model->net().add_subgraphs() = inner.net().subgraphs(0);
  InputOf(&body, "i", {}, proto::DT_INT64);
  InputOf(&body, "go", {}, proto::DT_BOOL);
  body.Input("v", {});
  InputOf(&body, "m", {}, proto::DT_INT64);
  body.Op("Loop", {"m", "go", "v"}, {"w"}, {{"carried", int64_t{1}}});
  SetSubgraph(&body, 0, "body", "body");
  body.Output("go").Output("w");
  AddSubgraph("outer", body, model);
  model->net().set_format_version(2);
  model->Input("x", {2});
  InputOf(model, "n", {}, proto::DT_INT64);
  InputOf(model, "c", {}, proto::DT_BOOL);
  model->Op("Loop", {"n", "c", "x", "n"}, {"y"}, {{"carried", int64_t{1}}});
  model->Output("y");
  SetSubgraph(model, 0, "body", "outer");
}

// 9 starts of a loop of 9 iterations, and those of the outer one.
TEST(ControlFlow, AllLoopsOfARunShareTheirIterations) {
  for (const auto& [limit, ends] : {std::pair{"90", true}, {"89", false}}) {
    SCOPED_TRACE(limit);
    ModelBuilder model;
    BuildNestedLoop(&model);
    MaceEngineConfig config;
    ASSERT_TRUE(config.Set("max_loop_iterations", limit).ok());
    const auto engine = Create(model, config);
    ASSERT_NE(engine, nullptr);
    for (int run = 0; run < 2; ++run) {  // each has its own
      Tensors outputs;
      const MaceStatus status =
          engine->Run({{"x", FloatTensor({2}, {0.5f, -1})},
                       {"n", Int(9)},
                       {"c", Bool(true)}},
                      &outputs);
      EXPECT_EQ(status.ok(), ends) << status.information();
      if (ends) {
        EXPECT_EQ(Values(outputs["y"])[1], -std::exp2(81.f));
      } else {
        EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
        EXPECT_NE(status.information().find("goes on after 8 iterations"),
                  std::string::npos)
            << status.information();
      }
    }
  }
}

// Also where each iteration is planned anew: x grows.
TEST(ControlFlow, ALoopEndsAtItsDeadline) {
  for (const bool grows : {false, true}) {
    SCOPED_TRACE(grows);
    ModelBuilder model;
    BuildLoop(&model);
    auto* body = model.net().mutable_subgraphs(0)->mutable_op(0);
    if (grows) {
      body->set_type("Concat");
      body->clear_arg();
    }
    MaceEngineConfig config;
    ASSERT_TRUE(config.Set("max_loop_iterations", "2147483647").ok());
    const auto engine = Create(model, config);
    ASSERT_NE(engine, nullptr);
    const MaceDeadline deadline(grows ? 500 : 20000);
    Tensors outputs;
    const MaceStatus status = engine->Run({{"x", FloatTensor({2}, {1, -1})},
                                           {"n", Int(INT64_MAX)},
                                           {"c", Bool(true)}},
                                          &outputs, deadline);
    EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED)
        << status.information();
    EXPECT_NE(status.information().find("deadline"), std::string::npos);
  }
}

TEST(ControlFlow, ACancelledLoopEnds) {
  ModelBuilder model;
  BuildLoop(&model);
  const auto engine = Create(model);
  MaceCancellation cancellation;
  cancellation.Cancel();
  Tensors outputs;
  EXPECT_EQ(engine
                ->Run({{"x", FloatTensor({2}, {1, -1})},
                       {"n", Int(INT64_MAX)},
                       {"c", Bool(true)}},
                      &outputs, cancellation)
                .code(),
            MaceStatus::MACE_CANCELLED);
}

// What creating an engine says.
std::string ErrorOf(ModelBuilder& model) {
  std::shared_ptr<MaceModel> loaded;
  const auto graph = model.Graph();
  MaceStatus status = MaceModel::Load(graph.data(), graph.size(), model.Data(),
                                      model.data_size(), &loaded);
  std::shared_ptr<MaceEngine> engine;
  if (status.ok()) {
    status = MaceEngine::Create(loaded, {}, {}, MaceEngineConfig(), &engine);
  }
  return status.ok() ? "" : status.information();
}

TEST(ControlFlow, MalformedNodesAreRefused) {
  ModelBuilder missing;
  missing.net().set_format_version(2);
  missing.Input("x", {2}).Op("Loop", {"x", "x"}, {"y"}).Output("y");
  EXPECT_NE(ErrorOf(missing).find("its attribute body names no subgraph"),
            std::string::npos)
      << ErrorOf(missing);

  ModelBuilder counts;
  BuildLoop(&counts);
  counts.net().mutable_op(0)->add_input("x");
  EXPECT_NE(ErrorOf(counts).find("its body has 3 inputs and 2 outputs; it must "
                                 "have 4 and 2"),
            std::string::npos)
      << ErrorOf(counts);

  ModelBuilder condition;
  BuildIf(&condition);
  condition.net().mutable_op(0)->set_input(0, "x");
  EXPECT_NE(ErrorOf(condition).find("its condition 'x' is f32[2], it must be "
                                    "one bool"),
            std::string::npos)
      << ErrorOf(condition);
}

TEST(ControlFlow, DeepNestingIsRefused) {
  ModelBuilder model;
  model.net().set_format_version(2);
  for (int k = 0; k < 80; ++k) {
    ModelBuilder branch;
    InputOf(&branch, "c", {}, proto::DT_BOOL);
    branch.Input("t", {});
    if (k == 0) {
      branch.Op("Unary", {"t"}, {"y"}, {{"type", "ABS"}});
    } else {
      branch.Op("If", {"c", "c", "t"}, {"y"});
      SetSubgraph(&branch, 0, "then_branch", "s" + std::to_string(k - 1));
      SetSubgraph(&branch, 0, "else_branch", "s" + std::to_string(k - 1));
    }
    branch.Output("y");
    AddSubgraph("s" + std::to_string(k), branch, &model);
  }
  model.Input("x", {2}).Op("Unary", {"x"}, {"y"}, {{"type", "ABS"}});
  model.Output("y");
  EXPECT_NE(ErrorOf(model).find("nest more than 64 levels deep"),
            std::string::npos)
      << ErrorOf(model);
}

TEST(ControlFlow, RecursionIsRefused) {
  ModelBuilder model;
  BuildLoop(&model);
  proto::Subgraph* body = model.net().mutable_subgraphs(0);
  proto::Argument* arg = body->mutable_op(0)->add_arg();
  arg->set_name("body");
  arg->set_type(proto::Argument::SUBGRAPH);
  arg->set_s("body");
  EXPECT_NE(ErrorOf(model).find("which is not there or comes later"),
            std::string::npos)
      << ErrorOf(model);
}

TEST(ControlFlow, ATextNamesNoSubgraph) {
  ModelBuilder model;
  BuildLoop(&model);
  for (proto::Argument& arg : *model.net().mutable_op(0)->mutable_arg()) {
    if (arg.name() == "body") arg.set_type(proto::Argument::STRING);
  }
  EXPECT_NE(ErrorOf(model).find("must be of the type SUBGRAPH"),
            std::string::npos)
      << ErrorOf(model);
}

// It is checked when it runs, as the loop before it ends the plan.
TEST(ControlFlow, ALoopOfALoopsResultIsChecked) {
  ModelBuilder model;
  BuildLoop(&model);
  proto::OperatorDef* second = model.net().add_op();
  second->set_name("second");
  second->set_type("Loop");
  second->add_input(model.net().op(0).output(0));
  second->add_output("z");
  model.Output("z");
  const auto engine = Create(model);
  ASSERT_NE(engine, nullptr);
  Tensors outputs;
  const MaceStatus status = engine->Run(
      {{"x", FloatTensor({2}, {1, -1})}, {"n", Int(3)}, {"c", Bool(true)}},
      &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL)
      << status.information();
}

}  // namespace
}  // namespace mace
