// What the host does when the DSP dies, hangs, is slow or speaks otherwise; and
// malformed graphs on the DSP itself.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "mace/hexagon/dsp_program/emulator/emulator.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/mutate.h"
#include "mace/hexagon/testing/process.h"

namespace mace::hexagon::testing {
namespace {

Result<std::unique_ptr<Session>> Start(EmulatorOptions options) {
  MACE_ASSIGN_OR_RETURN(auto transport, StartEmulator(options));
  return Session::Create(std::move(transport));
}

// A shell command in place of the emulator.
EmulatorOptions Shell(const std::string& script) {
  EmulatorOptions options = DefaultEmulator();
  options.command = {"/bin/sh", "-c", script};
  options.timeout_ms = 300;
  return options;
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : files_(OpenFiles()) {}
  void TearDown() override {
    EXPECT_TRUE(Children().empty());
    EXPECT_EQ(OpenFiles(), files_);
    // The next session works, whatever happened to the one before.
    const auto next = Start(DefaultEmulator());
    EXPECT_TRUE(next.ok()) << next.status().information();
  }

  void ExpectError(const EmulatorOptions& options, const char* text) {
    const auto begin = std::chrono::steady_clock::now();
    const auto session = Start(options);
    ASSERT_FALSE(session.ok());
    EXPECT_NE(session.status().information().find(text), std::string::npos)
        << session.status().information();
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 5);
  }

  const int files_;
};

TEST_F(SessionTest, AMissingEmulatorIsNamedWithTheCure) {
  EmulatorOptions options = DefaultEmulator();
  options.command = {"no-such-emulator"};
  ExpectError(options, "apt-get install qemu-user");
}

TEST_F(SessionTest, AMissingProgramIsNamedWithTheCure) {
  EmulatorOptions options = DefaultEmulator();
  options.program = "no_such.elf";
  ExpectError(options, "bazel build");
}

TEST_F(SessionTest, AnEmulatorThatEndsIsNoticed) {
  ExpectError(Shell("exit 3"), "ended unexpectedly");
  ExpectError(Shell("head -c 20"), "ended unexpectedly");
}

TEST_F(SessionTest, AnEmulatorThatSaysNothingIsEnded) {
  ExpectError(Shell("exec sleep 100"), "within 300 ms");
}

TEST_F(SessionTest, AnEmulatorThatSpeaksAnotherVersionIsRefused) {
  // It returns the request, with 7 in place of the version.
  ExpectError(Shell("head -c 4; head -c 4 >/dev/null; printf '\\007\\0\\0\\0'; "
                    "exec cat"),
              "version 7");
}

TEST_F(SessionTest, AnEmulatorThatTalksNonsenseIsRefused) {
  ExpectError(Shell("exec cat /dev/zero"), "in place of 1");
}

class RunningSessionTest : public SessionTest {
 protected:
  void Begin(int timeout_ms) {
    EmulatorOptions options = DefaultEmulator();
    options.timeout_ms = timeout_ms;
    auto session = Start(options);
    ASSERT_TRUE(session.ok()) << session.status().information();
    session_ = std::move(*session);
    GraphWriter writer = GraphOfAllOps(&random_);
    ASSERT_TRUE(writer.Plan().ok());
    auto graph = DspGraph::Create(session_.get(), writer);
    ASSERT_TRUE(graph.ok()) << graph.status().information();
    graph_ = std::move(*graph);
    ASSERT_TRUE(graph_->Run().ok());
  }
  void TearDown() override {
    graph_.reset();
    session_.reset();
    SessionTest::TearDown();
  }

  Random random_{3};
  std::unique_ptr<Session> session_;
  std::unique_ptr<DspGraph> graph_;
};

// The transport of an emulator that counts runs, and cancels after some.
class CancellingTransport final : public Transport {
 public:
  CancellingTransport(std::unique_ptr<Transport> inner, int* runs, int most,
                      MaceCancellation* cancellation)
      : inner_(std::move(inner)),
        runs_(runs),
        most_(most),
        cancellation_(cancellation) {}

  Result<std::unique_ptr<SharedBuffer>> NewBuffer(uint32_t bytes) override {
    return inner_->NewBuffer(bytes);
  }
  Status Exchange(Message* message) override {
    if (message->command == kRun && ++*runs_ == most_) {
      cancellation_->Cancel();
    }
    return inner_->Exchange(message);
  }

