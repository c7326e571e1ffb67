// Cancelling runs of an engine: before they begin, while they compute, while
// they wait, and after they have ended.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr int64_t kExtent = 24, kChannels = 16, kLayers = 6;
const Shape kShape = {1, kExtent, kExtent, kChannels};

std::vector<float> Floats(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * 7919 % 101) - 50) / 512;
  }
  return values;
}

// Convolutions one after the other.
ModelBuilder Network() {
  ModelBuilder b;
  b.Input("x", kShape);
  std::string last = "x";
  for (int64_t i = 0; i < kLayers; ++i) {
    const std::string name = "c" + std::to_string(i);
    b.Weight("w" + name, {kChannels, kChannels, 3, 3},
             Floats(kChannels * kChannels * 9))
        .Op("Conv2d", {last, "w" + name}, {name}, {{"padding", int64_t{1}}});
    last = name;
  }
  b.Op("Softmax", {last}, {"y"}).Output("y");
  return b;
}

class Cancellation : public ::testing::Test {
 protected:
  void Make(int threads) {
    MaceEngineConfig config;
    ASSERT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
    const MaceStatus status =
        MaceEngine::Create(Network().Load(), {}, {}, config, &engine_);
    ASSERT_TRUE(status.ok()) << status.information();
    std::map<std::string, MaceTensor> outputs;
    ASSERT_TRUE(engine_->Run(inputs_, &outputs).ok());
    expected_ = Values(outputs["y"]);
  }

  // Either the right result or MACE_CANCELLED.
  MaceStatus Run(const MaceCancellation& cancellation) {
    std::map<std::string, MaceTensor> outputs;
    const MaceStatus status = engine_->Run(inputs_, &outputs, cancellation);
    if (status.ok()) {
      EXPECT_EQ(Values(outputs["y"]), expected_);
    } else {
      EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED)
          << status.information();
    }
    return status;
  }

  std::shared_ptr<MaceEngine> engine_;
  const std::map<std::string, MaceTensor> inputs_ = {
      {"x", FloatTensor(kShape, Floats(kExtent* kExtent* kChannels))}};
  std::vector<float> expected_;
};

TEST_F(Cancellation, BeforeTheRunBegins) {
  Make(1);
  MaceCancellation cancellation;
  EXPECT_FALSE(cancellation.is_cancelled());
  cancellation.Cancel();
  EXPECT_TRUE(cancellation.is_cancelled());
  std::map<std::string, MaceTensor> outputs;
  RunMetadata metadata;
  metadata.op_stats.resize(3);
  const MaceStatus status =
      engine_->Run(inputs_, &outputs, cancellation, &metadata);
  EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED);
  EXPECT_NE(status.information().find("MaceCancellation"), std::string::npos);
  EXPECT_TRUE(metadata.op_stats.empty());
  EXPECT_TRUE(outputs.empty());
  // It stays cancelled, and others are not touched.
  EXPECT_EQ(Run(cancellation), MaceStatus::MACE_CANCELLED);
  EXPECT_TRUE(Run(MaceCancellation()).ok());
}

TEST_F(Cancellation, AfterTheRunHasEnded) {
  Make(1);
  MaceCancellation cancellation;
  RunMetadata metadata;
  std::map<std::string, MaceTensor> outputs;
  ASSERT_TRUE(engine_->Run(inputs_, &outputs, cancellation, &metadata).ok());
  EXPECT_FALSE(metadata.op_stats.empty());
  cancellation.Cancel();
  EXPECT_EQ(Values(outputs["y"]), expected_);
  EXPECT_TRUE(Run(MaceCancellation()).ok());
}

