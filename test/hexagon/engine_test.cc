// Engines on the DSP's emulator: results of the CPU, several engines and
// shapes, and emulators that fail.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "mace/base/cpu_features.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/process.h"
#include "mace/hexagon/testing/quantized_model.h"

namespace mace {
namespace {

using hexagon::testing::Children;
using hexagon::testing::OpenFiles;
using hexagon::testing::Outputs;
using hexagon::testing::QuantizedModel;
using hexagon::testing::RunOn;
using hexagon::testing::UnderMemoryLimits;

// The models here are too small to pay for moving their tensors.
MaceEngineConfig OnDsp() {
  MaceEngineConfig config(HEXAGON);
  EXPECT_TRUE(config.Set("dsp_program", hexagon::testing::ProgramPath()).ok());
  EXPECT_TRUE(config.Set("dsp_takes_all", "1").ok());
  return config;
}

const std::vector<int64_t> kShape = {1, 8, 8, 4};

class DspEngine : public ::testing::Test {
 protected:
  DspEngine() : files_(OpenFiles()) {}

  void TearDown() override {
    EXPECT_TRUE(Children().empty());
    if (files_ >= 0) {
      EXPECT_EQ(OpenFiles(), files_);
    }
  }

  std::shared_ptr<MaceEngine> Create(const QuantizedModel& model,
                                     const MaceEngineConfig& config) {
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(model.model(), {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    return engine;
  }

  std::string Plan(const MaceEngine& engine) {
    std::string text;
    EXPECT_TRUE(engine.Dump("plan", &text).ok());
    return text;
  }

  // Runs on the DSP and on the CPU.
  void ExpectSame(MaceEngine& on_dsp, MaceEngine& on_cpu,
                  const std::vector<int64_t>& shape, uint32_t seed) {
    Outputs found, wanted;
    MaceStatus status = RunOn(on_dsp, shape, seed, &found);
    ASSERT_TRUE(status.ok()) << status.information();
    status = RunOn(on_cpu, shape, seed, &wanted);
    ASSERT_TRUE(status.ok()) << status.information();
    ASSERT_EQ(wanted.size(), 2u);
    EXPECT_EQ(found, wanted);
  }

  static bool Holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  // The DSP works, whatever happened before.
  void ExpectNextWorks() {
    const QuantizedModel model(false);
    const auto engine = Create(model, OnDsp());
    const auto cpu = Create(model, MaceEngineConfig());
    ExpectSame(*engine, *cpu, kShape, 5);
    EXPECT_TRUE(Holds(Plan(*engine), "on DSP")) << Plan(*engine);
  }

  int files_;
};

TEST_F(DspEngine, RunsRegionsThereAndTheRestOnTheCpu) {
  const QuantizedModel model(true);
  const auto engine = Create(model, OnDsp());
  const auto cpu = Create(model, MaceEngineConfig());
  EXPECT_TRUE(Holds(Plan(*engine), "multiply-adds"));
  EXPECT_FALSE(Holds(Plan(*engine), "packets"));
  ExpectSame(*engine, *cpu, kShape, 1);
  ExpectSame(*engine, *cpu, kShape, 2);
  const std::string plan = Plan(*engine);
  EXPECT_TRUE(Holds(plan, "on DSP: dsp (")) << plan;
  EXPECT_TRUE(Holds(plan, "    Conv2d 'a': ")) << plan;
  EXPECT_TRUE(Holds(plan, " packets, 147456 multiply-adds")) << plan;
  EXPECT_TRUE(Holds(plan, "Reverse 't' on CPU: ")) << plan;
}

TEST_F(DspEngine, OtherShapesAndBatchesArePreparedAgain) {
  const QuantizedModel model(false);
  const auto engine = Create(model, OnDsp());
  const auto cpu = Create(model, MaceEngineConfig());
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {3, 8, 8, 4}, {1, 5, 13, 4}, kShape, {2, 1, 1, 4}, {3, 8, 8, 4}}) {
    ExpectSame(*engine, *cpu, shape, 7);
  }
  // More than an engine keeps, and than the DSP has room for at a time.
  for (int64_t w = 1; w < 12; ++w) ExpectSame(*engine, *cpu, {1, 2, w, 4}, 9);
  EXPECT_TRUE(Holds(Plan(*engine), "on DSP"));
}

TEST_F(DspEngine, SeveralEnginesRunAtATime) {
  const QuantizedModel model(true);
  const auto cpu = Create(model, MaceEngineConfig());
  Outputs wanted;
  ASSERT_TRUE(RunOn(*cpu, kShape, 3, &wanted).ok());
  std::vector<std::shared_ptr<MaceEngine>> engines;
  for (int i = 0; i < 3; ++i) engines.push_back(Create(model, OnDsp()));
  std::vector<Outputs> found(engines.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < engines.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int run = 0; run < 5; ++run) {
        if (!RunOn(*engines[i], kShape, 3, &found[i]).ok()) found[i].clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outputs& one : found) EXPECT_EQ(one, wanted);
}

TEST_F(DspEngine, RunsThatMayBeCancelledAreTheSame) {
  const QuantizedModel model(true);
  const auto engine = Create(model, OnDsp());
  const auto cpu = Create(model, MaceEngineConfig());
  Outputs wanted;
  ASSERT_TRUE(RunOn(*cpu, kShape, 3, &wanted).ok());
  MaceCancellation cancellation;
  for (int run = 0; run < 2; ++run) {
    std::map<std::string, MaceTensor> outputs;
    const MaceStatus status =
        engine->Run({{"x", hexagon::testing::RandomQuantized(kShape, 3)},
                     {"z", hexagon::testing::RandomQuantized(kShape, 4)}},
                    &outputs, cancellation);
    if (run == 1) {
      EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED);
      break;
    }
    ASSERT_TRUE(status.ok()) << status.information();
    for (const auto& [name, values] : wanted) {
      EXPECT_EQ(std::memcmp(outputs[name].raw_data().get(), values.data(),
                            values.size()),
                0);
    }
    cancellation.Cancel();
  }
  ExpectSame(*engine, *cpu, kShape, 5);
}

TEST_F(DspEngine, KeepsEveryTensorWherePreserveAllSaysSo) {
  const QuantizedModel model(true);
  MaceEngineConfig config = OnDsp();
  ASSERT_TRUE(config.SetMemoryStrategy("PRESERVE_ALL").ok());
  const auto engine = Create(model, config);
  const auto cpu = Create(model, MaceEngineConfig());
  ExpectSame(*engine, *cpu, kShape, 4);
}

TEST_F(DspEngine, StatisticsHaveTheNodesOfTheDsp) {
  const QuantizedModel model(false);
  const auto engine = Create(model, OnDsp());
  Outputs found;
  RunMetadata metadata;
  ASSERT_TRUE(RunOn(*engine, kShape, 1, &found, &metadata).ok());
  std::map<std::string, OperatorStats> stats;
  for (const OperatorStats& one : metadata.op_stats) {
    stats[one.operator_name] = one;
    EXPECT_LE(one.stats.start_micros, one.stats.end_micros);
  }
  ASSERT_EQ(stats.count("d"), 1u);
  EXPECT_EQ(stats["d"].type, "Conv2d");
  EXPECT_EQ(stats["d"].device, "DSP");
  EXPECT_EQ(stats["d"].macs, 64 * 64 * 64 * 9);
  EXPECT_TRUE(Holds(stats["d"].variant, " packets")) << stats["d"].variant;
  MaceDeviceCounts counts;
  ASSERT_TRUE(engine->GetDeviceCounts(&counts).ok());
  EXPECT_GE(counts.kernels, 4);
  EXPECT_EQ(counts.bytes_from_host, 2 * 256);
}

TEST_F(DspEngine, AKilledEmulatorGivesAStatus) {
  const QuantizedModel model(true);
  {
    const auto engine = Create(model, OnDsp());
    Outputs found;
    ASSERT_TRUE(RunOn(*engine, kShape, 1, &found).ok());
    const std::vector<pid_t> children = Children();
    ASSERT_EQ(children.size(), 1u);
    kill(children[0], SIGKILL);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(RunOn(*engine, kShape, 1, &found).code(),
                MaceStatus::MACE_RUNTIME_ERROR);
    }
    // Shapes that are new are planned without it.
    const MaceStatus other = RunOn(*engine, {2, 8, 8, 4}, 1, &found);
    EXPECT_TRUE(other.ok()) << other.information();
    EXPECT_TRUE(Holds(Plan(*engine), "the DSP failed, the CPU takes over"));
    ExpectNextWorks();
  }
}

