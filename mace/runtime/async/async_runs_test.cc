// Asynchronous runs: order, capacity, errors, cancelling, closing, threads.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mace/public/mace_async.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Tensors = std::map<std::string, MaceTensor>;

// y = max(x, 0) of four numbers.
class AsyncRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    ModelBuilder b;
    b.Input("x", {1, 4})
        .Op("Activation", {"x"}, {"y"}, {{"activation", "RELU"}});
    b.Output("y");
    const MaceStatus status =
        MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine_);
    ASSERT_TRUE(status.ok()) << status.information();
  }

  void Make(int capacity) {
    const MaceStatus status = MaceAsyncRuns::Create(engine_, capacity, &runs_);
    ASSERT_TRUE(status.ok()) << status.information();
  }

  static Tensors Input(float first) {
    return {{"x", FloatTensor({1, 4}, {first, -1, 2, -3})}};
  }

  // Keeps the thread of the queue in a callback until Release.
  void Block() {
    const auto entered = std::make_shared<std::promise<void>>();
    const MaceStatus status = runs_->RunAsync(
        Input(0), {}, [this, entered](const MaceStatus&, Tensors*) {
          entered->set_value();
          is_released_.wait();
        });
    ASSERT_TRUE(status.ok()) << status.information();
    entered->get_future().wait();
  }
  void Release() { released_.set_value(); }

  std::shared_ptr<MaceEngine> engine_;
  std::shared_ptr<MaceAsyncRuns> runs_;
  std::promise<void> released_;
  const std::shared_future<void> is_released_ = released_.get_future().share();
};

