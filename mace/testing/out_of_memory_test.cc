// Memory that ends: limits of engines, a system that gives no more, and models
// that ask for more than there is.
// SPDX-License-Identifier: Apache-2.0
//
// The allocators of this process are replaced by ones that count, and that
// fail when they are asked to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <set>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace {

// Of operator new, which ends the process where it fails.
size_t num_throwing = 0;
size_t largest_throwing = 0;
// Calls of posix_memalign until one fails; below 0: none does.
int until_failure = -1;

void* Allocate(size_t bytes) {
  ++num_throwing;
  largest_throwing = std::max(largest_throwing, bytes);
  void* p = std::malloc(bytes);
  if (p == nullptr) std::abort();
  return p;
}

}  // namespace

void* operator new(size_t bytes) { return Allocate(bytes); }
void* operator new[](size_t bytes) { return Allocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }

extern "C" int posix_memalign(void** p, size_t alignment, size_t bytes) {
  if (until_failure >= 0 && until_failure-- == 0) return ENOMEM;
  *p = std::aligned_alloc(alignment,
                          (bytes + alignment - 1) / alignment * alignment);
  return *p == nullptr ? ENOMEM : 0;
}

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

constexpr auto kNoMemory = MaceStatus::MACE_OUT_OF_RESOURCES;

// Packed weights, scratch, a constant that the plan computes, an arena, and an
// output.
ModelBuilder Sample() {
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .Weight("w", {8, 4, 5, 5}, std::vector<float>(8 * 4 * 25, 0.5f))
      .Weight("c", {1, 1, 8}, std::vector<float>(8, 1))
      .Op("Conv2d", {"x", "w"}, {"a"}, {{"padding", int64_t{1}}})
      .Op("Unary", {"c"}, {"d"}, {{"type", std::string("EXP")}})
      .Op("Softmax", {"a"}, {"s"})
      .Op("Eltwise", {"s", "d"}, {"y"}, {{"type", std::string("SUM")}})
      .Output("y");
  return b;
}

MaceStatus CreateAndRun(const MaceEngineConfig& config) {
  const std::shared_ptr<MaceModel> model = Sample().Load();
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status = MaceEngine::Create(model, {}, {}, config, &engine);
  if (!status.ok()) return status;
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor x =
      FloatTensor({1, 8, 8, 4}, std::vector<float>(8 * 8 * 4, 1));
  const MaceStatus ran = engine->Run({{"x", x}}, &outputs);
  if (ran.ok()) return ran;
  // The engine stays usable.
  outputs = {{"y", FloatTensor({1, 8, 8, 8}, std::vector<float>(8 * 8 * 8))}};
  const MaceStatus again = engine->Run({{"x", x}}, &outputs);
  EXPECT_TRUE(again.ok()) << again.information();
  return ran;
}

// "832 bytes for the arena are more than is left: 96 of 100 bytes are taken"
struct Refusal {
  int64_t bytes = 0, taken = 0;
  std::string what;
};

Refusal RefusalOf(const std::string& message) {
  Refusal r;
  const std::string bytes_for = " bytes for ", left = " is left: ";
  const size_t at = message.find(bytes_for), end = message.find(" are more");
  const size_t taken = message.find(left);
  EXPECT_NE(taken, std::string::npos) << message;
  if (taken == std::string::npos) return r;
  r.bytes = std::strtoll(message.c_str(), nullptr, 10);
  r.what = message.substr(at + bytes_for.size(), end - at - bytes_for.size());
  r.taken = std::strtoll(message.c_str() + taken + left.size(), nullptr, 10);
  return r;
}

// A limit that lets one more allocation through, again and again: each fails
// once.
TEST(MemoryLimit, EachAllocationIsRefusedOnce) {
  std::set<std::string> what;
  int refused = 0;
  for (int64_t limit = 1;; ++refused) {
    ASSERT_LT(refused, 100);
    MaceEngineConfig config;
    ASSERT_TRUE(config.SetCPUThreadPolicy(1, AFFINITY_NONE).ok());
    config.SetMemoryLimit(static_cast<size_t>(limit));
    const MaceStatus status = CreateAndRun(config);
    if (status.ok()) break;
    ASSERT_EQ(status.code(), kNoMemory) << status.information();
    const Refusal refusal = RefusalOf(status.information());
    ASSERT_GT(refusal.bytes + refusal.taken, limit) << status.information();
    limit = refusal.bytes + refusal.taken;
    what.insert(refusal.what);
  }
  for (const char* expected : {"packed or widened weights", "the arena",
                               "a folded constant", "an output"}) {
    EXPECT_EQ(what.count(expected), 1u) << expected;
  }
}

