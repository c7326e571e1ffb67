// Inputs with dimensions whose extents each run chooses.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/open_shapes.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Tensors = std::map<std::string, MaceTensor>;

constexpr int64_t kSide = 16;

// An input's dimensions in a model that is built.
struct Open {
  std::vector<std::string> names;
  std::vector<int64_t> most;
};

void SetOpen(ModelBuilder& b, int input, const Shape& dims, const Open& open) {
  auto* info = b.net().mutable_input_info(input);
  info->clear_dims();
  for (const int64_t d : dims) info->add_dims(d);
  for (const auto& name : open.names) info->add_dim_names(name);
  for (const int64_t m : open.most) info->add_max_dims(m);
}

// Branches and joins, so that the memory holds more than one tensor.
// y = conv(conv(relu(x))) + relu(x)
ModelBuilder Pictures(const std::vector<int64_t>& most) {
  ModelBuilder b;
  b.Input("x", {1, kSide, kSide, 4})
      .Weight("w", {4, 4, 3, 3}, SmallWeights(4 * 4 * 9))
      .Op("Activation", {"x"}, {"a"}, {{"activation", std::string("RELU")}})
      .Op("Conv2d", {"a", "w"}, {"c"}, {{"padding", int64_t{1}}})
      .Op("Conv2d", {"c", "w"}, {"d"}, {{"padding", int64_t{1}}})
      .Op("Eltwise", {"d", "a"}, {"y"}, {{"type", std::string("SUM")}})
      .Output("y");
  SetOpen(b, 0, {-1, -1, -1, 4}, {{"batch", "", "", ""}, most});
  return b;
}

// The same with poolings, whose kernels need no scratch memory.
ModelBuilder Pooled(const std::vector<int64_t>& most) {
  const std::vector<int64_t> kernel = {3, 3}, strides = {1, 1};
  const AttrMap max = {{"pooling_type", int64_t{2}},
                       {"kernels", kernel},
                       {"strides", strides},
                       {"padding", int64_t{1}}};
  ModelBuilder b;
  b.Input("x", {1, kSide, kSide, 4})
      .Op("Activation", {"x"}, {"a"}, {{"activation", std::string("RELU")}})
      .Op("Pooling", {"a"}, {"c"}, max)
      .Op("Pooling", {"c"}, {"d"}, max)
      .Op("Eltwise", {"d", "a"}, {"y"}, {{"type", std::string("SUM")}})
      .Output("y");
  SetOpen(b, 0, {-1, -1, -1, 4}, {{"batch", "", "", ""}, most});
  return b;
}

// s = a + b, with one batch.
ModelBuilder Sum() {
  ModelBuilder b;
  b.Input("a", {1, 3})
      .Input("b", {1, 3})
      .Op("Eltwise", {"a", "b"}, {"s"}, {{"type", std::string("SUM")}})
      .Output("s");
  SetOpen(b, 0, {-1, 3}, {{"batch", ""}, {8, 3}});
  SetOpen(b, 1, {-1, 3}, {{"batch", ""}, {8, 3}});
  return b;
}

