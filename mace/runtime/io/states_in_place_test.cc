// States that grow in place, beside the same models whose states are copied.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
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

void AddState(ModelBuilder& b, const std::string& name, const Shape& shape,
              int64_t most, const std::string& next) {
  proto::Variable& state = *b.net().add_variables();
  state.mutable_tensor()->set_name(name);
  for (const int64_t extent : shape) {
    state.mutable_tensor()->add_dims(extent);
    if (most > 0) {
      state.mutable_tensor()->add_max_dims(extent < 0 ? most : extent);
    }
  }
  state.set_next(next);
}

ModelBuilder& OpenInput(ModelBuilder& b, const std::string& name, Shape shape,
                        int axis) {
  b.Input(name, shape);
  b.net().mutable_input_info(b.net().input_info_size() - 1)->set_dims(axis, -1);
  return b;
}

// Joins a state and rows. If `copies`, the engine cannot do so in place, as
// another node reads the state.
void Join(ModelBuilder& b, const std::string& past, const std::string& rows,
          const std::string& all, int64_t axis, bool copies) {
  std::string from = past;
  if (copies) {
    b.Op("Identity", {past}, {past + "_copy"});
    from = past + "_copy";
  }
  b.Op("Concat", {from, rows}, {all}, {{"axis", axis}});
}

// Attention of two heads with grouped queries, whose keys and values are all
// rows of x so far.
ModelBuilder Decoder(int64_t most, bool copies) {
  ModelBuilder b;
  OpenInput(b, "q", {1, 4, 1, 8}, 2);
  OpenInput(b, "x", {1, 2, 1, 8}, 2);
  AddState(b, "k", {1, 2, -1, 8}, most, "next_k");
  AddState(b, "v", {1, 2, -1, 8}, most, "next_v");
  b.Op("Activation", {"x"}, {"values"}, {{"activation", std::string("TANH")}});
  Join(b, "k", "x", "all_k", 2, copies);
  Join(b, "v", "values", "all_v", -2, copies);
  b.Op("Attention", {"q", "all_k", "all_v"}, {"y"},
       {{"right_window", int64_t{0}}, {"at_end", int64_t{1}}})
      .Op("Identity", {"all_k"}, {"next_k"})
      .Op("Identity", {"all_v"}, {"next_v"})
      .Output("y");
  return b;
}

std::shared_ptr<MaceEngine> Create(
    ModelBuilder builder, const MaceEngineConfig& config = MaceEngineConfig()) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(builder.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

Floats Some(int64_t n, uint32_t seed) {
  Floats values(n);
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  }
  return values;
}

// Step `seed` of a decoder, with so many rows. Empty: it failed.
Floats Step(MaceEngine& engine, int64_t rows, uint32_t seed,
            RunMetadata* metadata = nullptr) {
  Tensors outputs;
  const MaceStatus status = engine.Run(
      {{"q", FloatTensor({1, 4, rows, 8}, Some(32 * rows, seed))},
       {"x", FloatTensor({1, 2, rows, 8}, Some(16 * rows, seed + 1))}},
      &outputs, metadata);
  EXPECT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(outputs.size(), status.ok() ? 1u : 0u);
  return status.ok() ? Values(outputs["y"]) : Floats();
}

std::map<std::string, Floats> StatesOf(MaceEngine& engine) {
  Tensors states;
  EXPECT_TRUE(engine.GetState(&states).ok());
  std::map<std::string, Floats> values;
  for (const auto& [name, tensor] : states) values[name] = Values(tensor);
  return values;
}

