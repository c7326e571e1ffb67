// The spans of engines: as a Chrome trace, and as sections of a fake of
// Android's.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/trace.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using nlohmann::json;

// x -> TANH -> Softmax -> y, for any number of rows.
std::shared_ptr<MaceModel> TwoOps(const std::string& first = "a") {
  ModelBuilder b;
  b.Input("x", {1, 4})
      .Op("Activation", {"x"}, {first}, {{"activation", std::string("TANH")}})
      .Op("Softmax", {first}, {"y"})
      .Output("y");
  return b.Load();
}

std::shared_ptr<MaceEngine> Engine(const std::shared_ptr<MaceModel>& model,
                                   const char* tracing = "1") {
  MaceEngineConfig config;
  EXPECT_TRUE(config.Set("tracing", tracing).ok());
  EXPECT_TRUE(config.SetCPUThreadPolicy(1, AFFINITY_NONE).ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status = MaceEngine::Create(model, {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

MaceStatus RunRows(MaceEngine& engine, int64_t rows,
                   RunMetadata* metadata = nullptr) {
  std::map<std::string, MaceTensor> outputs;
  const std::vector<float> x(static_cast<size_t>(rows) * 4, 0.5f);
  return engine.Run({{"x", FloatTensor({rows, 4}, x)}}, &outputs, metadata);
}

json TraceOf(const MaceEngine& engine) {
  std::string text;
  const MaceStatus status = engine.Dump("trace", &text);
  EXPECT_TRUE(status.ok()) << status.information();
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// The spans of this name, in their order.
std::vector<json> Spans(const json& trace, const std::string& name) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("name") == name) {
      found.push_back(event);
    }
  }
  return found;
}

bool Within(const json& inner, const json& outer) {
  const int64_t begin = inner.at("ts"), outer_begin = outer.at("ts");
  return begin >= outer_begin &&
         begin + inner.at("dur").get<int64_t>() <=
             outer_begin + outer.at("dur").get<int64_t>();
}

TEST(Trace, HasCreationRunsAndOps) {
  const auto engine = Engine(TwoOps());
  RunMetadata metadata;
  ASSERT_TRUE(RunRows(*engine, 1).ok());
  ASSERT_TRUE(RunRows(*engine, 1, &metadata).ok());
  EXPECT_EQ(metadata.op_stats.size(), 2u);  // the caller's are as ever
  const json trace = TraceOf(*engine);
  const auto created = Spans(trace, "create engine");
  const auto plans = Spans(trace, "plan"), runs = Spans(trace, "run");
  ASSERT_EQ(created.size(), 1u);
  ASSERT_EQ(plans.size(), 1u);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(Within(plans[0], created[0]));
  for (const char* op : {"Activation a", "Softmax y"}) {
    const auto spans = Spans(trace, op);
    ASSERT_EQ(spans.size(), 2u) << op;
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(Within(spans[i], runs[i])) << op;
      EXPECT_EQ(spans[i].at("cat"), "op");
      EXPECT_EQ(spans[i].at("args").at("device"), "CPU");
      EXPECT_EQ(spans[i].at("args").at("output_shape"), "[1, 4]");
      EXPECT_EQ(spans[i].at("pid"), getpid());
      EXPECT_EQ(spans[i].at("tid"), syscall(SYS_gettid));
    }
  }
  EXPECT_EQ(trace.at("otherData").at("dropped_spans"), 0);
  EXPECT_EQ(Spans(trace, "wait").size(), 0u);
}

TEST(Trace, IsRefusedWhereItIsOff) {
  const auto engine = Engine(TwoOps(), "0");
  std::string text = "before";
  const MaceStatus status = engine->Dump("trace", &text);
  EXPECT_EQ(status, MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(status.information(),
            "this engine keeps no trace; create it with the setting tracing "
            "(MaceEngineConfig::Set(\"tracing\", \"1\"))");
  EXPECT_EQ(text, "before");
}

TEST(Trace, HasErrorsOfRuns) {
  const auto engine = Engine(TwoOps());
  const MaceStatus wrong = engine->Run({}, nullptr);
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus absent = engine->Run({}, &outputs);
  MaceCancellation cancelled;
  cancelled.Cancel();
  const MaceStatus ended = engine->Run({}, &outputs, cancelled);
  ASSERT_EQ(ended, MaceStatus::MACE_CANCELLED);
  ASSERT_FALSE(wrong.ok() || absent.ok());
  const auto runs = Spans(TraceOf(*engine), "run");
  ASSERT_EQ(runs.size(), 2u);  // without outputs, none began
  EXPECT_EQ(runs[0].at("args").at("error"), absent.information());
  EXPECT_EQ(runs[1].at("args").at("error"), ended.information());
}

TEST(Trace, HasPlansOfNewShapesWithinTheirRun) {
  const auto engine = Engine(TwoOps());
  ASSERT_TRUE(RunRows(*engine, 3).ok());
  ASSERT_TRUE(RunRows(*engine, 3).ok());
  const json trace = TraceOf(*engine);
  const auto plans = Spans(trace, "plan"), runs = Spans(trace, "run");
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_TRUE(Within(plans[1], runs[0]));
}

// NonZero ends a plan: what follows is planned within the run.
TEST(Trace, HasDeferredPlansAndTheirOps) {
  ModelBuilder b;
  b.Input("x", {1, 4})
      .WeightI32("start", {0})
      .WeightI32("axis", {1})
      .Op("NonZero", {"x"}, {"places", "count"})
      .Op("Slice", {"places", "start", "count", "axis"}, {"found"})
      .Op("Cast", {"found"}, {"y"}, {{"to", std::string("f32")}})
      .Output("y");
  std::shared_ptr<MaceEngine> engine;
  MaceEngineConfig config;
  ASSERT_TRUE(config.Set("tracing", "1").ok());
  const MaceStatus created =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  if (!created.ok()) GTEST_FAIL() << created.information();
  ASSERT_TRUE(RunRows(*engine, 1).ok());
  const json trace = TraceOf(*engine);
  const auto plans = Spans(trace, "plan"), runs = Spans(trace, "run");
  ASSERT_EQ(plans.size(), 2u);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_TRUE(Within(plans[1], runs[0]));
  const auto casts = Spans(trace, "Cast y");
  ASSERT_EQ(casts.size(), 1u);
  EXPECT_TRUE(Within(casts[0], runs[0]));
}

TEST(Trace, NamesItsThreads) {
  const auto engine = Engine(TwoOps());
  for (const char* name : {"camera", "preview"}) {
    std::thread([&] {
      pthread_setname_np(pthread_self(), name);
      EXPECT_TRUE(RunRows(*engine, 1).ok());
    }).join();
  }
  std::set<std::string> names;
  std::set<int> threads;
  const json trace = TraceOf(*engine);
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      names.insert(event.at("args").at("name").get<std::string>());
    }
  }
  for (const json& run : Spans(trace, "run"))
    threads.insert(run.at("tid").get<int>());
  EXPECT_EQ(threads.size(), 2u);
  EXPECT_EQ(names.count("camera"), 1u);
  EXPECT_EQ(names.count("preview"), 1u);
}

