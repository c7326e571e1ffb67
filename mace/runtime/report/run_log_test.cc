// The lines that each level of the log has for an engine that runs twice.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/report/run_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "mace/testing/model_builder.h"

namespace mace {
namespace {

void CreateAndRunTwice() {
  testing::ModelBuilder builder;
  builder.Input("x", {1, 4})
      .Op("Activation", {"x"}, {"a"}, {{"activation", std::string("TANH")}})
      .Op("Softmax", {"a"}, {"y"})
      .Output("y");
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus created =
      MaceEngine::Create(builder.Load(), {}, {}, MaceEngineConfig(), &engine);
  if (!created.ok()) {
    std::fputs(created.information().c_str(), stderr);
    _exit(1);
  }
  for (int i = 0; i < 2; ++i) {
    std::map<std::string, MaceTensor> outputs;
    const MaceTensor x = testing::FloatTensor({1, 4}, {1, 2, 3, 4});
    if (!engine->Run({{"x", x}}, &outputs).ok()) _exit(2);
  }
}

// Returns the log of a child process, because the level is read once in a
// process.
std::string LogAt(int level) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    setenv("MACE_CPP_MIN_VLOG_LEVEL", std::to_string(level).c_str(), 1);
    CreateAndRunTwice();
    _exit(0);
  }
  close(ends[1]);
  std::string log;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    log.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << log;
  return log;
}

int Count(const std::string& log, const std::string& text) {
  int count = 0;
  for (size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) {
    ++count;
  }
  return count;
}

TEST(RunLog, EachLevelAddsItsOwn) {
  EXPECT_EQ(LogAt(0), "");

  const std::string network = LogAt(1);
  EXPECT_EQ(Count(network, "creating an engine"), 1);
  EXPECT_EQ(Count(network, "planned 2 ops in "), 1);
  EXPECT_EQ(Count(network, "run in "), 2);
  // Level 1 has no line that is written once for each op.
  EXPECT_EQ(Count(network, "\n"), 4) << network;
  EXPECT_EQ(Count(network, "Softmax"), 0);

  const std::string ops = LogAt(2);
  EXPECT_EQ(Count(ops, "run in "), 2);
  EXPECT_EQ(Count(ops, "Softmax 'y' on CPU in "), 2) << ops;
  EXPECT_EQ(Count(ops, "Activation 'a' on CPU in "), 2);
  EXPECT_EQ(Count(ops, "\n"), 8);

  const std::string detail = LogAt(3);
  EXPECT_EQ(Count(detail, "Softmax 'y' on CPU in "), 2);
  EXPECT_EQ(Count(detail, "Softmax 'y': "), 2);
  EXPECT_EQ(Count(detail, "order of steps: least"), 1) << detail;
  EXPECT_EQ(Count(detail, "writes"), 0);

  const std::string all = LogAt(4);
  EXPECT_EQ(Count(all, "Softmax 'y': "), 2);
  EXPECT_EQ(Count(all, "Activation 'a' writes 'a', f32[1,4], to "), 1) << all;
}

}  // namespace
}  // namespace mace