// Wrong arguments are still reported, and null for the outputs is no crash.
TEST_F(Cancellation, WrongArguments) {
  Make(1);
  const MaceCancellation cancellation;
  std::map<std::string, MaceTensor> outputs;
  EXPECT_EQ(engine_->Run({}, &outputs, cancellation),
            MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(engine_->Run(inputs_, nullptr, cancellation),
            MaceStatus::MACE_INVALID_ARGS);
}

// Cancelled at any moment: the run and those that wait behind it, on one and on
// several threads of the engine. What runs next is right.
TEST_F(Cancellation, AtAnyMoment) {
  for (int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    Make(threads);
    int num_cancelled = 0;
    for (int round = 0; round < 20; ++round) {
      MaceCancellation cancellation;
      if (round == 0) cancellation.Cancel();
      std::atomic<int> begun{0}, cancelled{0};
      std::vector<std::thread> runs;
      for (int t = 0; t < 3; ++t) {
        runs.emplace_back([&] {
          ++begun;
          if (!Run(cancellation).ok()) ++cancelled;
        });
      }
      while (begun < 3) std::this_thread::yield();
      for (int i = 0; i < round * 20; ++i) std::this_thread::yield();
      cancellation.Cancel();
      for (std::thread& thread : runs) thread.join();
      num_cancelled += cancelled;
      ASSERT_TRUE(Run(MaceCancellation()).ok());
    }
    EXPECT_GT(num_cancelled, 0);
  }
}

// Of several runs that wait, only those of the object are cancelled.
TEST_F(Cancellation, OthersThatWaitAreNotTouched) {
  Make(2);
  for (int round = 0; round < 20; ++round) {
    MaceCancellation ours, theirs;
    std::vector<std::thread> runs;
    for (int t = 0; t < 2; ++t) {
      runs.emplace_back([&] { (void)Run(ours); });
      runs.emplace_back([&] { EXPECT_TRUE(Run(theirs).ok()); });
    }
    ours.Cancel();
    for (std::thread& thread : runs) thread.join();
  }
}

TEST_F(Cancellation, ADeadlineThatHasPassed) {
  Make(1);
  for (const int64_t micros : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    MaceDeadline deadline(micros);
    EXPECT_TRUE(deadline.is_cancelled());
    std::map<std::string, MaceTensor> outputs;
    const MaceStatus status = engine_->Run(inputs_, &outputs, deadline);
    EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED);
    EXPECT_EQ(status.information(),
              "the run did not end before its deadline, which was " +
                  std::to_string(micros) +
                  " us after it was set; the outputs hold no result");
    EXPECT_TRUE(outputs.empty());
    deadline.Set(1000000000);  // too late
    EXPECT_EQ(engine_->Run(inputs_, &outputs, deadline),
              MaceStatus::MACE_CANCELLED);
  }
  EXPECT_TRUE(Run(MaceCancellation()).ok());
}

TEST_F(Cancellation, ADeadlineThatIsFarAway) {
  Make(2);
  MaceDeadline deadline;
  for (const int64_t micros : {int64_t{3600} * 1000000, INT64_MAX}) {
    deadline.Set(micros);
    std::map<std::string, MaceTensor> outputs;
    ASSERT_TRUE(engine_->Run(inputs_, &outputs, deadline).ok());
    EXPECT_EQ(Values(outputs["y"]), expected_);
  }
  deadline.Cancel();
  std::map<std::string, MaceTensor> outputs;
  EXPECT_NE(engine_->Run(inputs_, &outputs, deadline)
                .information()
                .find("cancelled by its MaceCancellation"),
            std::string::npos);
}

// It passes while the run computes, and while others wait behind it: none waits
// for its turn.
TEST_F(Cancellation, ADeadlineThatPassesAtAnyMoment) {
  for (int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    Make(threads);
    int num_cancelled = 0;
    for (int64_t micros = 1; micros < 5000; micros *= 2) {
      std::atomic<int> cancelled{0};
      std::vector<std::thread> runs;
      for (int t = 0; t < 3; ++t) {
        runs.emplace_back([&] {
          const MaceDeadline deadline(micros);
          std::map<std::string, MaceTensor> outputs;
          const MaceStatus status = engine_->Run(inputs_, &outputs, deadline);
          if (status.ok()) {
            EXPECT_EQ(Values(outputs["y"]), expected_);
            return;
          }
          EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED);
          EXPECT_TRUE(deadline.has_passed());
          ++cancelled;
        });
      }
      for (std::thread& thread : runs) thread.join();
      num_cancelled += cancelled;
      ASSERT_TRUE(Run(MaceCancellation()).ok());
    }
    EXPECT_GT(num_cancelled, 0);
  }
}

// Runs until it is told to end.
class Endless : public MaceCustomOp {
 public:
  explicit Endless(std::atomic<int>* state) : state_(*state) {}
  MaceStatus Prepare(MaceOpShapes* shapes) override {
    return shapes->SetOutput(0, IDT_FLOAT, shapes->input(0).shape());
  }
  MaceStatus Run(const MaceOpTensors&) override {
    state_ = 1;
    while (state_ != 2) std::this_thread::yield();
    return MaceStatus();
  }

 private:
  std::atomic<int>& state_;
};