 private:
  const std::unique_ptr<Transport> inner_;
  int* const runs_;
  const int most_;
  MaceCancellation* const cancellation_;
};

// The number of messages that a run takes which is cancelled in message `most`;
// afterwards a run in pieces and one in a message give the same packets.
int RunsUntilCancelled(int most) {
  MaceCancellation cancellation, never;
  const Cancellation cancelled(cancellation), not_cancelled(never);
  int runs = 0;
  auto transport = StartEmulator(DefaultEmulator());
  EXPECT_TRUE(transport.ok());
  auto session = Session::Create(std::make_unique<CancellingTransport>(
      std::move(*transport), &runs, most, &cancellation));
  EXPECT_TRUE(session.ok());
  Random random(3);
  GraphWriter writer = GraphOfAllOps(&random);
  EXPECT_TRUE(writer.Plan().ok());
  const auto graph = DspGraph::Create(session->get(), writer);
  EXPECT_TRUE(graph.ok());
  if (!graph.ok()) return -1;
  EXPECT_EQ((*graph)->Run(&cancelled).code(), Status::MACE_CANCELLED);
  const int found = runs;
  EXPECT_EQ((*graph)->Run(&cancelled).code(), Status::MACE_CANCELLED);
  EXPECT_EQ(runs, found);
  EXPECT_TRUE((*graph)->Run().ok());
  const auto whole = (*graph)->Perf();
  EXPECT_EQ(runs, found + 1);
  EXPECT_TRUE((*graph)->Run(&not_cancelled).ok());
  const auto pieces = (*graph)->Perf();
  EXPECT_GT(runs, found + 8);
  EXPECT_LE(runs, found + 1 + static_cast<int>(DspGraph::kPieces));
  for (size_t n = 0; whole.ok() && pieces.ok() && n < whole->size(); ++n) {
    EXPECT_EQ((*whole)[n].packets, (*pieces)[n].packets) << n;
    EXPECT_EQ((*whole)[n].runs + 1, (*pieces)[n].runs) << n;
  }
  return found;
}

TEST_F(SessionTest, ARunIsCancelledBetweenNodes) {
  for (const int most : {1, 3, 7}) EXPECT_EQ(RunsUntilCancelled(most), most);
}

TEST_F(RunningSessionTest, PiecesThatAGraphLacksAreRefused) {
  Begin(5000);
  const std::pair<uint32_t, uint32_t> pieces[] = {
      {1000, 0}, {0, 1000}, {1, 0xffffffff}, {0xffffffff, 2}};
  for (const auto& [first, count] : pieces) {
    Message run;
    run.command = kRun;
    run.args[1] = first;
    run.args[2] = count;
    ASSERT_TRUE(session_->transport()->Exchange(&run).ok());
    EXPECT_EQ(run.error, kBadNode);
  }
  EXPECT_TRUE(graph_->Run().ok());
}

TEST_F(RunningSessionTest, AKilledEmulatorIsNoticed) {
  Begin(5000);
  kill(Children()[0], SIGKILL);
  EXPECT_EQ(graph_->Run().code(), Status::MACE_RUNTIME_ERROR);
  EXPECT_EQ(graph_->Run().code(), Status::MACE_RUNTIME_ERROR);
}

TEST_F(RunningSessionTest, AStoppedEmulatorIsEnded) {
  Begin(300);
  kill(Children()[0], SIGSTOP);
  const Status status = graph_->Run();
  EXPECT_NE(status.information().find("within 300 ms"), std::string::npos)
      << status.information();
}

TEST_F(RunningSessionTest, GraphsComeAndGo) {
  Begin(5000);
  for (uint32_t i = 0; i < 3 * kMaxGraphs; ++i) {
    GraphWriter writer = GraphOfAllOps(&random_);
    ASSERT_TRUE(writer.Plan().ok());
    auto graph = DspGraph::Create(session_.get(), writer);
    ASSERT_TRUE(graph.ok()) << graph.status().information();
    ASSERT_TRUE((*graph)->Run().ok());
  }
}

TEST_F(RunningSessionTest, TooManyGraphsAreRefusedAndTheOthersRun) {
  Begin(5000);
  std::vector<std::unique_ptr<DspGraph>> graphs;
  Status status;
  while (status.ok() && graphs.size() <= kMaxGraphs) {
    GraphWriter writer = GraphOfAllOps(&random_);
    ASSERT_TRUE(writer.Plan().ok());
    auto graph = DspGraph::Create(session_.get(), writer);
    status = graph.status();
    if (graph.ok()) graphs.push_back(std::move(*graph));
  }
  EXPECT_EQ(graphs.size() + 1, kMaxGraphs);
  EXPECT_EQ(status.code(), Status::MACE_OUT_OF_RESOURCES);
  EXPECT_TRUE(graphs.back()->Run().ok());
  EXPECT_TRUE(graph_->Run().ok());
}

TEST_F(RunningSessionTest, MalformedGraphsLeaveTheDspAlive) {
  Begin(10000);
  GraphWriter writer = GraphOfAllOps(&random_);
  ASSERT_TRUE(writer.Plan().ok());
  auto buffer = session_->transport()->NewBuffer(writer.buffer_bytes());
  ASSERT_TRUE(buffer.ok());
  writer.WriteTo((*buffer)->data());
  const std::vector<uint8_t> text((*buffer)->data(),
                                  (*buffer)->data() + writer.text_bytes());
  Message attach;
  attach.command = kAttach;
  (*buffer)->Describe(&attach);
  ASSERT_TRUE(session_->Call(&attach).ok());
  int ran = 0;
  for (int i = 0; i < 1000; ++i) {
    std::memcpy((*buffer)->data(), text.data(), text.size());
    Message create;
    create.command = kCreate;
    create.args[0] = attach.args[0];
    create.args[2] = Mutate((*buffer)->data(), writer.text_bytes(), &random_);
    ASSERT_TRUE(session_->transport()->Exchange(&create).ok());
    ASSERT_LT(create.error, kNumDspErrors);
    if (create.error != kDspOk) continue;
    Message run;
    run.command = kRun;
    run.args[0] = create.args[0];
    const Status status = session_->Call(&run);
    ASSERT_TRUE(status.ok()) << i << ": " << status.information();
    ++ran;
    Message teardown;
    teardown.command = kTeardown;
    teardown.args[0] = create.args[0];
    ASSERT_TRUE(session_->Call(&teardown).ok());
  }
  EXPECT_GT(ran, 50);
  EXPECT_TRUE(graph_->Run().ok());
}

}  // namespace
}  // namespace mace::hexagon::testing
