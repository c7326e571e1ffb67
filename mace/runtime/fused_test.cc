// Fused convolutions, computed line by line, against the same nodes run one by
// one.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Case {
  const char* name;
  Shape x;
  int64_t expanded;  // 0: no convolution before the depthwise one
  int64_t kernel;    // 0: no depthwise convolution
  int64_t stride;
  int64_t out;  // 0: no 1x1 convolution after it
  const char* activation = "RELUX";
  const char* sum = "";  // the activation of the sum with x, if there is one
};

std::vector<float> Floats(int64_t n, int64_t seed) {
  std::vector<float> v(n);
  for (int64_t i = 0; i < n; ++i) {
    v[i] = static_cast<float>((i * 7919 + seed) % 101 - 50) * 0.02f;
  }
  return v;
}

AttrMap Attrs(int64_t stride, const std::string& activation) {
  return {{"strides", Ints{stride, stride}},
          {"padding", int64_t{1}},
          {"activation", activation},
          {"max_limit", 6.f}};
}

ModelBuilder Network(const Case& c) {
  ModelBuilder b;
  b.Input("x", c.x);
  std::string last = "x";
  int64_t channels = c.x[3];
  if (c.expanded > 0) {
    b.Weight("w1", {c.expanded, channels, 1, 1},
             Floats(c.expanded * channels, 1))
        .Weight("b1", {c.expanded}, Floats(c.expanded, 2))
        .Op("Conv2d", {last, "w1", "b1"}, {"c1"}, Attrs(1, c.activation));
    last = "c1";
    channels = c.expanded;
  }
  if (c.kernel > 0) {
    b.Weight("wd", {1, channels, c.kernel, c.kernel},
             Floats(channels * c.kernel * c.kernel, 3))
        .Op("DepthwiseConv2d", {last, "wd"}, {"d"},
            Attrs(c.stride, c.activation));
    last = "d";
  }
  if (c.out > 0) {
    b.Weight("w2", {c.out, channels, 1, 1}, Floats(c.out * channels, 4))
        .Weight("b2", {c.out}, Floats(c.out, 5))
        .Op("Conv2d", {last, "w2", "b2"}, {"c2"}, Attrs(1, "NOOP"));
    last = "c2";
  }
  if (*c.sum != '\0') {
    b.Op("Eltwise", {"x", last}, {"sum"},
         {{"type", std::string("SUM")}, {"activation", std::string(c.sum)}});
    last = "sum";
  }
  // A last node, so that all values before it lie in the arena.
  b.Op("Activation", {last}, {"y"}, {{"activation", std::string("RELU")}})
      .Output("y");
  return b;
}

