// What flags take, and the messages about wrong ones.
// SPDX-License-Identifier: Apache-2.0

#include "tools/cli/flags.h"

#include <gtest/gtest.h>

namespace mace::tools {
namespace {

// The status, and what stands on stderr.
std::pair<int, std::string> Parse(std::vector<const char*> arguments) {
  CLI::App app("For this test.", "tool");
  int round = 1;
  std::string records, model_data_file;
  app.add_option("--round,--turns", round)->check(WholeNumber(1, 100));
  app.add_option("--model_data_file", model_data_file);
  app.add_option("--records", records)->required();
  arguments.insert(arguments.begin(), "a/path/to/tool");
  testing::internal::CaptureStderr();
  const int status =
      ParseFlags(app, static_cast<int>(arguments.size()), arguments.data(), {},
                 {{"--config", "another program takes that"}});
  return {status, testing::internal::GetCapturedStderr()};
}

std::string Message(const std::vector<const char*>& arguments) {
  const auto [status, message] = Parse(arguments);
  EXPECT_EQ(status, 2) << message;
  return message.substr(0, message.find('\n'));
}

TEST(Flags, RightOnesSayNothing) {
  const auto [status, message] = Parse({"--records=r", "--round=100"});
  EXPECT_EQ(status, -1);
  EXPECT_EQ(message, "");
}

TEST(Flags, AMisspeltOneHasTheNearest) {
  EXPECT_EQ(Message({"--records=r", "--rounds=3"}),
            "ERROR: '--rounds' is no flag of tool; did you mean '--round'?");
  EXPECT_EQ(Message({"--records=r", "-round=3"}),
            "ERROR: '-round' is no flag of tool; did you mean '--round'?");
  EXPECT_EQ(Message({"--records=r", "--truns", "3"}),
            "ERROR: '--truns' is no flag of tool; did you mean '--turns'?");
  EXPECT_EQ(Message({"--records=r", "--model-data=x"}),
            "ERROR: '--model-data' is no flag of tool; did you mean "
            "'--model_data_file'?");
}

// Without that flag the required one is missing, too.
TEST(Flags, AMisspeltRequiredOneIsNamedAsSuch) {
  EXPECT_EQ(Message({"--recods=r"}),
            "ERROR: '--recods' is no flag of tool; did you mean '--records'?");
  EXPECT_EQ(Message({}), "ERROR: --records is required");
}

TEST(Flags, WhatNothingResembles) {
  EXPECT_EQ(Message({"--records=r", "--zzz=1"}),
            "ERROR: '--zzz' is no flag of tool");
  EXPECT_EQ(Message({"--records=r", "model.pb"}),
            "ERROR: 'model.pb' is no flag, and tool takes only those; write it "
            "as --flag=model.pb");
}

TEST(Flags, OneOfAnotherProgramHasItsCure) {
  EXPECT_EQ(Message({"--records=r", "--confg=x.yml"}),
            "ERROR: '--confg' is no flag of tool; another program takes that");
}

TEST(Flags, AnEmptyValueDoesNotTakeTheNextFlag) {
  EXPECT_EQ(Message({"--records=", "--round=3"}),
            "ERROR: --records= has no value; leave the flag out or give it "
            "one");
}

TEST(Flags, NumbersSayTheirLimits) {
  for (const char* wrong : {"0", "-1", "101", "99999999999999999999", "abc",
                            "nan", "1.5", "1e1", "3x", " 3", "0x10"}) {
    EXPECT_EQ(Message({"--records=r", "--round", wrong}),
              std::string("ERROR: --round: '") + wrong +
                  "' is not a whole number from 1 to 100");
  }
  const CLI::Validator time = Number(0, 60, true);
  for (std::string wrong : {"0", "-1", "61", "nan", "inf", "", "1s", "-nan"}) {
    EXPECT_EQ(time(wrong), "'" + wrong + "' is not a number above 0 to 60");
  }
  for (std::string right : {"60", "1e-3", ".5"}) EXPECT_EQ(time(right), "");
  std::string zero = "0";
  EXPECT_EQ(Number(0, 60)(zero), "");
}

TEST(Flags, NearestCountsChanges) {
  const std::vector<std::string> names = {"--dump", "--device", "--seed"};
  EXPECT_EQ(Nearest("--divice", names), "--device");
  EXPECT_EQ(Nearest("--dveice", names), "--device");
  EXPECT_EQ(Nearest("--DEVICE", names), "--device");
  EXPECT_EQ(Nearest("--dev", names), "--device");
  EXPECT_EQ(Nearest("--d", names), "");
  EXPECT_EQ(Nearest("--", names), "");
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest("--input", names), "");
}

TEST(Flags, AFileToWriteNeedsItsFolder) {
  const std::string folder = testing::TempDir();
  std::string good = folder + "/x", here = "x", bad = folder + "/none/x";
  EXPECT_EQ(NewFile()(good), "");
  EXPECT_EQ(NewFile()(here), "");
  EXPECT_NE(NewFile()(bad).find("there is no folder"), std::string::npos);
  std::string same = folder;
  EXPECT_NE(NewFile()(same).find("is a folder"), std::string::npos);
}

}  // namespace
}  // namespace mace::tools
