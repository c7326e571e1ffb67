// Engines with ops of the app: what they compute, when which function of an op
// is called, and what an op that fails does.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"
#include "mace/testing/row_sums_op.h"

namespace mace::testing {
namespace {

using ::testing::Test;

// What AddOffset counts, and where it fails.
struct Watch {
  int made = 0, freed = 0, prepared = 0, run = 0;
  std::string fails_in;  // "make", "init", "prepare", "run"
  std::vector<int64_t> prepared_for, run_for;
  int in_place = 0;  // runs that had input and output at one address
};

// y = x + offset [+ the constant input 1], in place where it may.
class AddOffset : public MaceCustomOp {
 public:
  explicit AddOffset(Watch* watch) : watch_(watch) { ++watch_->made; }
  ~AddOffset() override { ++watch_->freed; }

  MaceStatus Init(const MaceOpAttributes& attributes) override {
    if (watch_->fails_in == "init") return Failed("no such table");
    return attributes.Require("offset", &offset_);
  }

  MaceStatus Prepare(MaceOpShapes* shapes) override {
    ++watch_->prepared;
    if (watch_->fails_in == "prepare") return Failed("an odd shape");
    shape_ = shapes->input(0).shape();
    watch_->prepared_for = shape_;
    more_ = 0;
    if (shapes->input(1).present()) {
      const float* more = shapes->input(1).data<float>();
      if (more == nullptr) return Failed("input 1 must be a constant");
      more_ = more[0];
    }
    shapes->SetInPlaceInput(0);
    return shapes->SetOutput(0, IDT_FLOAT, shape_);
  }

  MaceStatus Run(const MaceOpTensors& tensors) override {
    ++watch_->run;
    if (watch_->fails_in == "run") return Failed("the table is empty");
    watch_->run_for = tensors.input(0).shape();
    if (watch_->run_for != shape_) return Failed("prepared for others");
    const float* x = tensors.input(0).data<const float>();
    float* y = tensors.output(0).data<float>();
    watch_->in_place += x == y;
    tensors.ParallelFor(tensors.output(0).num_elements(), 16,
                        [&](size_t begin, size_t end) {
                          for (size_t i = begin; i < end; ++i) {
                            y[i] = x[i] + offset_ + more_;
                          }
                        });
    return MaceStatus();
  }

 private:
  static MaceStatus Failed(const std::string& why) {
    return MaceStatus(MaceStatus::MACE_RUNTIME_ERROR, why);
  }