TEST(OutOfMemory, EachAllocationOfTheSystemFailsOnce) {
  int failed = 0;
  for (;; ++failed) {
    ASSERT_LT(failed, 100);
    until_failure = failed;
    // What gtest and the model take comes before and fails nothing else.
    const MaceStatus status = CreateAndRun(MaceEngineConfig());
    const bool all_gave = until_failure >= 0;
    until_failure = -1;
    if (all_gave) {
      EXPECT_TRUE(status.ok()) << status.information();
      break;
    }
    EXPECT_EQ(status.code(), kNoMemory) << status.information();
    EXPECT_NE(status.information().find("the system cannot give"),
              std::string::npos)
        << status.information();
  }
  EXPECT_GE(failed, 4);
}

std::shared_ptr<MaceEngine> CreateSharing(const MaceEngine* with) {
  MaceEngineConfig config;
  EXPECT_TRUE(config.ShareMemoryWith(with).ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(Sample().Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> RunWell(MaceEngine& engine, int64_t batch = 1) {
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor x =
      FloatTensor({batch, 8, 8, 4}, std::vector<float>(batch * 8 * 8 * 4, 1));
  const MaceStatus status = engine.Run({{"x", x}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return status.ok() ? Values(outputs["y"]) : std::vector<float>();
}

// Lets the allocations of a run fail, each once, until the run succeeds.
// Returns how many failed.
int FailEach(MaceEngine& engine, int64_t batch = 1) {
  std::map<std::string, MaceTensor> outputs = {
      {"y",
       FloatTensor({batch, 8, 8, 8}, std::vector<float>(batch * 8 * 8 * 8))}};
  const MaceTensor x =
      FloatTensor({batch, 8, 8, 4}, std::vector<float>(batch * 8 * 8 * 4, 1));
  for (int failed = 0; failed < 100; ++failed) {
    until_failure = failed;
    const MaceStatus status = engine.Run({{"x", x}}, &outputs);
    const bool all_gave = until_failure >= 0;
    until_failure = -1;
    if (all_gave) {
      EXPECT_TRUE(status.ok()) << status.information();
      return failed;
    }
    EXPECT_EQ(status.code(), kNoMemory) << status.information();
  }
  ADD_FAILURE() << "it always fails";
  return 100;
}

TEST(OutOfMemory, AReleasedArenaCannotBeAllocatedAgain) {
  const std::shared_ptr<MaceEngine> engine = CreateSharing(nullptr);
  const std::vector<float> expected = RunWell(*engine);
  ASSERT_TRUE(engine->ReleaseIntermediateBuffer().ok());
  EXPECT_EQ(FailEach(*engine), 1);
  EXPECT_EQ(RunWell(*engine), expected);
}

// Of engines that share memory, one cannot let it grow: both stay usable.
TEST(OutOfMemory, SharedMemoryCannotGrow) {
  const std::shared_ptr<MaceEngine> first = CreateSharing(nullptr);
  const std::shared_ptr<MaceEngine> second = CreateSharing(first.get());
  const std::vector<float> expected = RunWell(*first);
  const std::vector<float> larger =
      RunWell(*CreateSharing(nullptr), /*batch=*/3);
  EXPECT_GE(FailEach(*second, /*batch=*/3), 1);
  EXPECT_EQ(RunWell(*first), expected);
  EXPECT_EQ(RunWell(*second, 3), larger);
  ASSERT_TRUE(second->ReleaseIntermediateBuffer().ok());
  EXPECT_EQ(FailEach(*first), 1);
  EXPECT_EQ(RunWell(*second, 3), larger);
  EXPECT_EQ(RunWell(*first), expected);
}

// A model that is refused before much is done or allocated.
void ExpectCheapRefusal(ModelBuilder model, const std::string& text,
                        int64_t limit = 0) {
  SCOPED_TRACE(text);
  constexpr size_t kLargest = size_t{16} << 20, kMaxCalls = 20000;
  const std::shared_ptr<MaceModel> loaded = model.Load();
  MaceEngineConfig config;
  config.SetMemoryLimit(static_cast<size_t>(limit));
  std::shared_ptr<MaceEngine> engine;
  num_throwing = largest_throwing = 0;
  const MaceStatus status = MaceEngine::Create(loaded, {}, {}, config, &engine);
  EXPECT_LE(largest_throwing, kLargest);
  EXPECT_LE(num_throwing, kMaxCalls);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.information().find(text), std::string::npos)
      << status.information();
}

ModelBuilder Model(const std::vector<Shape>& inputs, const std::string& op,
                   const AttrMap& attrs) {
  ModelBuilder b;
  std::vector<std::string> names;
  for (const Shape& shape : inputs) {
    names.push_back("x" + std::to_string(names.size()));
    b.Input(names.back(), shape);
  }
  b.Op(op, names, {"y"}, attrs).Output("y");
  return b;
}

TEST(HostileShapes, Tensors) {
  constexpr int64_t k20 = 1 << 20;
  ExpectCheapRefusal(Model({{k20, k20, 1024}}, "Softmax", {}),
                     "input 'x0' is f32[1048576,1048576,1024], "
                     "4503599627370496 bytes; there are ");
  // Nothing in it, but an axis that no table could describe.
  ExpectCheapRefusal(Model({{0, int64_t{1} << 57}}, "Softmax", {}),
                     "input 'x0' is f32[0,");
  ExpectCheapRefusal(Model({{1, 1024}}, "Tile", {{"repeats", Ints{k20, k20}}}),
                     "Tile 'y': output 0 is f32[1048576,1073741824]");
  ModelBuilder arena = Model({{1 << 16}}, "Softmax", {});
  arena.Op("Softmax", {"y"}, {"z"})
      .Op("Pad", {"z"}, {"p"}, {{"paddings", Ints{1, 1}}});
  arena.net().mutable_output_info(0)->set_name("p");
  ExpectCheapRefusal(arena, "bytes for the arena are more than is left", 1000);
}

// Tables that kernels make.
TEST(HostileShapes, Tables) {
  constexpr int64_t kMany = 1 << 24;
  ExpectCheapRefusal(Model({{kMany, 1, 1}, {kMany, 1, 1}}, "MatMul", {}),
                     "16777216 matrices are more than the CPU's");
  ExpectCheapRefusal(
      Model({{1, 1, 1, 1}, {1, 1, 1, 1}}, "Deconv2d",
            {{"strides", Ints{4096, 4096}}, {"padding", int64_t{1}}}),
      "phases are more than the CPU's");
  ExpectCheapRefusal(Model({{1, 1, 1, 1}, {1, 1, 1, kMany}}, "Deconv2d",
                           {{"strides", Ints{1, 16384}}}),
                     "are more than the CPU's");
  ExpectCheapRefusal(
      Model({{1, 1, 1, kMany}, {kMany, 1, 1, 1}}, "Conv2d", {{"group", kMany}}),
      "groups are more than the CPU's");
  ExpectCheapRefusal(Model({{1, 1, 1, 2 * kMany}, {1, 2 * kMany, 1, 1}},
                           "DepthwiseConv2d", {}),
                     "channels are more than the CPU's");
  ExpectCheapRefusal(
      Model({{1, 1, 1, 1}}, "Resize", {{"size", Ints{1, kMany}}}),
      "lines or columns are more than the CPU's");
  ModelBuilder slice;
  slice.Input("x", {4})
      .WeightI32("starts", std::vector<int32_t>((1 << 20) + 1))
      .Op("Slice", {"x", "starts", "starts"}, {"y"})
      .Output("y");
  ExpectCheapRefusal(slice, "a list of more than 1048576 integers");
}

// Constants that would take hours to fold: [512,512] and a filter of [511,511].
TEST(HostileShapes, MuchFoldingIsLeftToRun) {
  ModelBuilder b;
  b.Weight("x", {1, 512, 512, 1}, std::vector<float>(512 * 512))
      .Weight("w", {1, 1, 511, 511}, std::vector<float>(511 * 511))
      .Op("Conv2d", {"x", "w"}, {"y"}, {{"padding", int64_t{1}}})
      .Op("Pooling", {"x"}, {"z"},
          {{"pooling_type", int64_t{2}},
           {"kernels", Ints{511, 511}},
           {"padding", int64_t{1}}})
      .Op("Unary", {"x"}, {"u"}, {{"type", std::string("NEG")}})
      .Output("y")
      .Output("z")
      .Output("u");
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine);
  ASSERT_TRUE(status.ok()) << status.information();
  std::string graph;
  ASSERT_TRUE(engine->Dump("graph", &graph).ok());
  EXPECT_NE(graph.find("Conv2d 'y'"), std::string::npos) << graph;
  EXPECT_NE(graph.find("Pooling 'z'"), std::string::npos) << graph;
  EXPECT_EQ(graph.find("Unary 'u'"), std::string::npos) << graph;
}

}  // namespace
}  // namespace mace::testing
