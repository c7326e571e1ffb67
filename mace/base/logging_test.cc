// The log's callback: what it gets, when, and on which thread.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/logging.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mace {
namespace {

// What a callback got. Thread-safe.
struct Got {
  std::mutex mutex;
  std::vector<std::string> lines;  // "W text"

  static void Add(MaceLogLevel level, const char* message, void* user) {
    Got& got = *static_cast<Got*>(user);
    std::lock_guard<std::mutex> lock(got.mutex);
    got.lines.push_back("EWI1234"[level] + std::string(" ") + message);
  }
};

class Log : public ::testing::Test {
 protected:
  void TearDown() override { SetLogCallback(nullptr, nullptr); }

  static void WriteAll() {
    LOG(ERROR) << "error " << 1;
    LOG(WARNING) << "warning";
    LOG(INFO) << "info";
    VLOG(1) << "one";
    VLOG(2) << "two";
    VLOG(4) << "four";
  }
};

using Lines = std::vector<std::string>;

TEST_F(Log, StderrHasTheFileAndTheLine) {
  ::testing::internal::CaptureStderr();
  WriteAll();
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("E logging_test.cc:"), 0u) << text;
  EXPECT_NE(text.find(": error 1\nW logging_test.cc:"), std::string::npos)
      << text;
  EXPECT_EQ(text.substr(text.size() - 7), ": info\n") << text;
}

TEST_F(Log, LevelsUpToTheLeastImportant) {
  const Lines all = {"E error 1", "W warning", "I info",
                     "1 one",     "2 two",     "4 four"};
  const size_t counts[] = {1, 2, 3, 4, 5, 5, 6};
  for (int level = MACE_LOG_ERROR; level <= MACE_LOG_VERBOSE_4; ++level) {
    Got got;
    ::testing::internal::CaptureStderr();
    SetLogCallback(&Got::Add, &got, static_cast<MaceLogLevel>(level));
    WriteAll();
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(got.lines, Lines(all.begin(), all.begin() + counts[level]));
    SetLogCallback(nullptr, nullptr);
  }
}

TEST_F(Log, ANewCallbackReplacesTheOldAndNullRestoresStderr) {
  Got first, second;
  SetLogCallback(&Got::Add, &first);
  LOG(INFO) << "a";
  SetLogCallback(&Got::Add, &second);
  LOG(INFO) << "b";
  SetLogCallback(nullptr, nullptr);
  ::testing::internal::CaptureStderr();
  LOG(INFO) << "c";
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(": c\n"),
            std::string::npos);
  EXPECT_EQ(first.lines, Lines{"I a"});
  EXPECT_EQ(second.lines, Lines{"I b"});
}

TEST_F(Log, LinesWaitForTheOutermostHold) {
  Got got;
  SetLogCallback(&Got::Add, &got);
  {
    const HoldLog outer;
    LOG(INFO) << "a";
    {
      const HoldLog inner;
      LOG(INFO) << "b";
    }
    EXPECT_EQ(got.lines, Lines());
  }
  EXPECT_EQ(got.lines, (Lines{"I a", "I b"}));
  LOG(INFO) << "c";
  EXPECT_EQ(got.lines.size(), 3u);
}

TEST_F(Log, LinesOfAThreadGoToTheOneThatWaitsForIt) {
  Got got;
  SetLogCallback(&Got::Add, &got);
  {
    const HoldLog hold;
    HoldLog* const log = HoldLog::OfThread();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([log] {
        const HoldLog own(log);
        LOG(INFO) << "from a thread";
      });
    }
    LOG(INFO) << "meanwhile";
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(got.lines, Lines());
  }
  EXPECT_EQ(got.lines.size(), 5u);
}

TEST_F(Log, HeldLinesOfACallbackThatIsGoneReachStderr) {
  Got got;
  ::testing::internal::CaptureStderr();
  SetLogCallback(&Got::Add, &got);
  {
    const HoldLog hold;
    LOG(WARNING) << "late";
    SetLogCallback(nullptr, nullptr);
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("W logging_test.cc:"), std::string::npos) << text;
  EXPECT_NE(text.find(": late\n"), std::string::npos) << text;
  EXPECT_EQ(got.lines, Lines());
}

// What a callback logs itself goes to stderr: it is not called by itself.
TEST_F(Log, ACallbackThatLogs) {
  static int calls;
  calls = 0;
  ::testing::internal::CaptureStderr();
  SetLogCallback(
      [](MaceLogLevel, const char* message, void*) {
        ++calls;
        const HoldLog hold;
        LOG(INFO) << "about " << message;
        VLOG(1) << "nobody asked";
      },
      nullptr, MACE_LOG_VERBOSE_4);
  LOG(WARNING) << "this";
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(calls, 1);
  EXPECT_NE(text.find(": about this\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nobody"), std::string::npos) << text;
}

TEST_F(Log, ACallbackThatTakesItselfAway) {
  static int calls;
  calls = 0;
  SetLogCallback(
      [](MaceLogLevel, const char*, void*) {
        ++calls;
        SetLogCallback(nullptr, nullptr);
      },
      nullptr);
  LOG(INFO) << "once";
  ::testing::internal::CaptureStderr();
  LOG(INFO) << "then to stderr";
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("then to stderr"),
            std::string::npos);
  EXPECT_EQ(calls, 1);
}

// `user` may go as soon as SetLogCallback has returned.
TEST_F(Log, NoCallOutlivesItsCallback) {
  struct Slow {
    std::atomic<int> calls{0}, running{0};
    static void Call(MaceLogLevel, const char*, void* user) {
      Slow& self = *static_cast<Slow*>(user);
      ++self.running;
      ++self.calls;
      for (int i = 0; i < 20; ++i) std::this_thread::yield();
      --self.running;
    }
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  SetLogCallback([](MaceLogLevel, const char*, void*) {}, nullptr);
  for (int t = 0; t < 3; ++t) {
    writers.emplace_back([&] {
      while (!stop) LOG(ERROR) << "line";
    });
  }
  for (int round = 0; round < 15; ++round) {
    auto slow = std::make_unique<Slow>();
    SetLogCallback(&Slow::Call, slow.get());
    while (slow->calls < 3) std::this_thread::yield();
    // Another one, as null would let the threads write to stderr.
    SetLogCallback([](MaceLogLevel, const char*, void*) {}, nullptr);
    EXPECT_EQ(slow->running, 0);
  }
  stop = true;
  for (std::thread& thread : writers) thread.join();
}

}  // namespace
}  // namespace mace
