// Cases that crash, hang or have a complaint are counted, and the next one
// starts.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/crew.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

namespace mace::fuzz {
namespace {

Outcome Good() {
  Outcome outcome;
  outcome.stage = Outcome::kRun;
  outcome.ops = {"Softmax"};
  return outcome;
}

TEST(Crew, GoesOnAfterFailures) {
  CrewOptions options;
  options.first = 10;
  options.count = 20;
  options.cases_per_process = 6;
  options.hang_seconds = 5;  // emulated and on a busy machine, cases take 0.5
  std::map<int64_t, std::string> failed;
  const Tally tally = RunCases(
      options,
      [](int64_t number) {
        Outcome outcome = Good();
        outcome.quantized = number >= 25;
        if (number == 10 || number == 16) std::abort();
        if (number == 17) pause();
        if (number == 26) std::atexit([] { _exit(1); });  // as for a leak
        if (number == 18) outcome.complaint = "an invariant is broken";
        if (number == 20) {
          outcome.stage = Outcome::kLoaded;
          outcome.status = {MaceStatus::MACE_INVALID_MODEL, "no"};
        }
        return outcome;
      },
      [&](const Failure& f) { failed[f.number] = f.what; });
  ASSERT_EQ(failed.size(), 5u);
  EXPECT_NE(failed[10].find("signal"), std::string::npos) << failed[10];
  EXPECT_NE(failed[16].find("signal"), std::string::npos) << failed[16];
  EXPECT_EQ(failed[17], "hangs");
  EXPECT_NE(failed[18].find("complaint"), std::string::npos) << failed[18];
  EXPECT_EQ(failed[25], "leak, see above");  // by the first of its process
  // The case with the complaint ran to its end; the other three did not.
  EXPECT_EQ(tally.all.cases, 17);
  EXPECT_EQ(tally.all.run, 16);
  EXPECT_EQ(tally.quantized.cases, 5);
  EXPECT_EQ(tally.refused[MaceStatus::MACE_INVALID_MODEL], 1);
}

TEST(Crew, SurvivesWhatRunsAlone) {
  EXPECT_TRUE(RunsAlone([] {}));
  EXPECT_FALSE(RunsAlone([] { std::abort(); }));
}

}  // namespace
}  // namespace mace::fuzz