TEST(Trace, KeepsTheLatest) {
  auto trace = Trace::Create();
  ASSERT_TRUE(trace.ok());
  for (size_t i = 0; i < Trace::kMaxSpans + 3; ++i) {
    (*trace)->Add(i < 3 ? "early" : "late", 0, "");
  }
  const json kept = json::parse((*trace)->ToJson());
  EXPECT_EQ(kept.at("otherData").at("dropped_spans"), 3);
  EXPECT_EQ(Spans(kept, "early").size(), 0u);
  EXPECT_EQ(Spans(kept, "late").size(), Trace::kMaxSpans);
}

// A queue of a GPU runs its kernels one after the other, also where all have
// been submitted before the first one began.
TEST(Trace, PutsKernelsOfAGpuOneAfterTheOther) {
  auto trace = Trace::Create();
  ASSERT_TRUE(trace.ok());
  RunMetadata metadata;
  for (const int64_t submitted : {100, 101, 500}) {
    OperatorStats op;
    op.type = "Conv2d";
    op.device = "GPU";
    op.stats = {submitted, submitted + 50};
    metadata.op_stats.push_back(op);
  }
  (*trace)->AddOps(metadata);
  const json kept = json::parse((*trace)->ToJson());
  const auto spans = Spans(kept, "Conv2d ");
  ASSERT_EQ(spans.size(), 3u);
  const int64_t begins[] = {100, 150, 500};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(spans[i].at("ts"), begins[i]);
    EXPECT_EQ(spans[i].at("dur"), 50);
    EXPECT_EQ(spans[i].at("tid"), 0);
  }
  EXPECT_EQ(kept.at("traceEvents")[0].at("args").at("name"), "GPU queue");
}

