// Drivers that are tried by a helper program; here scripts stand for it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/devices/driver_probe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "mace/public/mace_log.h"

namespace mace {
namespace {

class MapStorage : public KVStorage {
 public:
  int Load() override { return load_result; }
  bool Insert(const std::string& key,
              const std::vector<unsigned char>& value) override {
    values[key] = value;
    return true;
  }
  const std::vector<unsigned char>* Find(const std::string& key) override {
    const auto it = values.find(key);
    return it == values.end() ? nullptr : &it->second;
  }
  int Flush() override {
    ++flushed;
    return 0;
  }

  std::map<std::string, std::vector<unsigned char>> values;
  int load_result = 0, flushed = 0;
};

// Each has a driver of its own, so that nothing is known of it.
class DriverProbeTest : public ::testing::Test {
 protected:
  // A script that counts its runs and then does `body`.
  DriverProbe Probe(const std::string& name, const std::string& body) {
    folder_ = ::testing::TempDir() + "/" + name;
    mkdir(folder_.c_str(), 0777);
    const std::string script = folder_ + "/helper";
    std::ofstream(script) << "#!/bin/sh\necho $1 >>" << folder_ << "/runs\n"
                          << body << "\n";
    chmod(script.c_str(), 0755);
    std::ofstream(folder_ + "/driver.so") << name;
    return {script, 5000, "dsp", {folder_ + "/driver.so"}};
  }
  int runs() const {
    std::ifstream file(folder_ + "/runs");
    int lines = 0;
    for (std::string line; std::getline(file, line);) lines += line == "dsp";
    return lines;
  }
  // The error.
  static std::string Check(const DriverProbe& probe,
                           std::shared_ptr<KVStorage> storage = nullptr) {
    const Status status = CheckDriver(probe, std::move(storage));
    if (status.ok()) return "";
    EXPECT_EQ(status, Status::MACE_RUNTIME_ERROR);
    return status.information();
  }
  static void ExpectHas(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos)
        << part << " is not in " << text;
  }

  std::string folder_;
};

TEST_F(DriverProbeTest, RunsOnceAndIsRemembered) {
  const auto storage = std::make_shared<MapStorage>();
  const DriverProbe probe = Probe("right", "echo right");
  EXPECT_EQ(Check(probe, storage), "");
  EXPECT_EQ(Check(probe, storage), "");
  EXPECT_EQ(runs(), 1);
  ASSERT_EQ(storage->values.size(), 1u);
  EXPECT_EQ(storage->values.begin()->first, DriverIdentity(probe));
  EXPECT_EQ(storage->flushed, 1);
}

TEST_F(DriverProbeTest, SeesWhatDriversDo) {
  ExpectHas(Check(Probe("crash", "kill -SEGV $$")), "it crashed (signal 11)");
  ExpectHas(Check(Probe("abort", "echo right; kill -ABRT $$")), "signal 6");
  ExpectHas(Check(Probe("exits", "exit 3")), "ended with status 3");
  ExpectHas(Check(Probe("wrong",
                        "echo it computes wrongly: 1 instead of 2; "
                        "exit 1")),
            "it computes wrongly: 1 instead of 2");
  ExpectHas(Check(Probe("fails_late", "echo right; exit 4")), "status 4");
  ExpectHas(Check(Probe("silent", "true")), "ended with status 0");
  DriverProbe hangs = Probe("hangs", "exec sleep 100");
  hangs.timeout_ms = 200;
  ExpectHas(Check(hangs), "it did not answer within 200 ms");
  DriverProbe floods = Probe("floods", "while true; do echo x; done");
  floods.timeout_ms = 200;
  ExpectHas(Check(floods), "within 200 ms");
}

TEST_F(DriverProbeTest, DeniesByTheIdentityOfTheDriver) {
  const auto storage = std::make_shared<MapStorage>();
  const DriverProbe probe = Probe("denied", "exit 3");
  ExpectHas(Check(probe, storage), DriverIdentity(probe));
  ExpectHas(Check(probe, storage), "status 3");
  EXPECT_EQ(runs(), 1);
  // An update is tried again.
  std::ofstream(folder_ + "/driver.so") << "another driver";
  const std::string old = storage->values.begin()->first;
  EXPECT_NE(DriverIdentity(probe), old);
  std::ofstream(folder_ + "/helper") << "#!/bin/sh\necho right\n";
  EXPECT_EQ(Check(probe, storage), "");
  EXPECT_EQ(storage->values.size(), 2u);
}

TEST_F(DriverProbeTest, KnowsWhatEarlierProcessesFound) {
  const DriverProbe probe = Probe("kept", "exit 3");
  const auto storage = std::make_shared<MapStorage>();
  const std::string kept = "it crashed (signal 11)";
  storage->values[DriverIdentity(probe)] = {kept.begin(), kept.end()};
  ExpectHas(Check(probe, storage), kept);
  EXPECT_EQ(runs(), 0);
  // A storage that fails is not asked.
  const DriverProbe other = Probe("unread", "echo right");
  storage->values[DriverIdentity(other)] = {kept.begin(), kept.end()};
  storage->load_result = -1;
  EXPECT_EQ(Check(other, storage), "");
  EXPECT_EQ(runs(), 1);
}

TEST_F(DriverProbeTest, LogsWhereTheHelperDoesNotStart) {
  std::vector<std::string> log;
  SetLogCallback(
      [](MaceLogLevel, const char* text, void* user) {
        static_cast<std::vector<std::string>*>(user)->push_back(text);
      },
      &log);
  DriverProbe absent = Probe("absent", "echo right");
  absent.program = folder_ + "/nothing";
  EXPECT_EQ(Check(absent), "");
  DriverProbe denied = Probe("no_exec", "echo right");
  denied.program = folder_ + "/driver.so";  // which is not executable
  EXPECT_EQ(Check(denied), "");
  SetLogCallback(nullptr, nullptr);
  ASSERT_EQ(log.size(), 2u);
  for (const std::string& line : log) ExpectHas(line, "is unprotected");
  ExpectHas(log[0], "/nothing");
}

TEST_F(DriverProbeTest, IsOptional) {
  DriverProbe probe = Probe("off", "exit 3");
  probe.program = "";
  EXPECT_EQ(Check(probe), "");
  EXPECT_EQ(runs(), 0);
}

}  // namespace
}  // namespace mace
