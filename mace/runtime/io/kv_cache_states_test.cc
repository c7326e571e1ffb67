// KV caches of fixed capacity, which runs update in place: one engine, whose
// steps need no new plan.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
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

constexpr int64_t kCapacity = 6, kDepth = 2;

// y = attention of the rows x, [1,1,n,2], over all rows so far, of which each
// is key and value; the state `cache` keeps them.
ModelBuilder Decoder(proto::DataType type) {
  ModelBuilder b;
  b.Input("x", {1, 1, 1, kDepth}).Input("position", {1});
  b.net().mutable_input_info(0)->set_dims(2, -1);
  b.net().mutable_input_info(1)->set_data_type(proto::DT_INT64);
  proto::TensorInfo& cache = *b.net().add_variables()->mutable_tensor();
  cache.set_name("cache");
  cache.set_data_type(type);
  for (const int64_t d : {int64_t{1}, int64_t{1}, kCapacity,
                          kDepth + (type == proto::DT_INT8 ? 4 : 0)}) {
    cache.add_dims(d);
  }
  b.net().mutable_variables(0)->set_next("next");
  b.Op("UpdateKvCache", {"cache", "x", "position"}, {"next"})
      .Op("Attention", {"x", "next", "next", "", "position"}, {"y"},
          {{"right_window", int64_t{0}}})
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

MaceStatus RunOn(MaceEngine& engine, const Floats& x, int64_t position,
                 Floats* y) {
  Tensors outputs;
  const auto at = std::make_shared<int64_t>(position);
  const auto rows = static_cast<int64_t>(x.size()) / kDepth;
  const MaceStatus status =
      engine.Run({{"x", FloatTensor({1, 1, rows, kDepth}, x)},
                  {"position", MaceTensor({1}, at, IDT_INT64)}},
                 &outputs);
  if (status.ok()) *y = Values(outputs["y"]);
  return status;
}

// The same by its definition.
Floats Attended(const Floats& rows, size_t queries) {
  const size_t n = rows.size() / kDepth;
  Floats y;
  for (size_t i = n - queries; i < n; ++i) {
    double sum = 0, a = 0, b = 0;
    for (size_t t = 0; t <= i; ++t) {
      const double dot =
          rows[2 * i] * rows[2 * t] + rows[2 * i + 1] * rows[2 * t + 1];
      const double weight = std::exp(dot / std::sqrt(2.0));
      sum += weight;
      a += weight * rows[2 * t];
      b += weight * rows[2 * t + 1];
    }
    y.push_back(static_cast<float>(a / sum));
    y.push_back(static_cast<float>(b / sum));
  }
  return y;
}

void ExpectNear(const Floats& y, const Floats& want, float tolerance) {
  ASSERT_EQ(y.size(), want.size());
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], want[i], tolerance);
}

TEST(KvCacheStates, PrefillAndSteps) {
  for (const auto& [type, tolerance] :
       {std::make_pair(proto::DT_FLOAT, 1e-6f),
        std::make_pair(proto::DT_HALF, 1e-3f),
        std::make_pair(proto::DT_INT8, 1e-2f)}) {
    ModelBuilder builder = Decoder(type);
    const auto engine = Create(builder);
    ASSERT_NE(engine, nullptr);
    Floats all = {0.5f, -1, 0.25f, 2}, y;
    ASSERT_TRUE(RunOn(*engine, all, 0, &y).ok());
    ExpectNear(y, Attended(all, 2), tolerance);
    for (const float x : {1.0f, -0.5f, 0.75f}) {
      const auto at = static_cast<int64_t>(all.size()) / kDepth;
      ASSERT_TRUE(RunOn(*engine, {x, 1 - x}, at, &y).ok());
      all.insert(all.end(), {x, 1 - x});
      ExpectNear(y, Attended(all, 1), tolerance);
    }
    // An earlier position: what was behind it no longer counts.
    all.resize(2 * kDepth);
    all.insert(all.end(), {-1, 1});
    ASSERT_TRUE(RunOn(*engine, {-1, 1}, 2, &y).ok());
    ExpectNear(y, Attended(all, 1), tolerance);
  }
}

TEST(KvCacheStates, AFullCacheIsAnError) {
  ModelBuilder builder = Decoder(proto::DT_FLOAT);
  const auto engine = Create(builder);
  ASSERT_NE(engine, nullptr);
  const Floats first = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1};
  Floats y;
  ASSERT_TRUE(RunOn(*engine, first, 0, &y).ok());
  const MaceStatus status = RunOn(*engine, {1, 2, 3, 4}, 5, &y);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("2 rows at position 5 are not within the "
                                      "KV cache's capacity of 6 rows"),
            std::string::npos)
      << status.information();
  ASSERT_TRUE(RunOn(*engine, {1, 2}, 5, &y).ok());
  Floats all = first;
  all.insert(all.end(), {1, 2});
  ExpectNear(y, Attended(all, 1), 1e-5f);
}

TEST(KvCacheStates, HaveOneBuffer) {
  ModelBuilder builder = Decoder(proto::DT_HALF);
  const auto engine = Create(builder);
  ASSERT_NE(engine, nullptr);
  std::string text;
  ASSERT_TRUE(engine->Dump("memory", &text).ok());
  EXPECT_NE(
      text.find("state cache f16[1,1,6,2], 24 bytes, from next, in place"),
      std::string::npos)
      << text;
  // Another reader of the state: two buffers.
  ModelBuilder read = Decoder(proto::DT_FLOAT);
  read.Op("Identity", {"cache"}, {"before"}).Output("before");
  const auto other = Create(read);
  ASSERT_NE(other, nullptr);
  ASSERT_TRUE(other->Dump("memory", &text).ok());
  EXPECT_EQ(text.find("in place"), std::string::npos) << text;
  // States are read and written as others are.
  Floats y;
  ASSERT_TRUE(RunOn(*engine, {1, 2}, 0, &y).ok());
  Tensors states;
  ASSERT_TRUE(engine->GetState(&states).ok());
  ASSERT_TRUE(engine->ResetState().ok());
  ASSERT_TRUE(engine->SetState(states).ok());
  ASSERT_TRUE(RunOn(*engine, {3, 4}, 1, &y).ok());
  ExpectNear(y, Attended({1, 2, 3, 4}, 1), 1e-2f);
}

}  // namespace
}  // namespace mace::testing
