// The public API: creating engines, running them, and the errors for wrong
// arguments.
// SPDX-License-Identifier: Apache-2.0

#include <fenv.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <thread>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

// p = softmax(relu(x + w)), q = flatten(relu(x + w)).
ModelBuilder Sample() {
  ModelBuilder b;
  b.Input("x", {2, 3})
      .Weight("w", {3}, {0, 1, 2})
      .Op("Eltwise", {"x", "w"}, {"s"},
          {{"type", std::string("SUM")}, {"activation", std::string("RELU")}})
      .Op("Softmax", {"s"}, {"p"})
      .Op("Reshape", {"s"}, {"q"}, {{"dim", std::vector<int64_t>{-1}}})
      .Output("p")
      .Output("q");
  return b;
}

std::shared_ptr<MaceEngine> Create(
    std::shared_ptr<MaceModel> model,
    const MaceEngineConfig& config = MaceEngineConfig(),
    const std::vector<std::string>& outputs = {}) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(std::move(model), {}, outputs, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

void ExpectError(const MaceStatus& status, MaceStatus::Code code,
                 const std::string& text) {
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(status.information().find(text), std::string::npos)
      << status.information();
}

TEST(MaceEngine, SizesOutputs) {
  const auto engine = Create(Sample().Load());
  std::map<std::string, MaceTensor> outputs;
  ASSERT_TRUE(
      engine->Run({{"x", FloatTensor({2, 3}, {1, 1, 1, -9, 0, 0})}}, &outputs)
          .ok());
  EXPECT_EQ(outputs["p"].shape(), (Shape{2, 3}));
  EXPECT_EQ(outputs["q"].shape(), (Shape{6}));
  EXPECT_EQ(Values(outputs["q"]), (std::vector<float>{1, 2, 3, 0, 1, 2}));
  // NumPy's softmax of [1, 2, 3].
  EXPECT_NEAR(Values(outputs["p"])[2], 0.66524094f, 1e-6);
}

TEST(MaceEngine, WritesTheCallersMemory) {
  const auto engine = Create(Sample().Load());
  MaceTensor q = FloatTensor({2, 3}, std::vector<float>(6, NAN));
  std::map<std::string, MaceTensor> outputs = {{"q", q}};
  ASSERT_TRUE(
      engine->Run({{"x", FloatTensor({2, 3}, {0, 0, 0, 0, 0, 0})}}, &outputs)
          .ok());
  EXPECT_EQ(Values(q), (std::vector<float>{0, 1, 2, 0, 1, 2}));
}

// Neither the app's rounding nor its traps reach an engine, and both stay.
TEST(MaceEngine, FloatEnvironmentOfTheApp) {
  ModelBuilder b;
  b.Input("x", {2, 3})
      .Weight("w", {3, 3}, {0.1f, 0.2f, 0.3f, 0.7f, -0.6f, 0.5f, 1, 3, 7})
      .Op("MatMul", {"x", "w"}, {"m"})
      .Op("Softmax", {"m"}, {"s"})
      .Op("Eltwise", {"s", "x"}, {"p"}, {{"type", std::string("DIV")}})
      .Output("p");
  const MaceTensor x = FloatTensor({2, 3}, {0.1f, 0, 0.3f, -0.7f, 1e-3f, 3});
  std::vector<float> expected;
  for (const int rounding :
       {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(fesetround(rounding), 0);
#if defined(__x86_64__)
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#endif
    ModelBuilder copy = b;
    const auto engine = Create(copy.Load());
    std::map<std::string, MaceTensor> outputs;
    const MaceStatus status = engine->Run({{"x", x}}, &outputs);
    const int after = fegetround();
#if defined(__x86_64__)
    const int traps = fegetexcept();
    fedisableexcept(FE_ALL_EXCEPT);
    EXPECT_EQ(traps, FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#endif
    fesetround(FE_TONEAREST);
    EXPECT_EQ(after, rounding);
    ASSERT_TRUE(status.ok()) << status.information();
    const std::vector<float> values = Values(outputs["p"]);
    if (expected.empty()) expected = values;
    EXPECT_EQ(values, expected) << rounding;
  }
  EXPECT_TRUE(std::isinf(expected[1]));
}

TEST(MaceEngine, AnotherShapeMakesAnotherPlan) {
  const auto engine = Create(Sample().Load());
  for (int round = 0; round < 3; ++round) {
    for (int64_t n : {1, 5, 2}) {
      std::map<std::string, MaceTensor> outputs;
      const std::vector<float> x(3 * n, 1);
      ASSERT_TRUE(engine->Run({{"x", FloatTensor({n, 3}, x)}}, &outputs).ok());
      EXPECT_EQ(outputs["p"].shape(), (Shape{n, 3}));
      EXPECT_EQ(outputs["q"].shape(), (Shape{3 * n}));
      EXPECT_EQ(Values(outputs["q"])[3 * n - 1], 3);
      EXPECT_EQ(engine->outputs()[1].shape, (Shape{3 * n}));
    }
  }
}

TEST(MaceEngine, AnyTensorCanBeAnOutput) {
  const auto engine = Create(Sample().Load(), MaceEngineConfig(), {"s"});
  std::map<std::string, MaceTensor> outputs;
  ASSERT_TRUE(
      engine->Run({{"x", FloatTensor({2, 3}, {0, 0, 0, 0, 0, 0})}}, &outputs)
          .ok());
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(Values(outputs["s"]), (std::vector<float>{0, 1, 2, 0, 1, 2}));
}

TEST(MaceEngine, OutputsThatShareBytes) {
  ModelBuilder b;
  b.Input("x", {4})
      .Weight("w", {2}, {7, 8})
      .Op("Reshape", {"x"}, {"a"}, {{"dim", std::vector<int64_t>{2, 2}}})
      .Op("Activation", {"x"}, {"r"}, {{"activation", std::string("RELU")}})
      .Op("Reshape", {"r"}, {"c"}, {{"dim", std::vector<int64_t>{2, 2}}})
      .Output("x")
      .Output("a")
      .Output("r")
      .Output("c")
      .Output("w");
  const auto engine = Create(b.Load());
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor x = FloatTensor({4}, {-1, 2, -3, 4});
  ASSERT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
  EXPECT_EQ(Values(outputs["x"]), Values(x));
  EXPECT_EQ(Values(outputs["a"]), Values(x));
  EXPECT_EQ(Values(outputs["r"]), (std::vector<float>{0, 2, 0, 4}));
  EXPECT_EQ(Values(outputs["c"]), (std::vector<float>{0, 2, 0, 4}));
  EXPECT_EQ(Values(outputs["w"]), (std::vector<float>{7, 8}));
}

TEST(MaceEngine, ShapesComputedByTheModel) {
  // reshape(x, concat(shape(x)[0:1], [-1])): works for every batch size.
  ModelBuilder b;
  b.Input("x", {2, 2, 3})
      .WeightI32("minus_one", {-1})
      .Op("Shape", {"x"}, {"shape"}, {{"output_type", std::string("i32")}})
      .Op("Slice", {"shape"}, {"batch"},
          {{"starts", std::vector<int64_t>{0}},
           {"ends", std::vector<int64_t>{1}},
           {"axes", std::vector<int64_t>{0}}})
      .Op("Concat", {"batch", "minus_one"}, {"target"}, {{"axis", int64_t{0}}})
      .Op("Reshape", {"x", "target"}, {"y"})
      .Output("y");
  const auto engine = Create(b.Load());
  for (int64_t n : {2, 7}) {
    std::map<std::string, MaceTensor> outputs;
    const MaceTensor x = FloatTensor({n, 2, 3}, std::vector<float>(6 * n, 1));
    const MaceStatus status = engine->Run({{"x", x}}, &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(outputs["y"].shape(), (Shape{n, 6}));
  }
}

TEST(MaceEngine, WrongArguments) {
  const auto engine = Create(Sample().Load());
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor x = FloatTensor({2, 3}, {0, 0, 0, 0, 0, 0});
  const auto code = MaceStatus::MACE_INVALID_ARGS;
  ExpectError(engine->Run({}, &outputs), code, "input 'x' is not given");
  ExpectError(engine->Run({{"x", x}, {"z", x}}, &outputs), code,
              "there is no input named 'z'; the inputs are 'x'");
  ExpectError(
      engine->Run({{"x", FloatTensor({6}, {0, 0, 0, 0, 0, 0})}}, &outputs),
      code, "expected a shape like [2,3], found [6]");
  ExpectError(engine->Run({{"x", FloatTensor({2, -3}, {})}}, &outputs), code,
              "negative extent");
  ExpectError(engine->Run({{"x", MaceTensor({2, 3}, nullptr)}}, &outputs), code,
              "has no data");
  ExpectError(engine->Run({{"x", MaceTensor({2, 3}, x.raw_data(), IDT_INT32)}},
                          &outputs),
              code, "must be f32, got i32");
  ExpectError(engine->Run({{"x", x}}, nullptr), code, "outputs is null");
  const auto memory = std::make_shared<std::array<char, 32>>();
  const MaceTensor shifted(
      {2, 3}, std::shared_ptr<void>(memory, memory->data() + 1), IDT_FLOAT);
  ExpectError(engine->Run({{"x", shifted}}, &outputs), code,
              "input 'x' begins inside an element: the address of its memory "
              "must be a multiple of the 4 bytes of a f32");
  outputs["p"] = shifted;
  ExpectError(engine->Run({{"x", x}}, &outputs), code,
              "output 'p' begins inside an element");
  outputs.clear();
  outputs["y"] = MaceTensor();
  ExpectError(engine->Run({{"x", x}}, &outputs), code,
              "there is no output named 'y'; the outputs are 'p', 'q'");
  outputs.clear();
  outputs["p"] = FloatTensor({2}, {0, 0});
  ExpectError(engine->Run({{"x", x}}, &outputs), code,
              "expected [2,3], the tensor given has [2]");
  outputs.clear();
  ExpectError(engine->Run({{"x", FloatTensor({1, 4}, {0, 0, 0, 0})}}, &outputs),
              code,
              "input 'x': expected [2,3], found [1,4] (the model takes no such "
              "shape: Eltwise 's'");
  // The engine stays usable.
  EXPECT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
}

// Input shapes in NCHW where the model takes NHWC, and the other way around.
TEST(MaceEngine, AnotherOrderOfDimensions) {
  ModelBuilder b;
  b.Input("x", {1, 8, 6, 3})
      .Input("t", {1, 3, 8, 6})
      .Weight("w", {4, 3, 1, 1}, std::vector<float>(12))
      .Op("Conv2d", {"x", "w"}, {"y"})
      .Op("Transpose", {"t"}, {"u"},
          {{"dims", std::vector<int64_t>{0, 2, 3, 1}}})
      .Op("Conv2d", {"u", "w"}, {"z"})
      .Output("y")
      .Output("z");
  const auto engine = Create(b.Load());
  const auto code = MaceStatus::MACE_INVALID_ARGS;
  const std::vector<float> values(5 * 8 * 6 * 3);
  const auto run = [&](const Shape& x, const Shape& t) {
    std::map<std::string, MaceTensor> outputs;
    return engine->Run(
        {{"x", FloatTensor(x, values)}, {"t", FloatTensor(t, values)}},
        &outputs);
  };
  ExpectError(run({1, 3, 8, 6}, {1, 3, 8, 6}), code,
              "input 'x': expected [1,8,6,3], found [1,3,8,6]: is this NCHW? "
              "(the model takes no such shape: Conv2d 'y'");
  ExpectError(run({5, 3, 8, 6}, {1, 3, 8, 6}), code, "is this NCHW?");
  ExpectError(run({1, 8, 6, 3}, {1, 8, 6, 3}), code,
              "input 't': expected [1,3,8,6], found [1,8,6,3]: is this NHWC?");
  ExpectError(run({1, 8, 6, 2}, {1, 3, 8, 6}), code,
              "input 'x': expected [1,8,6,3], found [1,8,6,2] (the model");
  EXPECT_TRUE(run({1, 4, 4, 3}, {5, 3, 8, 6}).ok());
}

TEST(MaceEngine, TooManyThreads) {
  const auto code = MaceStatus::MACE_INVALID_ARGS;
  const char* text = "1000000000 threads are too many; the limit is 1024";
  MaceEngineConfig config;
  ExpectError(config.SetCPUThreadPolicy(1000000000, AFFINITY_NONE), code, text);
  ExpectError(SetOpenMPThreadPolicy(1000000000, AFFINITY_NONE), code, text);
  std::shared_ptr<MaceEngine> engine;
  SetOpenMPThreadAffinity(1000000000, {0});
  ExpectError(
      MaceEngine::Create(Sample().Load(), {}, {}, MaceEngineConfig(), &engine),
      code, text);
  for (int core : {-1, 1 << 20}) {
    SetOpenMPThreadAffinity(1, {core});
    ExpectError(MaceEngine::Create(Sample().Load(), {}, {}, MaceEngineConfig(),
                                   &engine),
                code, "core " + std::to_string(core) + " is out of range");
  }
  ASSERT_TRUE(SetOpenMPThreadPolicy(-1, AFFINITY_NONE).ok());
  Create(Sample().Load());
}

// A null C string is treated as an empty one.
TEST(MaceEngine, NullStrings) {
  const char* const null = nullptr;
  const auto code = MaceStatus::MACE_INVALID_ARGS;
  ModelBuilder b;
  b.Input("x", {2}).Op("Softmax", {"x"}, {"y"}).Output("y");
  std::shared_ptr<MaceEngine> engine;
  for (const MaceStatus& status :
       {CreateMaceEngineFromProto(b.Graph(), nullptr, {"x"}, {"y"},
                                  DeviceType::CPU, &engine),
        CreateMaceEngineFromProto(b.Graph(), null, {"x"}, {"y"},
                                  MaceEngineConfig(), &engine)}) {
    EXPECT_TRUE(status.ok()) << status.information();
  }
  ExpectError(CreateMaceEngineFromProto(b.Graph(), nullptr, {}, {},
                                        DeviceType::CPU, nullptr),
              code, "null");
  std::shared_ptr<MaceModel> model;
  ExpectError(MaceModel::Load(null, null, &model), code, "cannot open ''");
  ExpectError(MaceModel::Load(std::string("/nope"), nullptr, &model), code,
              "/nope");
  MaceEngineConfig config;
  ExpectError(config.SetMemoryStrategy(nullptr), code, "''");
  ExpectError(config.SetGPUDataType(nullptr), code, "''");
  EXPECT_TRUE(config.SetTuning(0, nullptr).ok());
  std::string text;
  ExpectError(engine->Dump(nullptr, &text), code, "''");
  ExpectError(engine->Dump("plan", nullptr), code, "null");
}

TEST(MaceEngine, WrongNamesAtCreation) {
  std::shared_ptr<MaceEngine> engine;
  const auto model = Sample().Load();
  const auto code = MaceStatus::MACE_INVALID_ARGS;
  ExpectError(MaceEngine::Create(model, {"y"}, {}, MaceEngineConfig(), &engine),
              code, "has no input named 'y'; its inputs are 'x'");
  ExpectError(MaceEngine::Create(model, {}, {"z"}, MaceEngineConfig(), &engine),
              code, "has no output named 'z'; its outputs are 'p', 'q'");
  ExpectError(
      MaceEngine::Create(model, {}, {"p", "p"}, MaceEngineConfig(), &engine),
      code, "twice");
  ExpectError(MaceEngine::Create(nullptr, {}, {}, MaceEngineConfig(), &engine),
              code, "null");
  ExpectError(
      MaceEngine::Create(model, {}, {},
                         MaceEngineConfig(static_cast<DeviceType>(1)), &engine),
      MaceStatus::MACE_UNSUPPORTED, "not in this build");
  EXPECT_EQ(engine, nullptr);
}

TEST(MaceEngine, WrongConfig) {
  MaceEngineConfig config;
  ExpectError(config.SetCPUThreadPolicy(1, static_cast<CPUAffinityPolicy>(9)),
              MaceStatus::MACE_INVALID_ARGS,
              "cpu_affinity_policy: '9' is not a whole number from 0 to 4");
  EXPECT_EQ(config.SetWinograd(6), MaceStatus::MACE_SUCCESS);
  ExpectError(config.SetWinograd(3), MaceStatus::MACE_INVALID_ARGS,
              "winograd: '3' is not one of 0, 1, 2, 4, 6");
  ExpectError(config.SetMemoryStrategy("GREEDILY"),
              MaceStatus::MACE_INVALID_ARGS, "GREEDY");
}

TEST(MaceEngine, UnknownOp) {
  ModelBuilder b;
  b.Input("x", {1}).Op("Frobnicate", {"x"}, {"y"}).Output("y");
  std::shared_ptr<MaceEngine> engine;
  ExpectError(MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine),
              MaceStatus::MACE_UNSUPPORTED, "node 'y': this build has no op");
}

TEST(MaceEngine, DeclaredTypesMustBeRight) {
  ModelBuilder b = Sample();
  b.net().mutable_op(0)->add_output_shape()->add_dims(7);
  b.net().mutable_op(0)->add_output_type(proto::DT_FLOAT);
  std::shared_ptr<MaceEngine> engine;
  ExpectError(MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine),
              MaceStatus::MACE_INVALID_MODEL,
              "Eltwise 's': the file says that 's' is f32[7], it is f32[2,3]");
}

// Engines of one model, each on a thread of its own.
TEST(MaceEngine, ShareAModel) {
  const auto model = Sample().Load();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&model, t] {
      MaceEngineConfig config;
      EXPECT_TRUE(config.SetCPUThreadPolicy(1 + t % 2, AFFINITY_NONE).ok());
      const auto engine = Create(model, config);
      for (int i = 0; i < 50; ++i) {
        std::map<std::string, MaceTensor> outputs;
        const std::vector<float> x(6, static_cast<float>(t));
        ASSERT_TRUE(
            engine->Run({{"x", FloatTensor({2, 3}, x)}}, &outputs).ok());
        EXPECT_EQ(Values(outputs["q"])[5], t + 2.f);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Engines of one model and of models of their own are created, run and
// destroyed by 16 threads at once: a thousand times where ThreadSanitizer
// watches.
TEST(MaceEngine, SixteenAreCreatedAtOnce) {
#if defined(__SANITIZE_THREAD__)
  constexpr int kRounds = 1000;
#else
  constexpr int kRounds = 20;
#endif
  const auto shared = Sample().Load();
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        ++ready;  // all begin a round together
        while (ready < 16 * (round + 1)) std::this_thread::yield();
        const auto engine = Create(t % 2 == 0 ? shared : Sample().Load());
        std::map<std::string, MaceTensor> outputs;
        const std::vector<float> x(6, static_cast<float>(t));
        const bool ran =
            engine->Run({{"x", FloatTensor({2, 3}, x)}}, &outputs).ok();
        wrong += !ran || Values(outputs["q"])[5] != t + 2.f;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(MaceEngine, Metadata) {
  const auto engine = Create(Sample().Load());
  std::map<std::string, MaceTensor> outputs;
  RunMetadata metadata;
  ASSERT_TRUE(engine
                  ->Run({{"x", FloatTensor({2, 3}, {0, 0, 0, 0, 0, 0})}},
                        &outputs, &metadata)
                  .ok());
  ASSERT_EQ(metadata.op_stats.size(), 2u) << "the view takes no step";
  EXPECT_EQ(metadata.op_stats[0].operator_name, "s");
  EXPECT_EQ(metadata.op_stats[1].type, "Softmax");
  EXPECT_GE(metadata.op_stats[1].stats.start_micros,
            metadata.op_stats[0].stats.end_micros);
}

TEST(CreateMaceEngineFromProto, Files) {
  ModelBuilder b = Sample();
  const std::string path = ::testing::TempDir() + "engine_test.data";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(b.Data().get()),
             static_cast<std::streamsize>(b.data_size()));
  std::shared_ptr<MaceEngine> engine;
  MaceStatus status = CreateMaceEngineFromProto(b.Graph(), path, {"x"}, {"p"},
                                                DeviceType::CPU, &engine);
  ASSERT_TRUE(status == MaceStatus::MACE_SUCCESS) << status.information();
  ExpectError(CreateMaceEngineFromProto(b.Graph(), path + ".gone", {"x"}, {"p"},
                                        DeviceType::CPU, &engine),
              MaceStatus::MACE_INVALID_ARGS, "No such file");
  ExpectError(CreateMaceEngineFromProto(b.Graph(), "", {"x"}, {"p"},
                                        DeviceType::CPU, &engine),
              MaceStatus::MACE_INVALID_ARGS,
              "bytes of weights and was given none");
  ExpectError(CreateMaceEngineFromProto({'x'}, path, {"x"}, {"p"},
                                        DeviceType::CPU, &engine),
              MaceStatus::MACE_INVALID_MODEL, "not a MACE model");
  std::remove(path.c_str());
}

TEST(MaceModel, MisalignedWeightsAreCopied) {
  ModelBuilder b = Sample();
  const std::vector<unsigned char> graph = b.Graph();
  std::shared_ptr<unsigned char> data(new unsigned char[b.data_size() + 128],
                                      std::default_delete<unsigned char[]>());
  unsigned char* p = data.get();
  while (reinterpret_cast<uintptr_t>(p) % 64 != 4) ++p;
  std::copy_n(b.Data().get(), b.data_size(), p);
  std::shared_ptr<MaceModel> model;
  ASSERT_TRUE(MaceModel::Load(graph.data(), graph.size(), {data, p},
                              b.data_size(), &model)
                  .ok());
  EXPECT_EQ(model->inputs()[0].name, "x");
  Create(model);
}

}  // namespace
}  // namespace mace::testing
