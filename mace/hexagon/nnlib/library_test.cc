// Opening the vendor's library: what is missing, refused, failing or of another
// version gives a status with the reason, and the next attempt works.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/nnlib/library.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "mace/hexagon/testing/stand_in/fixture.h"

namespace mace::hexagon::nnlib {
namespace {

using testing::StandIn;

LibraryOptions Options(bool unsigned_pd = false) {
  LibraryOptions options;
  options.path = testing::kStandInPath;
  options.unsigned_pd = unsigned_pd;
  return options;
}

class LibraryTest : public testing::StandInTest {
 protected:
  void ExpectError(const LibraryOptions& options, const std::string& text) {
    const auto library = Library::Open(options);
    ASSERT_FALSE(library.ok());
    EXPECT_EQ(library.status().code(), Status::MACE_UNSUPPORTED);
    EXPECT_TRUE(Holds(library.status().information(), text))
        << library.status().information();
  }
  void ExpectOk(const LibraryOptions& options) {
    const auto library = Library::Open(options);
    EXPECT_TRUE(library.ok()) << library.status().information();
  }
};

TEST_F(LibraryTest, OpensAndVotesForAClockUntilTheLastIsGone) {
  {
    const auto a = Library::Open(Options());
    ASSERT_TRUE(a.ok()) << a.status().information();
    EXPECT_EQ((*a)->version(), 0x21A01u);
    EXPECT_EQ((*a)->id(kOpInput) + kOpConcat, (*a)->id(kOpConcat));
    const auto b = Library::Open(Options());
    ASSERT_TRUE(b.ok());
  }
  EXPECT_EQ(StandIn().calls("hexagon_nn_config"), 1);
  EXPECT_EQ(StandIn().calls("hexagon_nn_remove_clocks"), 1);
  ExpectOk(Options());
  EXPECT_EQ(StandIn().calls("hexagon_nn_config"), 2);
}

TEST_F(LibraryTest, FilesThatAreNotItAreRefusedWithTheCure) {
  LibraryOptions options;
  options.path = "no_such_library.so";
  ExpectError(options, "no_such_library.so: cannot open");
  ExpectError(options, "dsp_library");
  options.path = "libm.so.6";
  ExpectError(options, "libm.so.6 lacks hexagon_nn_version");
}

TEST_F(LibraryTest, OtherVersionsAreRefused) {
  for (const int version : {0, -1, 0x20600, 0x20F00, 0x21400, 0x21A02}) {
    StandIn().set_version(version);
    ExpectError(Options(), "works with 0x21401 and 0x21a01");
  }
  StandIn().set_version(0x21401);
  ExpectOk(Options());
}

TEST_F(LibraryTest, DeniedPermissionNamesTheCure) {
  StandIn().need_unsigned();
  ExpectError(Options(), "hexagon_nn_version returned 0x2c");
  ExpectError(Options(), "dsp_unsigned_pd: 1");
  ExpectOk(Options(true));
  ExpectOk(Options());  // the process has it now
  EXPECT_EQ(StandIn().calls("hexnn_controller_request_unsigned_pd"), 1);
}

TEST_F(LibraryTest, AnUnsignedDomainMustComeFirst) {
  ExpectOk(Options());
  ExpectError(Options(true), "must ask for an unsigned one");
  EXPECT_EQ(StandIn().calls("hexnn_controller_request_unsigned_pd"), 0);
}

// Each call fails once, with each code; the next attempt works.
TEST_F(LibraryTest, EveryCallMayFail) {
  struct Code {
    int code;
    const char* text;
  };
  const std::vector<Code> returned = {
      {-1, "0xffffffff: it failed"},
      {2, "has no memory"},
      {static_cast<int>(0x80000402), "0x80000402: the DSP has no memory"},
      {0x2c, "could not be loaded"},
      {0x4e, "may not use the DSP"},
      {104, "was started again"},
      {0x7777, "does not know"},
  };
  for (const char* call :
       {"hexnn_controller_request_unsigned_pd", "hexagon_nn_version",
        "hexagon_nn_set_clocks", "hexagon_nn_config"}) {
    for (const Code& code : returned) {
      SCOPED_TRACE(call);
      Library::ForgetAllForTest();
      StandIn().reset();
      StandIn().fail(call, 0, 2, code.code);
      ExpectError(Options(true), std::string(call) + " returned ");
      EXPECT_EQ(StandIn().clocks(), 0);
      ExpectError(Options(true), code.text);
      ExpectOk(Options(true));
    }
  }
}

TEST_F(LibraryTest, OperationsThatItLacksAreNamed) {
  for (int op = 0; op < kNumOps; ++op) {
    StandIn().fail("hexagon_nn_op_name_to_id", op, 1, -1);
    ExpectError(Options(), std::string("no operation ") + kOpNames[op]);
  }
  ExpectOk(Options());
}

TEST_F(LibraryTest, ClocksThatCannotBeRemovedAreNoError) {
  StandIn().fail("hexagon_nn_remove_clocks", 0, 1, 1);
  ExpectOk(Options());
  EXPECT_EQ(StandIn().clocks(), 1);
  ExpectOk(Options());
}

TEST_F(LibraryTest, GivenUpItTakesNoMore) {
  const auto library = Library::Open(Options());
  ASSERT_TRUE(library.ok());
  EXPECT_TRUE((*library)->CheckUsable().ok());
  (*library)->GiveUp(RuntimeError("the first reason"));
  (*library)->GiveUp(RuntimeError("the second"));
  EXPECT_TRUE(
      Holds((*library)->CheckUsable().information(), "the first reason"));
  ExpectError(Options(), "the first reason");
}

}  // namespace
}  // namespace mace::hexagon::nnlib
