// StandInTest: tests of the host's side of hexagon_nn, with the stand-in as the
// vendor's library.
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in is opened with dlopen, as the vendor's library is, so its state
// lies in the process and is reached through a table of functions
// (StandInControl).
#ifndef MACE_HEXAGON_TESTING_STAND_IN_FIXTURE_H_
#define MACE_HEXAGON_TESTING_STAND_IN_FIXTURE_H_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "mace/hexagon/nnlib/library.h"
#include "mace/hexagon/testing/process.h"
#include "mace/hexagon/testing/stand_in/stand_in.h"

namespace mace::hexagon::testing {

// Where Bazel puts it, from the folder in which tests run.
constexpr char kStandInPath[] = "mace/hexagon/hexagon_nn_stand_in.so";

// The stand-in, which stays open, so that its state outlives the engines that
// open and close it. REQUIRES: the file is there.
inline const StandInControl& StandIn() {
  static const StandInControl* const control = []() -> const StandInControl* {
    void* const library = dlopen(kStandInPath, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    void* const symbol = dlsym(library, kStandInSymbol);
    return reinterpret_cast<StandInFunction>(symbol)();
  }();
  return *control;
}

// Each test begins as a new process would, and must leave no graph, no vote for
// a clock, no open file and no breach of the library's rules.
class StandInTest : public ::testing::Test {
 protected:
  void SetUp() override {
    nnlib::Library::ForgetAllForTest();
    StandIn().reset();
    files_ = OpenFiles();
  }
  void TearDown() override {
    EXPECT_EQ(StandIn().graphs(), 0);
    EXPECT_EQ(StandIn().clocks(), 0);
    EXPECT_STREQ(StandIn().faults(), "");
    EXPECT_EQ(OpenFiles(), files_);
  }

  // Whether `part` occurs in `text`: for messages and logs.
  static bool Holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

 private:
  int files_ = 0;
};

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_STAND_IN_FIXTURE_H_