std::shared_ptr<MaceEngine> EngineOf(const ModelBuilder& b,
                                     const MaceOpResolver& resolver) {
  MaceEngineConfig config;
  config.SetOpResolver(resolver);
  ModelBuilder model = b;
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(model.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

TEST(CancelledWaiting, EndsBeforeTheOtherRunDoes) {
  std::atomic<int> state{0};
  MaceOpResolver resolver;
  ASSERT_TRUE(resolver
                  .AddCustom("Endless",
                             [&] { return std::make_unique<Endless>(&state); })
                  .ok());
  ModelBuilder b;
  b.Input("x", {2}).Op("Endless", {"x"}, {"y"}).Output("y");
  const auto engine = EngineOf(b, resolver);
  ASSERT_NE(engine, nullptr);
  const std::map<std::string, MaceTensor> inputs = {
      {"x", FloatTensor({2}, {1, 2})}};
  std::thread other([&] {
    std::map<std::string, MaceTensor> outputs;
    EXPECT_TRUE(engine->Run(inputs, &outputs).ok());
  });
  while (state != 1) std::this_thread::yield();
  std::map<std::string, MaceTensor> outputs;
  const MaceDeadline deadline(2000);
  EXPECT_EQ(engine->Run(inputs, &outputs, deadline),
            MaceStatus::MACE_CANCELLED);
  MaceCancellation cancellation;
  std::thread canceller([&] { cancellation.Cancel(); });
  EXPECT_EQ(engine->Run(inputs, &outputs, cancellation),
            MaceStatus::MACE_CANCELLED);
  canceller.join();
  state = 2;
  other.join();
}

// Its second plan cancels the run for which it is made.
class CancelsItsPlan : public MaceCustomOp {
 public:
  CancelsItsPlan(MaceCancellation* run, int* prepared)
      : run_(*run), prepared_(*prepared) {}
  MaceStatus Prepare(MaceOpShapes* shapes) override {
    ++prepared_;
    if (shapes->input(0).shape() == Shape{3}) run_.Cancel();
    return shapes->SetOutput(0, IDT_FLOAT, shapes->input(0).shape());
  }
  MaceStatus Run(const MaceOpTensors& tensors) override {
    tensors.output(0).data<float>()[0] = tensors.input(0).data<float>()[0];
    return MaceStatus();
  }

 private:
  MaceCancellation& run_;
  int& prepared_;
};

TEST(CancelledPlanning, EndsBetweenTwoNodes) {
  MaceCancellation run;
  int prepared = 0;
  MaceOpResolver resolver;
  ASSERT_TRUE(
      resolver
          .AddCustom(
              "Cancels",
              [&] { return std::make_unique<CancelsItsPlan>(&run, &prepared); })
          .ok());
  ModelBuilder b;
  b.Input("x", {2})
      .Op("Cancels", {"x"}, {"u"})
      .Op("Cancels", {"u"}, {"v"})
      .Op("Cancels", {"v"}, {"y"})
      .Output("y");
  const auto engine = EngineOf(b, resolver);
  ASSERT_NE(engine, nullptr);
  prepared = 0;
  std::map<std::string, MaceTensor> outputs;
  const std::map<std::string, MaceTensor> inputs = {
      {"x", FloatTensor({3}, {5, 2, 3})}};
  EXPECT_EQ(engine->Run(inputs, &outputs, run), MaceStatus::MACE_CANCELLED);
  EXPECT_EQ(prepared, 1);
  // Nothing of the plan is left, and the next run makes it.
  ASSERT_TRUE(engine->Run(inputs, &outputs).ok());
  EXPECT_EQ(prepared, 4);
  EXPECT_EQ(Values(outputs["y"])[0], 5);
}

// A new shape is planned, and then the run ends: the plan is there and right.
TEST_F(Cancellation, WithANewShape) {
  Make(1);
  const Shape shape = {1, kExtent / 2, kExtent, kChannels};
  const MaceTensor x =
      FloatTensor(shape, Floats(kExtent / 2 * kExtent * kChannels));
  std::shared_ptr<MaceEngine> other;
  ASSERT_TRUE(MaceEngine::Create(Network().Load(), {}, {},
                                 MaceEngineConfig(CPU), &other)
                  .ok());
  std::map<std::string, MaceTensor> expected, outputs;
  ASSERT_TRUE(other->Run({{"x", x}}, &expected).ok());
  MaceCancellation cancellation;
  std::thread canceller([&] { cancellation.Cancel(); });
  const MaceStatus status = engine_->Run({{"x", x}}, &outputs, cancellation);
  canceller.join();
  if (!status.ok()) {
    EXPECT_EQ(status, MaceStatus::MACE_CANCELLED);
    outputs.clear();
    ASSERT_TRUE(engine_->Run({{"x", x}}, &outputs).ok());
  }
  EXPECT_EQ(Values(outputs["y"]), Values(expected["y"]));
  EXPECT_TRUE(Run(MaceCancellation()).ok());
}

}  // namespace
}  // namespace mace::testing