std::shared_ptr<MaceEngine> Create(const std::shared_ptr<MaceModel>& model) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(model, {}, {}, MaceEngineConfig(), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

MaceTensor Counted(const Shape& shape) {
  std::vector<float> values(NumElements(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 23) - 11;
  }
  return FloatTensor(shape, values);
}

std::string Refusal(MaceEngine& engine, const Tensors& inputs) {
  Tensors outputs;
  const MaceStatus status = engine.Run(inputs, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  return status.information();
}

int64_t ArenaBytes(const MaceEngine& engine) {
  MaceMemoryUsage usage;
  EXPECT_TRUE(engine.GetMemoryUsage(&usage).ok());
  return usage.allocated_arena_bytes;
}

TEST(OpenShapes, AreToldBeforeAndAfterPlanning) {
  ModelBuilder builder = Pictures({4, kSide, kSide, 4});
  const auto model = builder.Load();
  const MaceTensorInfo of_model = model->inputs()[0];
  EXPECT_EQ(of_model.shape, (Shape{-1, -1, -1, 4}));
  const std::vector<MaceDimension>& dims = model->input_dimensions()[0];
  ASSERT_EQ(dims.size(), 4u);
  EXPECT_EQ(dims[0].name, "batch");
  EXPECT_EQ(dims[1].name, "");
  EXPECT_EQ((Shape{dims[0].extent, dims[3].extent}), (Shape{-1, 4}));
  EXPECT_EQ((Shape{dims[0].largest, dims[1].largest, dims[3].largest}),
            (Shape{4, kSide, 4}));
  EXPECT_EQ(Pictures({}).Load()->input_dimensions()[0][0].largest, -1);
  const auto engine = Create(model);
  EXPECT_EQ(engine->inputs()[0].shape, (Shape{4, kSide, kSide, 4}));
  EXPECT_EQ(engine->outputs()[0].shape, (Shape{4, kSide, kSide, 4}));
}

// Runs all kinds of shapes up to the largest, and compares the outputs with
// those of engines that know no limit. Returns the sizes that the arena had.
std::set<int64_t> ArenasOf(ModelBuilder (*make)(const std::vector<int64_t>&)) {
  ModelBuilder limited = make({4, kSide, kSide, 4}), free = make({});
  const auto engine = Create(limited.Load());
  std::set<int64_t> arenas = {ArenaBytes(*engine)};
  for (const int64_t n : {1, 2, 4}) {
    for (const int64_t h : {1, 5, 16}) {
      for (const int64_t w : {1, 7, 13, 16}) {
        SCOPED_TRACE(StrCat(n, ",", h, ",", w));
        const MaceTensor x = Counted({n, h, w, 4});
        Tensors outputs, expected;
        const MaceStatus status = engine->Run({{"x", x}}, &outputs);
        EXPECT_TRUE(status.ok()) << status.information();
        arenas.insert(ArenaBytes(*engine));
        EXPECT_TRUE(Create(free.Load())->Run({{"x", x}}, &expected).ok());
        EXPECT_EQ(Values(outputs["y"]), Values(expected["y"]));
      }
    }
  }
  return arenas;
}

TEST(OpenShapes, EverySmallerShapeFitsTheMemoryOfTheLargest) {
  EXPECT_EQ(ArenasOf(Pooled).size(), 1u);
}

// The arena may grow: another method for a smaller shape may need more scratch.
TEST(OpenShapes, SmallerConvolutionsAreTheSame) { ArenasOf(Pictures); }

TEST(OpenShapes, WithoutALimitTakeAnyExtent) {
  ModelBuilder builder = Pictures({});
  const auto engine = Create(builder.Load());
  EXPECT_EQ(engine->inputs()[0].shape, (Shape{1, 1, 1, 4}));
  for (const Shape& shape : {Shape{9, 40, 3, 4}, Shape{1, 2, 100, 4}}) {
    Tensors outputs;
    ASSERT_TRUE(engine->Run({{"x", Counted(shape)}}, &outputs).ok());
    EXPECT_EQ(outputs["y"].shape(), shape);
  }
}

TEST(OpenShapes, TheFirstPlanIsForExtentsThatTheModelTakes) {
  ModelBuilder b;
  b.Input("x", {1, 1, 1, 4})
      .Weight("w", {4, 4, 5, 5}, SmallWeights(4 * 4 * 25))
      .Op("Conv2d", {"x", "w"}, {"y"}, {{"padding", int64_t{0}}})
      .Output("y");
  SetOpen(b, 0, {1, -1, -1, 4}, {});
  EXPECT_EQ(Create(b.Load())->inputs()[0].shape, (Shape{1, 8, 8, 4}));
}

TEST(OpenShapes, RefusesWhatDoesNotFit) {
  ModelBuilder builder = Sum();
  const auto engine = Create(builder.Load());
  EXPECT_EQ(Refusal(*engine, {{"a", Counted({9, 3})}, {"b", Counted({9, 3})}}),
            "dimension 0 ('batch') of input 'a' is 9 in [9,3], above the 8 of "
            "its max_shape [8,3]; give less, or convert the model again with a "
            "larger max_shape");
  EXPECT_EQ(Refusal(*engine, {{"a", Counted({2, 3})}, {"b", Counted({4, 3})}}),
            "dimension 0 ('batch') of input 'b' is 4, but dimension 0 "
            "('batch') of input 'a' is 2; dimensions of the same name must be "
            "equal in each run");
  EXPECT_EQ(Refusal(*engine, {{"a", Counted({2, 1})}, {"b", Counted({2, 3})}}),
            "dimension 1 of input 'a' is 1 in [2,1], but the model was "
            "converted for 3; give that, or convert it again with a name or -1 "
            "there in input_shapes");
  EXPECT_NE(Refusal(*engine, {{"a", Counted({6})}, {"b", Counted({2, 3})}})
                .find("found [6]"),
            std::string::npos);
  // An empty batch is a batch.
  Tensors outputs;
  ASSERT_TRUE(
      engine->Run({{"a", Counted({0, 3})}, {"b", Counted({0, 3})}}, &outputs)
          .ok());
  EXPECT_EQ(outputs["s"].shape(), (Shape{0, 3}));
  // The engine stays usable.
  ASSERT_TRUE(engine
                  ->Run({{"a", Counted({2, 3})}, {"b", Counted({2, 3})}},
                        &(outputs = {}))
                  .ok());
}

TEST(OpenShapes, FilesThatContradictThemselves) {
  const struct {
    Shape dims;
    Open open;
    const char* error;
  } cases[] = {
      {{-2, 3}, {}, "the extent -2 is negative"},
      {{-1, 3}, {{"n"}, {}}, "has 1 names of dimensions for 2 dimensions"},
      {{-1, 3}, {{}, {8}}, "has 1 largest extents for 2 dimensions"},
      {{-1, 3}, {{}, {0, 3}}, "dimension 0 is 0, it must be at least 1"},
      {{-1, 3}, {{}, {-1, 3}}, "dimension 0 is -1, it must be at least 1"},
      {{-1, 3}, {{}, {8, 4}}, "dimension 1 is 4, but its extent is 3"},
      {{-1, 3}, {{}, {int64_t{1} << 62, 3}}, "model input 'a'"},
      {{-1, 3}, {{"batch", ""}, {7, 3}}, "the largest extent of 'batch' is 8"},
      {{-1, 3},
       {{"batch", ""}, {}},
       "the largest extent of 'batch' is 8, that "
       "of model input 'a' none"},
      {{-1, 3}, {{"\xff", ""}, {}}, "is not UTF-8"},
  };
  for (const auto& c : cases) {
    ModelBuilder b = Sum();
    b.net().mutable_input_info(0)->clear_dim_names();
    b.net().mutable_input_info(0)->clear_max_dims();
    SetOpen(b, 0, c.dims, c.open);
    const auto graph = b.Graph();
    std::shared_ptr<MaceModel> model;
    const MaceStatus status = MaceModel::Load(graph.data(), graph.size(),
                                              b.Data(), b.data_size(), &model);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL) << c.error;
    EXPECT_NE(status.information().find(c.error), std::string::npos)
        << status.information();
  }
}

// The plan for another shape takes over what the first one searched for.
TEST(OpenShapes, QueryArenaBytesIsThatOfTheLargest) {
  ModelBuilder builder = Pictures({4, kSide, kSide, 4});
  const auto model = builder.Load();
  size_t bytes = 0, smaller = 0;
  ASSERT_TRUE(
      MaceEngine::QueryArenaBytes(model, {}, MaceEngineConfig(), &bytes).ok());
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, MaceEngineConfig(),
                                          {{"x", {1, 3, 5, 4}}}, &smaller)
                  .ok());
  EXPECT_EQ(bytes, smaller);
  EXPECT_EQ(MaceEngine::QueryArenaBytes(model, {}, MaceEngineConfig(),
                                        {{"x", {5, 3, 5, 4}}}, &smaller)
                .code(),
            MaceStatus::MACE_INVALID_ARGS);
}

}  // namespace
}  // namespace mace::testing