TEST(Trace, EscapesNames) {
  const auto engine = Engine(TwoOps("a \"b\"\n\\|c"));
  ASSERT_TRUE(RunRows(*engine, 1).ok());
  EXPECT_EQ(Spans(TraceOf(*engine), "Activation a \"b\"\n\\|c").size(), 1u);
}

// Engines find the fake as Android's library: it is loaded by its name.
class Sections : public ::testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen("mace/testing/fake_android.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    log_ = static_cast<char*>(dlsym(library_, "fake_atrace_log"));
    is_enabled_ = static_cast<bool*>(dlsym(library_, "fake_atrace_is_enabled"));
    ASSERT_NE(log_, nullptr);
    ASSERT_NE(is_enabled_, nullptr);
    log_[0] = '\0';
    *is_enabled_ = true;
  }

  void* library_ = nullptr;
  char* log_ = nullptr;
  bool* is_enabled_ = nullptr;
};

TEST_F(Sections, NestAsTheSpans) {
  const auto engine = Engine(TwoOps());
  ASSERT_TRUE(RunRows(*engine, 1).ok());
  EXPECT_STREQ(log_,
               "<create engine\n<plan\n>\n>\n"
               "<run\n<Activation a\n>\n<Softmax y\n>\n>\n");
}

TEST_F(Sections, AreAbsentWhereNobodyRecords) {
  *is_enabled_ = false;
  const auto engine = Engine(TwoOps());
  ASSERT_TRUE(RunRows(*engine, 1).ok());
  EXPECT_STREQ(log_, "");
  EXPECT_EQ(Spans(TraceOf(*engine), "run").size(), 1u);
}

TEST_F(Sections, AreAbsentWithoutTheSetting) {
  const auto engine = Engine(TwoOps(), "0");
  RunMetadata metadata;
  ASSERT_TRUE(RunRows(*engine, 1, &metadata).ok());
  EXPECT_STREQ(log_, "");
}

TEST_F(Sections, HaveNamesThatAndroidTakes) {
  const auto engine = Engine(TwoOps("a|b\nc" + std::string(200, 'd')));
  ASSERT_TRUE(RunRows(*engine, 1).ok());
  const std::string name = "Activation a b c" + std::string(111, 'd');
  ASSERT_EQ(name.size(), 127u);
  EXPECT_NE(std::string(log_).find('<' + name + "\n>"), std::string::npos)
      << log_;
}

TEST_F(Sections, EndWhereARunFails) {
  const auto engine = Engine(TwoOps());
  log_[0] = '\0';
  std::map<std::string, MaceTensor> outputs;
  EXPECT_FALSE(engine->Run({}, &outputs).ok());
  EXPECT_STREQ(log_, "<run\n>\n");
}

}  // namespace
}  // namespace mace::testing