std::string DumpOf(const MaceEngine& engine, const char* stage) {
  std::string text;
  EXPECT_TRUE(engine.Dump(stage, &text).ok());
  return text;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int64_t RowsOf(const MaceEngine& engine) { return engine.states()[0].shape[2]; }

TEST(StatesInPlace, HaveTheBitsOfCopiedOnes) {
  for (const int64_t most : {0, 80}) {
    SCOPED_TRACE(most);
    const auto in_place = Create(Decoder(most, false));
    const auto copied = Create(Decoder(most, true));
    int64_t total = 0;
    for (uint32_t step = 0; step < 45; ++step) {
      const int64_t rows = step % 10 == 0 ? 5 : 1;
      EXPECT_EQ(Step(*in_place, rows, step), Step(*copied, rows, step)) << step;
      total += rows;
      EXPECT_EQ(RowsOf(*in_place), total);
      EXPECT_EQ(StatesOf(*in_place), StatesOf(*copied)) << step;
    }
  }
}

// What a run reads and writes besides attention is what it adds.
TEST(StatesInPlace, NothingJoinsWhatIsThere) {
  const auto engine = Create(Decoder(64, false));
  for (uint32_t step = 0; step < 3; ++step) {
    RunMetadata metadata;
    Step(*engine, 1, step, &metadata);
    std::vector<std::string> ops;
    for (const OperatorStats& stats : metadata.op_stats) {
      ops.push_back(stats.type);
      if (stats.type == "Append") {
        EXPECT_EQ(stats.output_shape.size(), 2u);
        EXPECT_EQ(stats.output_shape[0], (Shape{1, 2, 64, 8}));
      }
    }
    std::sort(ops.begin(), ops.end());
    EXPECT_EQ(ops, (std::vector<std::string>{"Activation", "Append", "Append",
                                             "Attention"}));
  }
}

TEST(StatesInPlace, AreReadWrittenAndReset) {
  for (const int64_t most : {0, 100}) {
    SCOPED_TRACE(most);
    const auto engine = Create(Decoder(most, false));
    const auto copied = Create(Decoder(most, true));
    const Floats first = Step(*engine, 3, 1);
    Step(*engine, 2, 2);
    Tensors kept;
    ASSERT_TRUE(engine->GetState(&kept).ok());
    EXPECT_EQ(kept["k"].shape(), (Shape{1, 2, 5, 8}));
    const Floats next = Step(*engine, 1, 3);
    ASSERT_TRUE(engine->ResetState().ok());
    EXPECT_EQ(engine->states()[0].shape, (Shape{1, 2, 0, 8}));
    EXPECT_EQ(Step(*engine, 3, 1), first);
    ASSERT_TRUE(engine->SetState(kept).ok());
    ASSERT_TRUE(copied->SetState(kept).ok());
    EXPECT_EQ(Step(*engine, 1, 3), next);
    EXPECT_EQ(Step(*copied, 1, 3), next);
    // More rows than the capacity.
    const Tensors more = {{"k", FloatTensor({1, 2, 90, 8}, Some(1440, 5))},
                          {"v", FloatTensor({1, 2, 90, 8}, Some(1440, 6))}};
    ASSERT_TRUE(engine->SetState(more).ok());
    ASSERT_TRUE(copied->SetState(more).ok());
    EXPECT_EQ(StatesOf(*engine)["v"], Some(1440, 6));
    EXPECT_EQ(Step(*engine, 4, 7), Step(*copied, 4, 7));
    EXPECT_EQ(StatesOf(*engine), StatesOf(*copied));
  }
}

TEST(StatesInPlace, EndAtTheirLargestShape) {
  const auto engine = Create(Decoder(6, false));
  const auto copied = Create(Decoder(6, true));
  for (MaceEngine* each : {engine.get(), copied.get()}) {
    Step(*each, 5, 1);
    Tensors outputs;
    const MaceStatus status =
        each->Run({{"q", FloatTensor({1, 4, 2, 8}, Some(64, 1))},
                   {"x", FloatTensor({1, 2, 2, 8}, Some(32, 2))}},
                  &outputs);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_EQ(status.information(),
              "state 'k' may be [1,2,-1,8] (-1: any extent, at most those of "
              "[1,2,6,8]), but its next value 'next_k' is f32[1,2,7,8]; "
              "ResetState gives it its first value");
    EXPECT_TRUE(outputs.empty());
  }
  EXPECT_EQ(Step(*engine, 1, 3), Step(*copied, 1, 3));
}

// Rows that would take more than 64 MiB are not reserved.
TEST(StatesInPlace, HugeLargestShapesAreNotReserved) {
  for (const int64_t most : {int64_t{1} << 24, int64_t{1} << 40}) {
    const auto engine = Create(Decoder(most, false));
    const auto copied = Create(Decoder(most, true));
    for (uint32_t step = 0; step < 20; ++step) {
      EXPECT_EQ(Step(*engine, 1, step), Step(*copied, 1, step));
    }
    EXPECT_TRUE(Has(DumpOf(*engine, "memory"), "with capacity for 32 along"));
  }
}

// A run that fails behind the Append leaves the state as it was.
TEST(StatesInPlace, AFailedRunChangesNothing) {
  ModelBuilder b;
  OpenInput(b, "x", {2, 1}, 1);
  b.Input("i", {1});
  b.net().mutable_input_info(1)->set_data_type(proto::DT_INT32);
  AddState(b, "past", {2, -1}, 0, "all");
  Join(b, "past", "x", "all", 1, false);
  b.WeightI32("ones", {1});
  b.Op("Gather", {"all", "i"}, {"y"}, {{"axis", int64_t{1}}}).Output("y");
  const auto engine = Create(b);
  const auto run = [&](const Floats& x, int32_t i, Floats* y) {
    const auto index = std::shared_ptr<int32_t>(new int32_t(i));
    Tensors outputs;
    const MaceStatus status = engine->Run(
        {{"x", FloatTensor({2, static_cast<int64_t>(x.size()) / 2}, x)},
         {"i", MaceTensor({1}, index, IDT_INT32)}},
        &outputs);
    if (status.ok()) *y = Values(outputs["y"]);
    return status;
  };
  Floats y;
  ASSERT_TRUE(run({1, 2}, 0, &y).ok());
  EXPECT_FALSE(run({3, 4}, 7, &y).ok());
  EXPECT_EQ(StatesOf(*engine)["past"], (Floats{1, 2}));
  ASSERT_TRUE(run({5, 6}, 1, &y).ok());
  EXPECT_EQ(y, (Floats{5, 6}));
  EXPECT_EQ(StatesOf(*engine)["past"], (Floats{1, 5, 2, 6}));
}

// The joined rows are an output, and what begins is a weight.
TEST(StatesInPlace, OthersReadAllRowsToo) {
  for (const Shape& lead : {Shape{2}, Shape{1}}) {
    for (const int64_t most : {0, 40}) {
      SCOPED_TRACE(ToString(lead) + std::to_string(most));
      const int64_t n = lead[0];
      ModelBuilder b;
      OpenInput(b, "x", {n, 1, 2}, 1);
      AddState(b, "past", {n, -1, 2}, most, "next");
      b.Weight("first", {n, 2, 2}, Some(4 * n, 1));
      b.net().mutable_variables(0)->set_initial("first");
      Join(b, "past", "x", "all", 1, false);
      b.Op("Identity", {"all"}, {"next"})
          .Op("Activation", {"all"}, {"y"},
              {{"activation", std::string("RELU")}})
          .Output("all")
          .Output("y");
      const auto engine = Create(b);
      for (int round = 0; round < 2; ++round) {
        // By block, as rows are added to each.
        std::vector<Floats> rows(n);
        for (int64_t block = 0; block < n; ++block) {
          const Floats first = Some(4 * n, 1);
          rows[block].assign(first.begin() + block * 4,
                             first.begin() + block * 4 + 4);
        }
        for (uint32_t step = 0; step < 20; ++step) {
          const Floats x = Some(2 * n, step);
          Floats want, relu;
          for (int64_t block = 0; block < n; ++block) {
            rows[block].insert(rows[block].end(), x.begin() + block * 2,
                               x.begin() + block * 2 + 2);
            want.insert(want.end(), rows[block].begin(), rows[block].end());
          }
          for (const float value : want) relu.push_back(std::max(value, 0.0f));
          Tensors outputs;
          const MaceStatus status =
              engine->Run({{"x", FloatTensor({n, 1, 2}, x)}}, &outputs);
          ASSERT_TRUE(status.ok()) << status.information();
          EXPECT_EQ(Values(outputs["all"]), want);
          EXPECT_EQ(Values(outputs["y"]), relu);
          EXPECT_EQ(StatesOf(*engine)["past"], want);
        }
        ASSERT_TRUE(engine->ResetState().ok());
      }
    }
  }
}

// How many rows a run adds follows from its data: the places of what is not 0.
TEST(StatesInPlace, WhereThePlanWaitsForData) {
  for (const int64_t most : {0, 30}) {
    ModelBuilder b;
    b.Input("x", {1, 3});
    AddState(b, "past", {2, -1}, most, "next");
    b.WeightI32("start", {0})
        .WeightI32("axis", {1})
        .Op("NonZero", {"x"}, {"all_places", "count"})
        .Op("Slice", {"all_places", "start", "count", "axis"}, {"places"})
        .Op("Cast", {"places"}, {"floats"}, {{"to", std::string("f32")}});
    Join(b, "past", "floats", "y", 1, false);
    b.Op("Identity", {"y"}, {"next"}).Output("y");
    const auto engine = Create(b);
    Floats want;
    for (int step = 0; step < 25; ++step) {
      const bool two = step % 5 == 4;
      Tensors outputs;
      const MaceStatus status = engine->Run(
          {{"x", FloatTensor({1, 3}, {0, 1, two ? 2.0f : 0.0f})}}, &outputs);
      ASSERT_TRUE(status.ok()) << status.information();
      want.push_back(1);
      if (two) want.push_back(2);
      Floats both(want.size());  // the first row is 0 everywhere
      both.insert(both.end(), want.begin(), want.end());
      EXPECT_EQ(Values(outputs["y"]), both) << step;
      EXPECT_EQ(StatesOf(*engine)["past"], both) << step;
    }
    if (most == 0) continue;
    Tensors outputs;
    EXPECT_EQ(
        engine->Run({{"x", FloatTensor({1, 3}, {0, 1, 0})}}, &outputs).code(),
        MaceStatus::MACE_INVALID_ARGS);
    EXPECT_EQ(engine->states()[0].shape, (Shape{2, 30}));
  }
}

TEST(StatesInPlace, TellTheirMemory) {
  const auto engine = Create(Decoder(64, false));
  Step(*engine, 3, 1);
  MaceMemoryUsage usage;
  ASSERT_TRUE(engine->GetMemoryUsage(&usage).ok());
  const auto of = std::find_if(
      usage.categories.begin(), usage.categories.end(),
      [](const MaceMemoryCategory& c) { return c.name == "variables"; });
  ASSERT_NE(of, usage.categories.end());
  EXPECT_EQ(of->requested_bytes, 2 * 3 * 16 * 4);
  EXPECT_EQ(of->used_bytes, 2 * 64 * 16 * 4);
  EXPECT_EQ(of->count, 2);
  const std::string memory = DumpOf(*engine, "memory");
  EXPECT_TRUE(Has(memory,
                  "state k f32[1,2,3,8], 192 bytes, from next_k, in place, "
                  "with capacity for 64 along axis 2, 4096 bytes"))
      << memory;
  EXPECT_TRUE(Has(DumpOf(*engine, "plan"), "Append"));
  EXPECT_FALSE(Has(DumpOf(*engine, "plan"), "Concat"));
}

// What the app sees is what it saw.
TEST(StatesInPlace, AddNoInputsAndNoOutputs) {
  const auto engine = Create(Decoder(64, false));
  EXPECT_EQ(engine->inputs().size(), 2u);
  EXPECT_EQ(engine->outputs().size(), 1u);
  EXPECT_EQ(engine->states().size(), 2u);
  const MaceTensor x = FloatTensor({1, 2, 1, 8}, Some(16, 1));
  for (const char* name : {"next_k", "k/next_cache", "k/rows"}) {
    Tensors outputs = {{name, MaceTensor()}};
    EXPECT_EQ(engine->Run({{"q", x}, {"x", x}}, &outputs).code(),
              MaceStatus::MACE_INVALID_ARGS);
  }
  for (const char* name : {"k", "k/cache"}) {
    Tensors outputs;
    EXPECT_EQ(engine->Run({{"q", x}, {"x", x}, {name, x}}, &outputs).code(),
              MaceStatus::MACE_INVALID_ARGS);
  }
  EXPECT_EQ(RowsOf(*engine), 0);
}

TEST(StatesInPlace, UnderEverySettingOfMemory) {
  const auto want = Create(Decoder(30, true));
  std::vector<std::shared_ptr<MaceEngine>> engines;
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"guard", "1"},
                                          {"check_numerics", "1"},
                                          {"memory_strategy", "PRESERVE_ALL"},
                                          {"memory_savings", "none"}}) {
    MaceEngineConfig config;
    ASSERT_TRUE(config.Set(key, value).ok()) << key;
    engines.push_back(Create(Decoder(30, false), config));
  }
  for (uint32_t step = 0; step < 12; ++step) {
    const Floats y = Step(*want, 2, step);
    for (const auto& engine : engines) EXPECT_EQ(Step(*engine, 2, step), y);
  }
}

}  // namespace
}  // namespace mace::testing