TEST_F(DspEngine, AStoppedEmulatorIsGivenUpInTime) {
  const QuantizedModel model(true);
  MaceEngineConfig config = OnDsp();
  ASSERT_TRUE(config.Set("dsp_timeout_ms", "2000").ok());
  const auto engine = Create(model, config);
  Outputs found;
  ASSERT_TRUE(RunOn(*engine, kShape, 1, &found).ok());
  ASSERT_EQ(Children().size(), 1u);
  kill(Children()[0], SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  const MaceStatus status = RunOn(*engine, kShape, 1, &found);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_TRUE(Holds(status.information(), "within 2000 ms"));
  EXPECT_LT(took.count(), 10);
  ExpectNextWorks();
}

TEST_F(DspEngine, WithoutAWayToADspTheCpuTakesOver) {
  const QuantizedModel model(true);
  const auto cpu = Create(model, MaceEngineConfig());
  const std::map<std::string, std::pair<std::string, std::string>> cases = {
      {"no DSP, the CPU takes over: the vendor's library", {"dsp_corner", "1"}},
      {"no_such.elf' cannot be read", {"dsp_program", "no_such.elf"}},
  };
  for (const auto& [text, setting] : cases) {
    MaceEngineConfig config(HEXAGON);
    ASSERT_TRUE(config.Set(setting.first, setting.second).ok());
    const auto engine = Create(model, config);
    ExpectSame(*engine, *cpu, kShape, 1);
    EXPECT_TRUE(Holds(Plan(*engine), text)) << Plan(*engine);
  }
  MaceEngineConfig config = OnDsp();
  ASSERT_TRUE(config.Set("dsp_emulator", "no-such-emulator").ok());
  EXPECT_TRUE(Holds(Plan(*Create(model, config)), "apt-get install"));
  config = OnDsp();
  ASSERT_TRUE(config.Set("dsp_emulator", "cat").ok());
  EXPECT_TRUE(Holds(Plan(*Create(model, config)), "the CPU takes over"));
}

TEST_F(DspEngine, SettingsThatAnEmulatorLacksAreNamed) {
  const QuantizedModel model(false);
  MaceEngineConfig config = OnDsp();
  const auto plain = Create(model, config);
  EXPECT_FALSE(Holds(Plan(*plain), "no effect"));
  EXPECT_EQ(config.SetHexagonPower(static_cast<HexagonNNCornerType>(7), true, 1)
                .code(),
            MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(config.SetHexagonPower(HEXAGON_NN_CORNER_SVS, true, -1).code(),
            MaceStatus::MACE_INVALID_ARGS);
  ASSERT_TRUE(config.SetHexagonPower(HEXAGON_NN_CORNER_SVS, true, 100).ok());
  ASSERT_TRUE(config.SetHexagonToUnsignedPD().ok());
  ASSERT_TRUE(config.Set("nnlib_graph_mode", "0").ok());
  const auto engine = Create(model, config);
  EXPECT_TRUE(Holds(Plan(*engine),
                    "no effect in the DSP's emulator: dsp_corner, dsp_dcvs, "
                    "dsp_latency_us, dsp_unsigned_pd\n"))
      << Plan(*engine);
  ASSERT_TRUE(config.Set("nnlib_graph_mode", "1").ok());
  EXPECT_TRUE(Holds(Plan(*Create(model, config)), ", nnlib_graph_mode\n"));
}

// Whatever the limit is, creating fails with a status, or results are right; in
// between there is a limit with room for the CPU, and none for the DSP.
TEST_F(DspEngine, RegionsWithoutRoomRunOnTheCpu) {
  const QuantizedModel model(false);
  const auto cpu = Create(model, MaceEngineConfig());
  Outputs wanted;
  ASSERT_TRUE(RunOn(*cpu, kShape, 6, &wanted).ok());
  int without_room = 0, on_dsp = 0;
  const int refused = UnderMemoryLimits(
      model, kShape, 6, OnDsp(),
      [&](const MaceEngine& engine, const Outputs* found) {
        const std::string plan = Plan(engine);
        without_room += Holds(plan, "the DSP has no room for the region: ");
        on_dsp += Holds(plan, "on DSP: dsp (");
        if (found != nullptr) {
          EXPECT_EQ(*found, wanted);
        }
      });
  EXPECT_GT(refused, 0);
  EXPECT_GT(on_dsp, 0);
#if defined(__x86_64__)
  if ((DetectCpuFeatures() & (kCpuAvxVnni | kCpuAvx512Vnni)) == 0) {
    GTEST_SKIP() << "this CPU: its int8 kernels take no less than the DSP";
  }
#endif
  EXPECT_GT(without_room, 0);
}

TEST_F(DspEngine, WithTheGpuItSharesAPlan) {
  const QuantizedModel model(true);
  MaceEngineConfig config = OnDsp();
  ASSERT_TRUE(config.Set("dsp_with_gpu", "1").ok());
  const auto engine = Create(model, config);
  const auto cpu = Create(model, MaceEngineConfig());
  ExpectSame(*engine, *cpu, kShape, 8);
  EXPECT_TRUE(Holds(Plan(*engine), "on DSP")) << Plan(*engine);
  files_ = -1;  // drivers of the GPU keep some
}

TEST_F(DspEngine, CapabilityMeasuresAnEightBitNetwork) {
  EXPECT_FALSE(GetCapability(HEXAGON).supported);
  setenv("MACE_DSP_PROGRAM", hexagon::testing::ProgramPath().c_str(), 1);
  const Capability dsp = GetCapability(HEXAGON);
  unsetenv("MACE_DSP_PROGRAM");
  EXPECT_TRUE(dsp.supported);
  EXPECT_GT(dsp.quantized8_performance.exec_time, 0);
  EXPECT_TRUE(std::isfinite(dsp.quantized8_performance.exec_time));
  EXPECT_TRUE(std::isinf(dsp.float32_performance.exec_time));
}

}  // namespace
}  // namespace mace