  Watch* watch_;
  float offset_ = 0, more_ = 0;
  std::vector<int64_t> shape_;
};

MaceOpResolver ResolverOf(Watch* watch) {
  MaceOpResolver resolver;
  const MaceStatus status = resolver.AddCustom("AddOffset", [watch] {
    return std::unique_ptr<MaceCustomOp>(
        watch->fails_in == "make" ? nullptr : new AddOffset(watch));
  });
  EXPECT_TRUE(status.ok()) << status.information();
  return resolver;
}

const AttrMap kRelu = {{"activation", std::string("RELU")}};

// relu(x) -> AddOffset -> AddOffset -> relu.
ModelBuilder TwoOffsets() {
  ModelBuilder b;
  b.Input("x", {2, 3})
      .Op("Activation", {"x"}, {"a"}, kRelu)
      .Op("AddOffset", {"a"}, {"b"}, {{"offset", 1.f}})
      .Op("AddOffset", {"b"}, {"c"}, {{"offset", int64_t{-3}}})
      .Op("Activation", {"c"}, {"y"}, kRelu)
      .Output("y");
  return b;
}

MaceEngineConfig ConfigOf(const MaceOpResolver& resolver, int threads = 1) {
  MaceEngineConfig config;
  EXPECT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
  config.SetOpResolver(resolver);
  return config;
}

MaceStatus Create(ModelBuilder& b, const MaceEngineConfig& config,
                  std::shared_ptr<MaceEngine>* engine) {
  return MaceEngine::Create(b.Load(), {}, {}, config, engine);
}

std::vector<float> RunOn(MaceEngine& engine, const Shape& shape,
                         const std::vector<float>& x) {
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status =
      engine.Run({{"x", FloatTensor(shape, x)}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return status.ok() ? Values(outputs.begin()->second) : std::vector<float>();
}

// Expects that `text` has each of `parts`.
void ExpectHas(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

TEST(CustomOp, InCpp) {
  Watch watch;
  {
    ModelBuilder b = TwoOffsets();
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(b, ConfigOf(ResolverOf(&watch)), &engine);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(watch.made, 2);
    const std::vector<float> x = {-1, 0, 1, 2, 3, 4};
    const std::vector<float> y = {0, 0, 0, 0, 1, 2};
    EXPECT_EQ(RunOn(*engine, {2, 3}, x), y);
    EXPECT_EQ(RunOn(*engine, {2, 3}, x), y);
    EXPECT_EQ(watch.run, 4);
    EXPECT_EQ(watch.in_place, 4);
    EXPECT_EQ(watch.freed, 0);
  }
  EXPECT_EQ(watch.made, 2);
  EXPECT_EQ(watch.freed, 2);
}

TEST(CustomOp, InC) {
  for (const int threads : {1, 3}) {
    RowSumsCounts counts = {};
    {
      MaceOpResolver resolver;
      ASSERT_TRUE(resolver.AddCustom(RowSumsOp(&counts)).ok());
      ModelBuilder b;
      b.Input("x", {5, 4})
          .Op("RowSums", {"x"}, {"y"}, {{"factor", 0.5f}})
          .Output("y");
      std::shared_ptr<MaceEngine> engine;
      ASSERT_TRUE(Create(b, ConfigOf(resolver, threads), &engine).ok());
      std::vector<float> x(20);
      for (int i = 0; i < 20; ++i) x[i] = static_cast<float>(i);
      EXPECT_EQ(RunOn(*engine, {5, 4}, x),
                (std::vector<float>{3, 11, 19, 27, 35}));
      EXPECT_EQ(RunOn(*engine, {1, 4}, {1, 2, 3, 4}), (std::vector<float>{5}));
      EXPECT_EQ(counts.init, 1);
      EXPECT_EQ(counts.invoke, 2);
      EXPECT_EQ(counts.free, 0);
    }
    EXPECT_EQ(counts.free, 1);
    EXPECT_EQ(counts.release, 1);
  }
}

// A plan for other shapes is kept: what an op stored in Prepare is right for
// each Run nevertheless.
TEST(CustomOp, PreparesAgainForEachShape) {
  Watch watch;
  ModelBuilder b = TwoOffsets();
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(Create(b, ConfigOf(ResolverOf(&watch)), &engine).ok());
  EXPECT_EQ(RunOn(*engine, {1, 2}, {5, 1}), (std::vector<float>{3, 0}));
  EXPECT_EQ(watch.prepared_for, (std::vector<int64_t>{1, 2}));
  const int prepared = watch.prepared;
  EXPECT_EQ(RunOn(*engine, {1, 2}, {5, 2}), (std::vector<float>{3, 0}));
  EXPECT_EQ(watch.prepared, prepared);  // the same shapes as before
  EXPECT_EQ(RunOn(*engine, {2, 3}, {3, 4, 5, 6, 7, 8}),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(watch.prepared, prepared + 2);
  EXPECT_EQ(watch.made, 2);
}

TEST(CustomOp, SeesConstants) {
  for (const bool constant : {true, false}) {
    Watch watch;
    ModelBuilder b;
    b.Input("x", {2}).Weight("w", {1}, {10});
    if (!constant) b.Input("z", {1});
    b.Op("AddOffset", {"x", constant ? "w" : "z"}, {"y"}, {{"offset", 1.f}})
        .Output("y");
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(b, ConfigOf(ResolverOf(&watch)), &engine);
    if (constant) {
      ASSERT_TRUE(status.ok()) << status.information();
      EXPECT_EQ(RunOn(*engine, {2}, {1, 2}), (std::vector<float>{12, 13}));
    } else {
      ExpectHas(status.information(), {"AddOffset 'y'", "must be a constant"});
    }
    engine.reset();
    EXPECT_EQ(watch.made, watch.freed);
  }
}

// Even a node that has constants only runs in each Run: ops may have effects.
TEST(CustomOp, IsNotFolded) {
  Watch watch;
  ModelBuilder b;
  b.Input("x", {1})
      .Weight("w", {1}, {4})
      .Op("AddOffset", {"w"}, {"c"}, {{"offset", 1.f}})
      .Op("Eltwise", {"x", "c"}, {"y"}, {{"type", std::string("SUM")}})
      .Output("y");
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(Create(b, ConfigOf(ResolverOf(&watch)), &engine).ok());
  EXPECT_EQ(watch.run, 0);
  EXPECT_EQ(RunOn(*engine, {1}, {1}), (std::vector<float>{6}));
  EXPECT_EQ(watch.run, 1);
  EXPECT_EQ(watch.in_place, 0);  // weights are not written to
}

// Of an output that nobody asks for no op is called.
TEST(CustomOp, IsNotCalledWhereNothingReadsIt) {
  Watch watch;
  ModelBuilder b = TwoOffsets();
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(MaceEngine::Create(b.Load(), {}, {"a"},
                                 ConfigOf(ResolverOf(&watch)), &engine)
                  .ok());
  EXPECT_EQ(watch.made, 0);
}

// All ways to share memory, and guard mode, give the same.
TEST(CustomOp, TakesPartInMemoryPlans) {
  for (const char* strategy : {"AUTO", "PRESERVE_ALL", "offsets/NAIVE"}) {
    Watch watch;
    RowSumsCounts counts = {};
    MaceOpResolver resolver = ResolverOf(&watch);
    ASSERT_TRUE(resolver.AddCustom(RowSumsOp(&counts)).ok());
    ModelBuilder b = TwoOffsets();
    b.Op("RowSums", {"y"}, {"s"}, {{"factor", 1.f}})
        .Op("AddOffset", {"s"}, {"t"}, {{"offset", 1.f}})
        .Op("Activation", {"t"}, {"u"}, kRelu);
    b.net().clear_output_info();
    b.Output("u");
    MaceEngineConfig config = ConfigOf(resolver, 2);
    ASSERT_TRUE(config.SetMemoryStrategy(strategy).ok());
    config.SetGuard(true);
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(b, config, &engine);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(RunOn(*engine, {2, 3}, {3, 4, 5, 6, 7, 8}),
              (std::vector<float>{7, 16}));
    std::string memory;
    ASSERT_TRUE(engine->Dump("memory", &memory).ok());
    ExpectHas(memory, {"s (scratch)"});
  }
}

TEST(CustomOp, ArenaOfTheCaller) {
  RowSumsCounts counts = {};
  MaceOpResolver resolver;
  ASSERT_TRUE(resolver.AddCustom(RowSumsOp(&counts)).ok());
  ModelBuilder b;
  b.Input("x", {8, 4})
      .Op("RowSums", {"x"}, {"y"}, {{"factor", 1.f}})
      .Output("y");
  size_t bytes = 0;
  ASSERT_TRUE(
      MaceEngine::QueryArenaBytes(b.Load(), {}, ConfigOf(resolver), &bytes)
          .ok());
  EXPECT_EQ(bytes, 64);  // eight doubles
  EXPECT_EQ(counts.init, 1);
  EXPECT_EQ(counts.free, 1);
  EXPECT_EQ(counts.invoke, 0);
}

// Two engines of one model have states of their own.
TEST(CustomOp, StatesBelongToAnEngine) {
  Watch watch;
  ModelBuilder b = TwoOffsets();
  const std::shared_ptr<MaceModel> model = b.Load();
  std::shared_ptr<MaceEngine> one, two;
  {
    const MaceEngineConfig config = ConfigOf(ResolverOf(&watch));
    ASSERT_TRUE(MaceEngine::Create(model, {}, {}, config, &one).ok());
    ASSERT_TRUE(MaceEngine::Create(model, {}, {}, config, &two).ok());
  }
  EXPECT_EQ(watch.made, 4);
  one.reset();
  EXPECT_EQ(watch.freed, 2);
  EXPECT_EQ(RunOn(*two, {1, 1}, {4}), (std::vector<float>{2}));
  two.reset();
  EXPECT_EQ(watch.freed, 4);
}

TEST(CustomOp, FailsInEachCallOfCreate) {
  const struct {
    const char* in;
    std::vector<std::string> message;
  } kCases[] = {
      {"make", {"AddOffset 'b'", "init failed", "factory made no object"}},
      {"init", {"AddOffset 'b'", "init failed", "no such table"}},
      {"prepare", {"AddOffset 'b'", "prepare failed", "an odd shape"}},
  };
  for (const auto& c : kCases) {
    Watch watch;
    watch.fails_in = c.in;
    ModelBuilder b = TwoOffsets();
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(b, ConfigOf(ResolverOf(&watch)), &engine);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
    ExpectHas(status.information(), c.message);
    EXPECT_EQ(engine, nullptr);
    EXPECT_EQ(watch.made, watch.freed) << c.in;
  }
}

TEST(CustomOp, EngineIsUsableAfterARunThatFailed) {
  Watch watch;
  ModelBuilder b = TwoOffsets();
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(Create(b, ConfigOf(ResolverOf(&watch)), &engine).ok());
  std::map<std::string, MaceTensor> outputs;
  const std::vector<float> x = {3, 4, 5, 6, 7, 8};
  watch.fails_in = "run";
  MaceStatus status = engine->Run({{"x", FloatTensor({2, 3}, x)}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
  ExpectHas(status.information(),
            {"AddOffset 'b'", "invoke failed", "table is empty"});
  watch.fails_in = "";
  EXPECT_EQ(RunOn(*engine, {2, 3}, x), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  // A shape that the op refuses, and then the old one again.
  watch.fails_in = "prepare";
  status = engine->Run({{"x", FloatTensor({1, 1}, {1})}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  ExpectHas(status.information(), {"AddOffset 'b'", "an odd shape", "[1,1]"});
  watch.fails_in = "";
  EXPECT_EQ(RunOn(*engine, {2, 3}, x), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  engine.reset();
  EXPECT_EQ(watch.made, 2);
  EXPECT_EQ(watch.freed, 2);
}

TEST(CustomOp, AttributesAreReadByNameAndType) {
  const struct {
    AttrMap attrs;
    std::string message;
  } kCases[] = {
      {{}, "attribute 'offset' is missing"},
      {{{"offset", std::string("1")}}, "'offset' is a string, not a float"},
      {{{"offset", std::vector<float>{1}}}, "is a list of floats, not a float"},
  };
  for (const auto& c : kCases) {
    Watch watch;
    ModelBuilder b;
    b.Input("x", {1}).Op("AddOffset", {"x"}, {"y"}, c.attrs).Output("y");
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(b, ConfigOf(ResolverOf(&watch)), &engine);
    ExpectHas(status.information(), {"AddOffset 'y'", c.message});
    EXPECT_EQ(watch.made, watch.freed);
  }
}

TEST(CustomOp, AsksForAVersion) {
  RowSumsCounts counts = {};
  MaceOpResolver resolver;
  ASSERT_TRUE(resolver.AddCustom(RowSumsOp(&counts)).ok());
  for (const int64_t version : {1, 2}) {
    ModelBuilder b;
    b.Input("x", {1, 2})
        .Op("RowSums", {"x"}, {"y"}, {{"factor", 1.f}, {"op_version", version}})
        .Output("y");
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(b, ConfigOf(resolver), &engine);
    EXPECT_EQ(status.ok(), version == 1) << status.information();
    if (version == 1) continue;
    ExpectHas(status.information(),
              {"RowSums 'y'", "asks for version 2", "version 1 is registered"});
  }
}

TEST(CustomOp, NotRegistered) {
  ModelBuilder b = TwoOffsets();
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status = Create(b, MaceEngineConfig(), &engine);
  EXPECT_EQ(status.code(), MaceStatus::MACE_UNSUPPORTED);
  ExpectHas(status.information(),
            {"node 'b'", "no op 'AddOffset'", "MaceOpResolver::AddCustom"});
}

}  // namespace
}  // namespace mace::testing
