// Numbers in an app whose locale writes a comma.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "mace/base/c_locale.h"
#include "mace/base/str_cat.h"
#include "mace/generation/chat_template.h"
#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::generation {
namespace {

// Builds a locale with what every Debian has, and makes it the process's.
class CommaLocale : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = ::testing::TempDir();
    std::ofstream(folder + "/comma.src")
        << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
           "grouping -1\nEND LC_NUMERIC\n";
    const std::string build = "localedef -c -i '" + folder + "/comma.src' '" +
                              folder + "/comma' 2>/dev/null";
    // Fails with a warning of other categories, although it builds this one.
    (void)!std::system(build.c_str());
    setenv("LOCPATH", folder.c_str(), 1);
    ASSERT_NE(std::setlocale(LC_NUMERIC, "comma"), nullptr)
        << "localedef of the package libc-bin built no locale in " << folder;
    ASSERT_EQ(std::strtod("0,5", nullptr), 0.5);
  }
  void TearDown() override { std::setlocale(LC_NUMERIC, "C"); }
};

TEST_F(CommaLocale, IsTheAppsOutsideOfTheLibrary) {
  {
    const CLocale c_locale;
    EXPECT_EQ(std::strtod("0.5", nullptr), 0.5);
  }
  EXPECT_EQ(std::strtod("0.5", nullptr), 0);
  EXPECT_EQ(StrCat(0.5, " ", 1.25f), "0.5 1.25");
}

TEST_F(CommaLocale, ChatTemplatesAreRendered) {
  const auto text = RenderChatTemplate(
      "{{ 0.5 + 0.25 }} {{ '1.5' | float }} {{ 'x' if 2.5 > 2.25 }}", {}, {});
  ASSERT_TRUE(text.ok()) << text.status().information();
  EXPECT_EQ(*text, "0.75 1.5 x");
}

TEST_F(CommaLocale, SettingsAreRead) {
  testing::ModelBuilder b;
  b.Input("x", {4}).Op(
      "Activation", {"x"}, {"y"},
      {{"activation", std::string("RELUX")}, {"max_limit", 2.5f}});
  b.Output("y");
  MaceEngineConfig config;
  const MaceStatus required = config.Set("require", "cpu=0.5");
  ASSERT_TRUE(required.ok()) << required.information();
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(MaceEngine::Create(b.Load(), {}, {}, config, &engine).ok());
  std::string dump;
  ASSERT_TRUE(engine->Dump("graph", &dump).ok());
  EXPECT_NE(dump.find("2.5"), std::string::npos) << dump;
  EXPECT_EQ(dump.find("2,5"), std::string::npos) << dump;
}

}  // namespace
}  // namespace mace::generation
