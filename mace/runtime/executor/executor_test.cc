// Ending a run between its steps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/executor.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "mace/plan/testing/plan_maker.h"

namespace mace {
namespace {

// A device that works in the background.
class BackgroundDevice final : public Device, public DeviceActivity {
 public:
  const char* name() const override { return "background"; }
  DeviceSpeed speed() const override { return {}; }
  DeviceActivity* activity() override { return this; }
  DeviceCounts counts() const override { return {}; }
  Status Finish() override {
    ++num_finished;
    return Status();
  }
  void SetCancellation(const Cancellation* cancellation) override {
    current = cancellation;
    seen.push_back(cancellation);
  }

  int num_finished = 0;
  const Cancellation* current = nullptr;
  std::vector<const Cancellation*> seen;
};

constexpr int kSteps = 5;

// Runs kSteps steps, of which `at` calls `act`.
class ExecutorRun : public ::testing::Test {
 protected:
  std::unique_ptr<Executor> Make(int at, std::function<Status()> act) {
    testing::PlanMaker maker;
    maker.device = &device_;
    int value = maker.Input({1});
    for (int s = 0; s < kSteps; ++s) {
      testing::KernelProperties properties;
      properties.run = [this, s, at, act](const RunArgs&) {
        ran_.push_back(s);
        return s == at ? act() : Status();
      };
      value = maker.AddOne("Activation", {value}, {1}, properties);
    }
    maker.plan.locations.resize(maker.plan.graph.values.size());
    return std::make_unique<Executor>(
        std::make_unique<Plan>(std::move(maker.plan)));
  }

  BackgroundDevice device_;
  MaceCancellation cancellation_;
  const Cancellation run_{cancellation_};
  std::vector<int> ran_;
};

using Steps = std::vector<int>;

TEST_F(ExecutorRun, EndsAfterTheStepThatIsRunning) {
  const Cancellation* during = nullptr;
  const auto executor = Make(2, [&] {
    during = device_.current;
    cancellation_.Cancel();
    return Status();
  });
  RunMetadata metadata;
  const Status status = executor->Run(&metadata, &run_);
  EXPECT_EQ(status.code(), Status::MACE_CANCELLED);
  EXPECT_NE(status.information().find("MaceCancellation"), std::string::npos);
  EXPECT_EQ(ran_, (Steps{0, 1, 2}));
  EXPECT_EQ(during, &run_);
  EXPECT_EQ(metadata.op_stats.size(), 3u);
  // What had been started is waited for, and nothing keeps the object.
  EXPECT_EQ(device_.num_finished, 1);
  EXPECT_EQ(device_.current, nullptr);
  // It cannot be undone.
  ran_.clear();
  EXPECT_EQ(executor->Run(nullptr, &run_), Status::MACE_CANCELLED);
  EXPECT_EQ(ran_, Steps());
  // A run without it is complete.
  EXPECT_TRUE(executor->Run(nullptr).ok());
  EXPECT_EQ(ran_.size(), size_t{kSteps});
}

TEST_F(ExecutorRun, IsNotTouchedByAnotherCancellation) {
  MaceCancellation other;
  const auto executor = Make(1, [&] {
    other.Cancel();
    return Status();
  });
  EXPECT_TRUE(executor->Run(nullptr, &run_).ok());
  EXPECT_TRUE(executor->Run(nullptr).ok());
  EXPECT_EQ(ran_.size(), 2u * kSteps);
  EXPECT_EQ(device_.num_finished, 0);
  EXPECT_EQ(device_.seen, (std::vector<const Cancellation*>{&run_, nullptr,
                                                            nullptr, nullptr}));
}

// A kernel that left out work must not pass for one that computed.
TEST_F(ExecutorRun, EndsAfterTheLastStep) {
  const auto executor = Make(kSteps - 1, [this] {
    cancellation_.Cancel();
    return Status();
  });
  EXPECT_EQ(executor->Run(nullptr, &run_), Status::MACE_CANCELLED);
  EXPECT_EQ(ran_.size(), size_t{kSteps});
}

TEST_F(ExecutorRun, EndsInAKernelThatSaysSo) {
  const auto executor = Make(3, [this] {
    cancellation_.Cancel();
    return Cancelled("no further parts");
  });
  const Status status = executor->Run(nullptr, &run_);
  EXPECT_EQ(status.information(), run_.Check().information());
  EXPECT_EQ(ran_.size(), 4u);
}

// MACE_CANCELLED from a kernel of a run that nobody cancelled is an error.
TEST_F(ExecutorRun, NobodyCancelled) {
  const auto executor = Make(3, [] { return Cancelled("who?"); });
  EXPECT_EQ(executor->Run(nullptr).information(), "who?");
  EXPECT_EQ(executor->Run(nullptr, &run_).information(), "who?");
}

TEST_F(ExecutorRun, AnErrorStaysAnError) {
  const auto executor = Make(1, [this] {
    cancellation_.Cancel();
    return RuntimeError("the driver failed");
  });
  const Status status = executor->Run(nullptr, &run_);
  EXPECT_EQ(status.code(), Status::MACE_RUNTIME_ERROR);
  EXPECT_EQ(status.information(), "the driver failed");
  EXPECT_EQ(device_.current, nullptr);
}

}  // namespace
}  // namespace mace