std::shared_ptr<MaceEngine> Create(const std::shared_ptr<MaceModel>& model,
                                   const std::string& strategy, int threads) {
  MaceEngineConfig config;
  EXPECT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
  EXPECT_TRUE(config.SetMemoryStrategy(strategy).ok());
  config.SetGuard(true);
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status = MaceEngine::Create(model, {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> RunOnce(MaceEngine& engine, const Case& c) {
  int64_t n = 1;
  for (const int64_t extent : c.x) n *= extent;
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status =
      engine.Run({{"x", FloatTensor(c.x, Floats(n, 6))}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return Values(outputs["y"]);
}

// Returns the number of steps in the metadata of a run.
size_t NumSteps(MaceEngine& engine, const Case& c) {
  int64_t n = 1;
  for (const int64_t extent : c.x) n *= extent;
  std::map<std::string, MaceTensor> outputs;
  RunMetadata metadata;
  EXPECT_TRUE(
      engine.Run({{"x", FloatTensor(c.x, Floats(n, 6))}}, &outputs, &metadata)
          .ok());
  return metadata.op_stats.size();
}

TEST(Chain, IsReportedNodeByNode) {
  const auto model = Network({"", {1, 14, 14, 40}, 0, 3, 1, 24}).Load();
  std::string json;
  ASSERT_TRUE(Create(model, "AUTO", 1)->Dump("plan_json", &json).ok());
  EXPECT_NE(json.find("none: part of 'd + c2'"), std::string::npos) << json;
  EXPECT_EQ(json.find("none: a view"), std::string::npos) << json;
  EXPECT_NE(json.find("\"part_of\": \"d + c2\""), std::string::npos) << json;
}

TEST(Chain, BearsTheKindsOfItsNodes) {
  const auto model = Network({"", {1, 14, 14, 40}, 0, 3, 1, 24}).Load();
  const auto engine = Create(model, "AUTO", 1);
  const std::string kinds = "DepthwiseConv2d+Conv2d";
  std::string text;
  ASSERT_TRUE(engine->Dump("plan_json", &text).ok());
  EXPECT_NE(text.find("\"name\": \"d + c2\", \"op\": \"" + kinds + '"'),
            std::string::npos)
      << text;
  ASSERT_TRUE(engine->Dump("memory_json", &text).ok());
  EXPECT_NE(text.find("\"steps\": [{\"name\": \"d + c2\", \"op\": \"" + kinds),
            std::string::npos)
      << text;
  ASSERT_TRUE(engine->Dump("plan", &text).ok());
  EXPECT_NE(text.find(kinds + " 'c2' (2 nodes) on CPU"), std::string::npos)
      << text;
}

TEST(Chain, GivesTheBitsOfItsNodes) {
  const Case cases[] = {
      {"two", {1, 14, 14, 40}, 0, 3, 1, 24},
      {"two, odd extents", {1, 17, 9, 33}, 0, 3, 2, 7},
      {"two, sets compete", {1, 15, 15, 128}, 0, 5, 1, 40},
      {"two, any window", {1, 12, 20, 16}, 0, 4, 1, 16},
      {"two, swish", {1, 14, 14, 48}, 0, 5, 2, 32, "SWISH"},
      {"before", {1, 65, 61, 8}, 80, 3, 1, 0},
      {"before, stride 2", {1, 64, 64, 8}, 72, 5, 2, 0, "SWISH"},
      {"three", {1, 57, 63, 24}, 80, 3, 1, 24},
      {"three, stride 2", {1, 71, 60, 16}, 70, 3, 2, 24},
      {"two and a sum", {1, 14, 14, 48}, 0, 3, 1, 48, "RELU", "NOOP"},
      {"three and a sum", {1, 57, 63, 24}, 80, 3, 1, 24, "RELU", "RELU"},
      {"three and a swish", {1, 56, 57, 24}, 90, 3, 1, 24, "RELU", "SWISH"},
      {"two, wide", {1, 48, 9, 256}, 0, 3, 1, 256},
      {"two, wide, and a sum", {1, 48, 9, 320}, 0, 5, 1, 320, "SWISH", "RELU"},
      {"one and a sum", {1, 30, 30, 40}, 0, 0, 1, 40, "RELU", "RELU"},
      {"three, stride beyond the window", {1, 64, 64, 16}, 72, 1, 2, 24},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto model = Network(c).Load();
    const auto apart = Create(model, "PRESERVE_ALL", 1);
    const std::vector<float> want = RunOnce(*apart, c);
    for (const int threads : {1, 2, 3}) {
      const auto engine = Create(model, "AUTO", threads);
      EXPECT_EQ(RunOnce(*engine, c), want) << threads << " threads";
      EXPECT_EQ(RunOnce(*engine, c), want) << threads << " threads, again";
      EXPECT_EQ(NumSteps(*engine, c), 2u) << threads << " threads";
    }
    EXPECT_GT(NumSteps(*apart, c), 2u);
  }
}

// A convolution, a depthwise and a 1x1 one over a signal, along the first
// dimension of the image or along the second.
ModelBuilder Signal(int64_t length, bool along_first, int64_t depthwise_pad) {
  const auto shape = [&](int64_t a, int64_t b, int64_t n, int64_t m) {
    return along_first ? Shape{a, b, n, m} : Shape{a, b, m, n};
  };
  const auto attrs = [&](int64_t pad) {
    return AttrMap{{"padding", int64_t{4}},
                   {"padding_values",
                    along_first ? Ints{pad, 0, pad, 0} : Ints{0, pad, 0, pad}},
                   {"activation", std::string("RELU")}};
  };
  ModelBuilder b;
  b.Input("x", along_first ? Shape{1, length, 1, 8} : Shape{1, 1, length, 8})
      .Weight("w1", shape(80, 8, 3, 1), Floats(80 * 8 * 3, 1))
      .Op("Conv2d", {"x", "w1"}, {"c1"}, attrs(1))
      .Weight("wd", shape(1, 80, 2 * depthwise_pad + 1, 1),
              Floats(80 * (2 * depthwise_pad + 1), 3))
      .Op("DepthwiseConv2d", {"c1", "wd"}, {"d"}, attrs(depthwise_pad))
      .Weight("w2", {24, 80, 1, 1}, Floats(24 * 80, 4))
      .Op("Conv2d", {"d", "w2"}, {"c2"}, Attrs(1, "NOOP"))
      .Op("Activation", {"c2"}, {"y"}, {{"activation", std::string("RELU")}});
  return b.Output("y");
}

TEST(Chain, OfImagesOneElementWide) {
  for (const int64_t pad : {0, 2}) {
    const Case along_first = {"", {1, 3000, 1, 8}, 0, 0, 1, 0};
    const Case along_second = {"", {1, 1, 3000, 8}, 0, 0, 1, 0};
    const auto apart =
        Create(Signal(3000, false, pad).Load(), "PRESERVE_ALL", 1);
    const std::vector<float> want = RunOnce(*apart, along_second);
    for (const char* strategy : {"PRESERVE_ALL", "AUTO"}) {
      for (const int threads : {1, 2}) {
        const auto engine =
            Create(Signal(3000, true, pad).Load(), strategy, threads);
        EXPECT_EQ(RunOnce(*engine, along_first), want)
            << strategy << ", " << threads << " threads, pad " << pad;
      }
    }
  }
}

// A first convolution, then `blocks` of a depthwise and a 1x1 one, all of them
// with large outputs.
ModelBuilder ManyLinks(const Case& c, int64_t blocks) {
  constexpr int64_t kChannels = 66;
  ModelBuilder b;
  b.Input("x", c.x)
      .Weight("w", {kChannels, c.x[3], 3, 3}, Floats(kChannels * c.x[3] * 9, 1))
      .Weight("b", {kChannels}, Floats(kChannels, 2))
      .Op("Conv2d", {"x", "w", "b"}, {"c0"}, Attrs(c.stride, "RELU"));
  std::string last = "c0";
  for (int64_t i = 1; i <= blocks; ++i) {
    const std::string n = std::to_string(i);
    // The last depthwise convolution has stride 2.
    b.Weight("wd" + n, {1, kChannels, c.kernel, c.kernel},
             Floats(kChannels * c.kernel * c.kernel, 3))
        .Op("DepthwiseConv2d", {last, "wd" + n}, {"d" + n},
            Attrs(i == blocks ? 2 : 1, "RELUX"))
        .Weight("w" + n, {kChannels, kChannels, 1, 1},
                Floats(kChannels * kChannels, 4))
        .Op("Conv2d", {"d" + n, "w" + n}, {"c" + n}, Attrs(1, "RELU"));
    last = "c" + n;
  }
  b.Op("Activation", {last}, {"y"}, {{"activation", std::string("RELU")}});
  return b.Output("y");
}

TEST(Chain, OfManyLinks) {
  for (const Case& c : {Case{"3x3", {1, 134, 129, 3}, 0, 3, 2, 0},
                        Case{"5x5", {1, 150, 131, 3}, 0, 5, 2, 0}}) {
    for (const int64_t blocks : {1, 3}) {
      SCOPED_TRACE(c.name + std::to_string(blocks));
      const auto model = ManyLinks(c, blocks).Load();
      const auto want = RunOnce(*Create(model, "PRESERVE_ALL", 1), c);
      for (const int threads : {1, 2, 3}) {
        const auto engine = Create(model, "AUTO", threads);
        EXPECT_EQ(RunOnce(*engine, c), want) << threads << " threads";
        EXPECT_EQ(NumSteps(*engine, c), 2u) << threads << " threads";
      }
    }
  }
}

TEST(Chain, KeepsWhatOthersRead) {
  ModelBuilder b = Network({"", {1, 14, 14, 40}, 0, 3, 1, 24});
  b.Output("d");
  const auto engine = Create(b.Load(), "AUTO", 2);
  EXPECT_EQ(NumSteps(*engine, {"", {1, 14, 14, 40}, 0, 3, 1, 24}), 3u);
}

// Two tensors of equal size, concatenated, shuffled and, if `split` is not
// zero, split again.
ModelBuilder Shuffled(const Shape& x, int64_t split) {
  ModelBuilder b;
  b.Input("x", x)
      .Op("Activation", {"x"}, {"a"}, {{"activation", std::string("RELU")}})
      .Op("Activation", {"x"}, {"b"}, {{"activation", std::string("TANH")}})
      .Op("Concat", {"a", "b"}, {"ab"}, {{"axis", int64_t{3}}})
      .Op("ChannelShuffle", {"ab"}, {"s"}, {{"group", int64_t{2}}});
  if (split == 0) {
    b.Op("Activation", {"s"}, {"y"}, {{"activation", std::string("RELU")}});
  } else {
    b.Op("Split", {"s"}, {"l", "r"},
         {{"axis", int64_t{3}}, {"sizes", Ints{split, 2 * x[3] - split}}})
        .Op("Concat", {"r", "l"}, {"y"}, {{"axis", int64_t{3}}});
  }
  return b.Output("y");
}

TEST(Chain, ShufflesInOnePass) {
  struct Halves {
    int64_t channels, split;
    size_t steps;
  };
  for (const Halves& h : std::vector<Halves>{{11, 0, 4},
                                             {11, 6, 4},
                                             {11, 16, 4},
                                             {12, 12, 4},
                                             {64, 64, 4},
                                             {11, 7, 5}}) {  // on its own
    const Case c = {"", {1, 9, 30, h.channels}, 0, 0, 1, 0};
    const auto model = Shuffled(c.x, h.split).Load();
    const auto apart = Create(model, "PRESERVE_ALL", 1);
    for (const int threads : {1, 2, 3}) {
      const auto engine = Create(model, "AUTO", threads);
      EXPECT_EQ(RunOnce(*engine, c), RunOnce(*apart, c)) << h.split;
      EXPECT_EQ(NumSteps(*engine, c), h.steps) << h.split;
    }
  }
}

}  // namespace
}  // namespace mace::testing
