// Reads conformance files, which are outside the repository, and counts their
// expectations.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_CONFORMANCE_FILE_H_
#define MACE_MEMORY_TESTING_CONFORMANCE_FILE_H_

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace mace::memory {

using Json = nlohmann::json;

constexpr char kNoConformanceFiles[] =
    "test data: set MACE_TEST_DATA to the folder that holds "
    "conformance/memory";

// Returns null if MACE_TEST_DATA is unset or has no such file.
inline Json ConformanceFile(const std::string& name) {
  const char* folder = std::getenv("MACE_TEST_DATA");
  if (folder == nullptr) return Json();
  std::ifstream file(std::string(folder) + "/conformance/memory/" + name);
  return file ? Json::parse(file) : Json();
}

// Counts the expectations of one file. Reports the failed ones, and the total
// at the end.
class Score {
 public:
  explicit Score(std::string file) : file_(std::move(file)) {}
  ~Score() {
    std::printf("conformance %s: %d of %d expectations hold\n", file_.c_str(),
                passed_, total_);
  }

  void Count(const std::string& name, bool ok) {
    ++total_;
    passed_ += ok;
    EXPECT_TRUE(ok) << file_ << ": " << name;
  }
  int passed() const { return passed_; }

 private:
  const std::string file_;
  int passed_ = 0;
  int total_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_CONFORMANCE_FILE_H_