TEST_F(AsyncRuns, EndInOrderWithTheResultsOfRun) {
  Make(16);
  std::vector<float> found;
  for (int i = 0; i < 8; ++i) {
    const MaceStatus status =
        runs_->RunAsync(Input(static_cast<float>(i)), {},
                        [&](const MaceStatus& ended, Tensors* outputs) {
                          ASSERT_TRUE(ended.ok()) << ended.information();
                          const std::vector<float> y = Values((*outputs)["y"]);
                          EXPECT_EQ(y, (std::vector<float>{y[0], 0, 2, 0}));
                          found.push_back(y[0]);
                        });
    ASSERT_TRUE(status.ok()) << status.information();
  }
  EXPECT_TRUE(runs_->RunAsync(Input(9)).get().status.ok());
  EXPECT_EQ(found, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(AsyncRuns, WriteToTheMemoryOfTheCaller) {
  Make(1);
  const MaceTensor y = FloatTensor({1, 4}, {7, 7, 7, 7});
  const MaceAsyncResult result = runs_->RunAsync(Input(5), {{"y", y}}).get();
  EXPECT_TRUE(result.status.ok()) << result.status.information();
  EXPECT_EQ(Values(y), (std::vector<float>{5, 0, 2, 0}));
}

TEST_F(AsyncRuns, OfWhichTooManyWaitAreRefused) {
  Make(2);
  Block();
  std::atomic<int> ended{0};
  const auto count = [&](const MaceStatus&, Tensors*) { ++ended; };
  EXPECT_EQ(runs_->pending(), 1);
  EXPECT_TRUE(runs_->RunAsync(Input(1), {}, count).ok());
  EXPECT_TRUE(runs_->RunAsync(Input(2), {}, count).ok());
  EXPECT_EQ(runs_->pending(), 3);
  const MaceStatus third = runs_->RunAsync(Input(3), {}, count);
  EXPECT_EQ(third.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(third.information().find("2 runs wait already"), std::string::npos)
      << third.information();
  std::future<MaceAsyncResult> future = runs_->RunAsync(Input(3));
  EXPECT_EQ(future.get().status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  Release();
  runs_->Close();
  EXPECT_EQ(ended, 2);
}

TEST_F(AsyncRuns, PassOnTheErrorsOfRun) {
  Make(4);
  const MaceAsyncResult wrong =
      runs_->RunAsync({{"z", FloatTensor({1, 4}, {0, 0, 0, 0})}}).get();
  EXPECT_EQ(wrong.status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(wrong.status.information().find("z"), std::string::npos);
  EXPECT_TRUE(runs_->RunAsync(Input(1)).get().status.ok());
}

TEST_F(AsyncRuns, ThatWaitCanBeCancelled) {
  Make(4);
  Block();
  const auto deadline = std::make_shared<MaceDeadline>();
  auto ended = runs_->RunAsync(Input(1), {}, deadline);
  auto other = runs_->RunAsync(Input(2));
  deadline->Cancel();
  Release();
  EXPECT_EQ(ended.get().status.code(), MaceStatus::MACE_CANCELLED);
  EXPECT_TRUE(other.get().status.ok());
}

TEST_F(AsyncRuns, ThatWaitAreCancelledByCloseWhichWaitsForTheOther) {
  Make(4);
  Block();
  std::vector<MaceStatus::Code> ended;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(runs_
                    ->RunAsync(Input(1), {},
                               [&](const MaceStatus& status, Tensors*) {
                                 ended.push_back(status.code());
                               })
                    .ok());
  }
  std::atomic<int> closed{0};
  std::vector<std::thread> closers;
  for (int i = 0; i < 3; ++i) {
    closers.emplace_back([&] {
      runs_->Close();
      ++closed;
    });
  }
  MaceStatus late;
  do {  // until a closer has begun
    late = runs_->RunAsync(Input(1), {}, [](const MaceStatus&, Tensors*) {});
  } while (late.code() == MaceStatus::MACE_OUT_OF_RESOURCES || late.ok());
  EXPECT_NE(late.information().find("closed"), std::string::npos);
  EXPECT_EQ(closed, 0);
  Release();
  for (std::thread& closer : closers) closer.join();
  EXPECT_EQ(ended,
            std::vector<MaceStatus::Code>(3, MaceStatus::MACE_CANCELLED));
  EXPECT_EQ(runs_->pending(), 0);
}

TEST_F(AsyncRuns, AreAddedByCallbacks) {
  Make(1);
  std::promise<int> done;
  int rounds = 0;
  MaceRunCallback again = [&](const MaceStatus& status, Tensors*) {
    EXPECT_TRUE(status.ok()) << status.information();
    if (++rounds == 5) {
      done.set_value(rounds);
    } else {
      EXPECT_TRUE(runs_->RunAsync(Input(1), {}, again).ok());
    }
  };
  EXPECT_TRUE(runs_->RunAsync(Input(1), {}, again).ok());
  EXPECT_EQ(done.get_future().get(), 5);
  runs_->Close();
}

// The callback is the last owner; what waits is cancelled nevertheless.
TEST_F(AsyncRuns, AreDestroyedByACallback) {
  Make(2);
  Block();
  const auto ended = std::make_shared<std::promise<MaceStatus::Code>>();
  EXPECT_TRUE(runs_
                  ->RunAsync(Input(1), {},
                             [this](const MaceStatus&, Tensors*) {
                               runs_->Close();
                               runs_.reset();
                             })
                  .ok());
  EXPECT_TRUE(runs_
                  ->RunAsync(Input(1), {},
                             [ended](const MaceStatus& status, Tensors*) {
                               ended->set_value(status.code());
                             })
                  .ok());
  Release();
  EXPECT_EQ(ended->get_future().get(), MaceStatus::MACE_CANCELLED);
}

// What destroys the memory of a tensor is the app's code.
TEST_F(AsyncRuns, AreAskedByTheDeletersOfTensors) {
  Make(1);
  std::promise<int> pending;
  std::shared_ptr<float> data(new float[4](), [&](const float* p) {
    pending.set_value(runs_->pending());
    delete[] p;
  });
  Tensors inputs = {{"x", MaceTensor({1, 4}, std::move(data))}};
  EXPECT_TRUE(
      runs_->RunAsync(std::move(inputs), {}, [](const MaceStatus&, Tensors*) {})
          .ok());
  EXPECT_EQ(pending.get_future().get(), 1);
  runs_->Close();
}

TEST_F(AsyncRuns, GoOnWhenTheirFutureIsDropped) {
  Make(4);
  Block();
  runs_->RunAsync(Input(1));
  auto kept = runs_->RunAsync(Input(2));
  engine_.reset();  // the queue keeps it
  Release();
  EXPECT_EQ(Values(kept.get().outputs["y"]), (std::vector<float>{2, 0, 2, 0}));
}

TEST_F(AsyncRuns, NeedAnEngineACapacityAndACallback) {
  for (int capacity : {0, -1, MaceAsyncRuns::kMaxCapacity + 1}) {
    const MaceStatus status = MaceAsyncRuns::Create(engine_, capacity, &runs_);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find("from 1 to 65536"), std::string::npos);
    EXPECT_EQ(runs_, nullptr);
  }
  EXPECT_FALSE(MaceAsyncRuns::Create(nullptr, 1, &runs_).ok());
  EXPECT_FALSE(MaceAsyncRuns::Create(engine_, 1, nullptr).ok());
  Make(1);
  EXPECT_EQ(runs_->RunAsync(Input(1), {}, MaceRunCallback()).code(),
            MaceStatus::MACE_INVALID_ARGS);
}

TEST_F(AsyncRuns, OfManyThreadsHaveEachCallbackCalledOnce) {
  Make(3);
  constexpr int kThreads = 4, kRuns = 50;
  std::vector<std::atomic<int>> calls(kThreads * kRuns);
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRuns; ++i) {
        const int number = t * kRuns + i;
        const auto deadline = std::make_shared<MaceDeadline>();
        const MaceStatus status = runs_->RunAsync(
            Input(1), {},
            [&calls, number](const MaceStatus&, Tensors*) { ++calls[number]; },
            deadline);
        if (i % 3 == 0) deadline->Cancel();
        if (status.ok()) {
          ++taken;
        } else {
          calls[number] = -1;
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  runs_.reset();
  int ended = 0;
  for (const std::atomic<int>& count : calls) {
    EXPECT_TRUE(count == 1 || count == -1) << count;
    ended += count == 1;
  }
  EXPECT_EQ(ended, taken);
}

}  // namespace
}  // namespace mace::testing
