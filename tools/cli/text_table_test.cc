// Tables that fit.
// SPDX-License-Identifier: Apache-2.0

#include "tools/cli/text_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace mace::tools {
namespace {

const std::vector<Column> kColumns = {
    {"op"}, {"rare", 2}, {"less rare", 1}, {"name", 0, 8}};
const std::vector<std::vector<std::string>> kRows = {
    {"Conv2d", "1", "2", "a/long/path/to/conv"}, {"Add", "3", "4", "b"}};

size_t Widest(const std::string& text) {
  std::istringstream lines(text);
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, NumCharacters(line));
  }
  return widest;
}

TEST(TextTable, IsWholeWhereItMayBe) {
  for (const int width : {0, 51, 200}) {
    TableWriter writer(width);
    EXPECT_EQ(writer.Table("Title", kColumns, kRows),
              "---------------------------------------------------\n"
              "                       Title\n"
              "---------------------------------------------------\n"
              "|     op | rare | less rare |                name |\n"
              "---------------------------------------------------\n"
              "| Conv2d |    1 |         2 | a/long/path/to/conv |\n"
              "|    Add |    3 |         4 |                   b |\n"
              "---------------------------------------------------\n\n")
        << width;
    EXPECT_EQ(writer.Note(), "");
  }
}

TEST(TextTable, ShortensThenLeavesOut) {
  for (int width = 21; width < 51; ++width) {
    TableWriter writer(width);
    const std::string table = writer.Table("Title", kColumns, kRows);
    EXPECT_LE(Widest(table), static_cast<size_t>(width)) << table;
    EXPECT_NE(table.find("Conv2d"), std::string::npos) << table;
    EXPECT_LE(Widest(writer.Note()), static_cast<size_t>(width));
  }
  TableWriter writer(30);
  const std::string table = writer.Table("Title", kColumns, kRows);
  EXPECT_EQ(table.find("rare"), std::string::npos) << table;
  EXPECT_NE(table.find("a/long/path…/conv"), std::string::npos) << table;
  EXPECT_NE(writer.Note().find("out: rare, less rare."), std::string::npos)
      << writer.Note();
}

TEST(TextTable, ShortenedCountsCharactersNotBytes) {
  EXPECT_EQ(Shortened("abcdefg", 7), "abcdefg");
  EXPECT_EQ(Shortened("abcdefg", 5), "abc…g");
  EXPECT_EQ(Shortened("abcdefg", 1), "…");
  EXPECT_EQ(Shortened("abcdefg", 0), "");
  EXPECT_EQ(Shortened("αβγδεζη", 5), "αβγ…η");
  EXPECT_EQ(NumCharacters("αβγ…η"), 5u);
}

TEST(TextTable, LeavesOutEmptyColumnsFirstAndInSilence) {
  TableWriter writer(28);
  const std::string table =
      writer.Table("T", {{"op"}, {"full", 2}, {"nothing at all", 1}},
                   {{"Conv2d", "123456", ""}});
  EXPECT_NE(table.find("| Conv2d | 123456 |"), std::string::npos) << table;
  EXPECT_EQ(writer.Note(), "");
}

TEST(TextTable, ANameCannotBreakALine) {
  EXPECT_NE(TableWriter(0)
                .Table("T", {{"name"}}, {{"a\nb\tc\x1B[31m"}})
                .find("| a b c [31m |"),
            std::string::npos);
}

TEST(TextTable, FittedShortensLines) {
  const std::string text = std::string(60, 'a') + "\nab\n";
  EXPECT_EQ(Fitted(text, 40),
            std::string(26, 'a') + "…" + std::string(13, 'a') +
                "\nab\nTo fit 40 columns, lines were shortened;\n--wide shows "
                "all of them.\n");
  EXPECT_EQ(Fitted(text, 60), text);
  EXPECT_EQ(Fitted(text, 0), text);
  EXPECT_EQ(Fitted("", 5), "");
}

TEST(TextTable, FixedHoldsAnyNumber) {
  EXPECT_EQ(Fixed(1.0005), "1.000");
  EXPECT_EQ(Fixed(2.5, 1), "2.5");
  EXPECT_EQ(Fixed(1e308, 0).size(), 309u);
}

TEST(TextTable, ColumnsSetsTheWidth) {
  setenv("COLUMNS", "77", 1);
  EXPECT_EQ(OutputWidth(), 77);
  setenv("COLUMNS", "0", 1);
  EXPECT_GT(OutputWidth(), 0);
  unsetenv("COLUMNS");
  testing::internal::CaptureStdout();  // a file: no terminal
  EXPECT_EQ(OutputWidth(), 120);
  testing::internal::GetCapturedStdout();
}

}  // namespace
}  // namespace mace::tools
