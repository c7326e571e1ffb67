// Drivers that crash, hang or compute wrongly: a helper program sees it, and
// the engine runs on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr char kHelper[] = "mace/examples/driver_probe";

std::string Folder() {
  char path[4096];
  EXPECT_NE(getcwd(path, sizeof(path)), nullptr);
  return std::string(path);
}

// A model that a GPU is worth: of it, devices of nodes with multiply-adds.
std::string DeviceWithFault(const std::string& fault, int timeout_ms,
                            std::string* reason) {
  setenv("MACE_TEST_FAULT", fault.c_str(), 1);
  // The helper finds the faulty library there; this process read the variable
  // when it began. Each fault is another driver, by its folder.
  const std::string folder = ::testing::TempDir() + "/" + fault;
  mkdir(folder.c_str(), 0777);
  const std::string library = Folder() + "/mace/testing/faulty/libOpenCL.so.1";
  (void)!symlink(library.c_str(), (folder + "/libOpenCL.so.1").c_str());
  setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
  constexpr int64_t kChannels = 32;
  ModelBuilder b;
  b.Input("x", {1, 56, 56, kChannels})
      .Weight("w", {kChannels, kChannels, 3, 3},
              std::vector<float>(9 * kChannels * kChannels, 0.01f));
  b.Op("Conv2d", {"x", "w"}, {"c"},
       {{"strides", std::vector<int64_t>{1, 1}}, {"padding", int64_t{1}}});
  b.Op("Conv2d", {"c", "w"}, {"y"},
       {{"strides", std::vector<int64_t>{1, 1}}, {"padding", int64_t{1}}});
  b.Output("y");
  MaceEngineConfig config(GPU);
  EXPECT_TRUE(config.SetDriverProbe(kHelper, timeout_ms).ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus created =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_TRUE(created.ok()) << created.information();
  if (engine == nullptr) return "";
  std::vector<MaceNodePlacement> placement;
  EXPECT_TRUE(engine->GetPlacement(&placement).ok());
  std::string device;
  for (const MaceNodePlacement& node : placement) {
    if (node.macs == 0) continue;
    device = node.device;
    *reason = node.reason;
  }
  // It runs, wherever it is.
  std::map<std::string, MaceTensor> outputs;
  const std::vector<float> x(56 * 56 * kChannels, 1);
  const MaceStatus ran =
      engine->Run({{"x", FloatTensor({1, 56, 56, kChannels}, x)}}, &outputs);
  EXPECT_TRUE(ran.ok()) << ran.information();
  return device;
}

TEST(GpuDriverProbe, TheCpuRunsWhereTheDriverFails) {
  std::string reason;
  const struct {
    const char* fault;
    const char* reported;
    int timeout_ms;
  } faults[] = {{"crash_when_opened", "it crashed (signal 11)", 60000},
                {"crash_in_build", "it crashed (signal 6)", 60000},
                {"exit_in_build", "ended with status 3", 60000},
                {"wrong_numbers", "it computes wrongly", 60000},
                {"hang_in_build", "it did not answer within 3000 ms", 3000}};
  for (const auto& f : faults) {
    EXPECT_EQ(DeviceWithFault(f.fault, f.timeout_ms, &reason), "CPU")
        << f.fault;
    EXPECT_NE(reason.find(f.reported), std::string::npos) << reason;
  }
}

TEST(GpuDriverProbe, TheGpuRunsWhereTheDriverIsRight) {
  MaceEngineConfig gpu(GPU);
  std::shared_ptr<MaceEngine> engine;
  ModelBuilder b;
  b.Input("x", {1, 2, 2, 1}).Op("Identity", {"x"}, {"y"}).Output("y");
  ASSERT_TRUE(MaceEngine::Create(b.Load(), {}, {}, gpu, &engine).ok());
  std::string plan, reason;
  ASSERT_TRUE(engine->Dump("plan", &plan).ok());
  if (plan.find("no GPU") != std::string::npos) {
    return FailOrSkipWithoutGpu(plan);
  }
  EXPECT_EQ(DeviceWithFault("none", 60000, &reason), "GPU") << reason;
}

}  // namespace
}  // namespace mace::testing
