// Rows that fail their tests are passed over.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/choose.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mace/base/kernel_tests.h"
#include "mace/public/mace_log.h"

namespace mace::cpu {
namespace {

struct FakeRow {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;
  int answer;  // below 0: an illegal instruction
};
int tests_run = 0;
bool SelfTest(const FakeRow& row, TestMemory&) {
  ++tests_run;  // memory is shared, so that a probe counts, too
  if (row.answer < 0) __builtin_trap();
  return row.answer == 42;
}

KernelTest Find(const std::string& name) {
  for (const KernelTest& test : KernelTests()) {
    if (test.kernel == name) return test;
  }
  return {};
}

TEST(Choose, PassesOverFailingRows) {
  constexpr CpuFeatures kHere = 1, kElsewhere = 2;
  constexpr FakeRow kTable[] = {{"faults", kHere, -1},
                                {"elsewhere", kElsewhere, 42},
                                {"wrong", kHere, 41},
                                {"right", 0, 42},
                                {"spare", 0, 42}};
  std::vector<std::string> log;
  SetLogCallback(
      [](MaceLogLevel level, const char* text, void* user) {
        if (level != MACE_LOG_WARNING) return;
        static_cast<std::vector<std::string>*>(user)->push_back(text);
      },
      &log);
  EXPECT_STREQ(ChooseRow(kTable, kHere).name, "right");
  SetLogCallback(nullptr, nullptr);
#if defined(__x86_64__)
  EXPECT_EQ(Find("faults").reason, "illegal instruction");
#else
  EXPECT_NE(Find("faults").reason, "");
#endif
  EXPECT_EQ(Find("faults").fallback, "wrong");
  EXPECT_EQ(Find("wrong").reason, "wrong numbers");
  EXPECT_EQ(Find("wrong").fallback, "right");
  EXPECT_EQ(Find("right").reason, "");
  EXPECT_EQ(Find("elsewhere").kernel, "") << "a row that nobody chooses";
  EXPECT_EQ(Find("spare").kernel, "");
  ASSERT_EQ(log.size(), 2u);
  EXPECT_NE(log[0].find("'faults' is switched off"), std::string::npos);
  EXPECT_NE(log[1].find("(wrong numbers); 'right'"), std::string::npos);
  EXPECT_TRUE(CheckKernelsLeft().ok());

  // Once a process, and without a second warning.
  const int before = tests_run;
  EXPECT_STREQ(ChooseRow(kTable, kHere).name, "right");
  EXPECT_EQ(tests_run, before);
}

TEST(Choose, CountsWhatAnEarlierProcessFound) {
  constexpr FakeRow kTable[] = {{"kept_wrong", 0, 42}, {"kept_right", 0, -1}};
  RememberKernelTests(
      "kept_wrong:illegal instruction\nkept_right:\nother:\n"
      "no end");
  const int before = tests_run;
  EXPECT_STREQ(ChooseRow(kTable, 0).name, "kept_right");
  EXPECT_EQ(tests_run, before);
  EXPECT_EQ(Find("kept_wrong").fallback, "kept_right");
  EXPECT_EQ(Find("other").kernel, "") << "of no row here";
  const std::string written = WriteKernelTests();
  EXPECT_NE(written.find("kept_wrong:illegal instruction\n"),
            std::string::npos);
  EXPECT_NE(written.find("kept_right:\n"), std::string::npos);
}

TEST(Choose, TestsTheOnlyRowOfATable) {
  constexpr FakeRow kTable[] = {{"alone", 0, 42}};
  EXPECT_STREQ(ChooseRow(kTable, 0).name, "alone");
  EXPECT_EQ(Find("alone").kernel, "alone");
  EXPECT_TRUE(CheckKernelsLeft().ok());
}

// The last tests of this process: nothing runs after them.
TEST(ChooseAtTheEnd, SaysWhereTheOnlyRowIsWrong) {
  constexpr FakeRow kTable[] = {{"only", 0, 0}};
  EXPECT_STREQ(ChooseRow(kTable, 0).name, "only");
  EXPECT_EQ(Find("only").reason, "wrong numbers");
  EXPECT_EQ(Find("only").fallback, "");
  const Status status = CheckKernelsLeft();
  EXPECT_EQ(status, Status::MACE_RUNTIME_ERROR);
  EXPECT_NE(status.information().find("'only' fails its test on this CPU "
                                      "(wrong numbers)"),
            std::string::npos)
      << status.information();
}

TEST(ChooseAtTheEnd, SaysWhereNothingIsLeft) {
  constexpr FakeRow kTable[] = {{"first", 0, 0}, {"last", 0, 0}};
  EXPECT_STREQ(ChooseRow(kTable, 0).name, "last");
  const Status status = CheckKernelsLeft();
  EXPECT_EQ(status, Status::MACE_RUNTIME_ERROR);
  EXPECT_NE(status.information().find("'last' fails its test on this CPU "
                                      "(wrong numbers)"),
            std::string::npos)
      << status.information();
}

}  // namespace
}  // namespace mace::cpu
