// Limits of memory: chosen ones, and those that follow from what is available.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/memory_budget.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

namespace mace {
namespace {

TEST(MemoryBudget, AChosenLimitHolds) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  const ScopedMemoryBudget scope(budget);
  auto most = MemoryShare::Take(1000, "a test");
  ASSERT_TRUE(most.ok());
  const auto more = MemoryShare::Take(1, "a test");
  EXPECT_EQ(more.status(), Status::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(more.status().information().find(
                "1 bytes for a test are more than is left: 1000 of 1000 bytes "
                "are taken (the limit of SetMemoryLimit)"),
            std::string::npos)
      << more.status().information();
  EXPECT_EQ(budget->used(), 1000);
}

// A default limit of 1000 bytes: a few more are there on any machine.
TEST(MemoryBudget, TheDefaultRefusesNothingThatIsAvailable) {
  const auto budget = std::make_shared<MemoryBudget>(1000, 1333);
  const ScopedMemoryBudget scope(budget);
  const auto share = MemoryShare::Take(100000, "a test");
  EXPECT_TRUE(share.ok()) << share.status().information();
  EXPECT_EQ(budget->used(), 100000);
  for (const int64_t absurd : {int64_t{1} << 60, INT64_MAX, int64_t{-1}}) {
    const auto refused = MemoryShare::Take(absurd, "a test");
    EXPECT_EQ(refused.status(), Status::MACE_OUT_OF_RESOURCES) << absurd;
    const std::string& text = refused.status().information();
    EXPECT_NE(text.find("three quarters of the 1333 bytes"), std::string::npos)
        << text;
    EXPECT_NE(text.find("; now "), std::string::npos) << text;
  }
}

TEST(MemoryBudget, TheDefaultIsAShareOfWhatIsAvailable) {
  const std::shared_ptr<MemoryBudget> budget = MemoryBudget::Default();
  EXPECT_GT(budget->available(), 0);
  EXPECT_LE(budget->available(), MachineMemoryBytes());
  EXPECT_EQ(budget->limit(), budget->available() / 4 * 3);
}

class FakeSystem {
 public:
  explicit FakeSystem(const std::string& name)
      : root_(::testing::TempDir() + "/" + name) {
    mkdir(root_.c_str(), 0777);
  }
  void Write(const std::string& path, const std::string& text) {
    for (size_t at = path.find('/', 1); at != std::string::npos;
         at = path.find('/', at + 1)) {
      mkdir((root_ + path.substr(0, at)).c_str(), 0777);
    }
    std::ofstream(root_ + path) << text;
  }
  int64_t Available() const { return AvailableMemoryBytes(root_); }

 private:
  const std::string root_;
};

TEST(AvailableMemory, IsTheLeastOfItsLimits) {
  FakeSystem system("available");
  EXPECT_EQ(system.Available(), MachineMemoryBytes()) << "nothing is known";
  system.Write("/proc/meminfo",
               "MemTotal:       99999 kB\nMemFree:          10 kB\n"
               "MemAvailable:     5000 kB\n");
  EXPECT_EQ(system.Available(), 5000 * 1024);

  system.Write("/proc/self/cgroup", "0::/app/inner\n");
  system.Write("/sys/fs/cgroup/app/memory.max", "3000000\n");
  system.Write("/sys/fs/cgroup/app/memory.current", "1000000\n");
  EXPECT_EQ(system.Available(), 2000000);
  // Pages of files are given back.
  system.Write("/sys/fs/cgroup/app/memory.stat",
               "anon 600000\nfile 400000\ninactive_file 300000\n"
               "active_file 100000\n");
  EXPECT_EQ(system.Available(), 2400000);
  system.Write("/sys/fs/cgroup/app/inner/memory.max", "max\n");
  system.Write("/sys/fs/cgroup/app/inner/memory.current", "1000000\n");
  EXPECT_EQ(system.Available(), 2400000);
  system.Write("/sys/fs/cgroup/app/inner/memory.max", "900000\n");
  EXPECT_EQ(system.Available(), 0) << "more is taken than allowed";
}

TEST(AvailableMemory, KnowsTheFirstVersionOfControlGroups) {
  FakeSystem system("available_v1");
  system.Write("/proc/self/cgroup", "5:cpu:/x\n4:memory:/app\n");
  system.Write("/sys/fs/cgroup/memory/app/memory.limit_in_bytes", "7000\n");
  system.Write("/sys/fs/cgroup/memory/app/memory.usage_in_bytes", "2000\n");
  EXPECT_EQ(system.Available(), 5000);
}

// The process may take more addresses than the machine has memory.
TEST(AvailableMemory, IsLessOnlyIfAddressesAreFew) {
  constexpr int64_t kAddresses = int64_t{1} << 50;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = static_cast<rlim_t>(kAddresses);
  rlimit kept = before;
  if (sizeof(rlim_t) == 8 && setrlimit(RLIMIT_AS, &limit) == 0) {
    ASSERT_EQ(getrlimit(RLIMIT_AS, &kept), 0);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  }
  if (kept.rlim_cur != limit.rlim_cur) {  // qemu accepts and ignores it
    GTEST_SKIP() << "covered elsewhere: by 64-bit tests that are not emulated";
  }
  const int64_t all = MachineMemoryBytes();
  FakeSystem system("available_addresses");
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  system.Write("/proc/self/status", "VmPeak:\t 9 kB\nVmSize:\t 1024 kB\n");
  const int64_t few_taken = system.Available();
  system.Write("/proc/self/status",
               "VmSize:\t " + std::to_string(kAddresses / 1024 - 5) + " kB\n");
  const int64_t most_taken = system.Available();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(few_taken, all);
  EXPECT_EQ(most_taken, 5 * 1024);
}

}  // namespace
}  // namespace mace
