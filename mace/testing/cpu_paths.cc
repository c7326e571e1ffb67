// CheckOp's paths on the CPU: threads and instruction sets.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "mace/testing/check_paths.h"

namespace mace::testing {
namespace {

struct Path {
  std::string name;
  CpuOptions options;
};

std::vector<Path> CpuPaths() {
  const CpuFeatures all = DetectCpuFeatures();
  std::vector<Path> paths;
  for (int threads : {1, 2}) {
    const std::string suffix = "/" + std::to_string(threads);
    paths.push_back({"scalar" + suffix, {threads, 0, false}});
    for (CpuFeatures subset : {CpuFeatures{kCpuAvx2Fma}, all}) {
      if ((subset & all) == 0 || (subset & all) != subset) continue;
      paths.push_back({ToString(subset) + suffix, {threads, subset, false}});
    }
  }
  return paths;
}

}  // namespace

void CheckPaths(const OpCase& c, const std::vector<TestTensor>& reference,
                float tolerance) {
  std::vector<TestTensor> one_thread;
  for (const Path& path : CpuPaths()) {
    SCOPED_TRACE(path.name);
    auto outputs = RunOn(c, path.options);
    ExpectSame(outputs, reference, tolerance);
    if (path.options.features != DetectCpuFeatures()) continue;
    if (one_thread.empty()) {
      one_thread = std::move(outputs);
      continue;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(outputs[i].bytes, one_thread[i].bytes)
          << "output " << i << " depends on the number of threads";
    }
  }
}

}  // namespace mace::testing
