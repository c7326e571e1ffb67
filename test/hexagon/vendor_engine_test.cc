// Engines with the vendor's library, of which the stand-in takes the place:
// each call fails once, at creation and in Run; a status or the CPU follows,
// and the next engine works.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mace/hexagon/testing/quantized_model.h"
#include "mace/hexagon/testing/stand_in/fixture.h"

namespace mace {
namespace {

using hexagon::nnlib::Library;
using hexagon::testing::Outputs;
using hexagon::testing::QuantizedModel;
using hexagon::testing::RunOn;
using hexagon::testing::StandIn;
using hexagon::testing::UnderMemoryLimits;

const std::vector<int64_t> kShape = {1, 8, 8, 4};
// Of the outputs of the model: two layers, each 1 LSB from the CPU.
constexpr int kTolerance = 2;

MaceEngineConfig OnDsp() {
  MaceEngineConfig config(HEXAGON);
  EXPECT_TRUE(config.Set("dsp_library", hexagon::testing::kStandInPath).ok());
  EXPECT_TRUE(config.Set("dsp_takes_all", "1").ok());
  EXPECT_TRUE(config.SetHexagonToUnsignedPD().ok());
  EXPECT_TRUE(config.Set("nnlib_graph_mode", "1").ok());
  return config;
}

class VendorEngine : public hexagon::testing::StandInTest {
 protected:
  std::shared_ptr<MaceEngine> Create(const QuantizedModel& model,
                                     const MaceEngineConfig& config) {
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(model.model(), {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    return engine;
  }

  static std::string Plan(const MaceEngine& engine) {
    std::string text;
    EXPECT_TRUE(engine.Dump("plan", &text).ok());
    return text;
  }

  // The greatest distance from what the CPU computes.
  int Distance(MaceEngine& engine, const std::vector<int64_t>& shape,
               uint32_t seed) {
    const QuantizedModel model(true);
    return DistanceFrom(*Create(model, MaceEngineConfig()), engine, shape,
                        seed);
  }

  int DistanceFrom(MaceEngine& cpu, MaceEngine& engine,
                   const std::vector<int64_t>& shape, uint32_t seed) {
    Outputs found, wanted;
    MaceStatus status = RunOn(engine, shape, seed, &found);
    EXPECT_TRUE(status.ok()) << status.information();
    status = RunOn(cpu, shape, seed, &wanted);
    EXPECT_TRUE(status.ok()) << status.information();
    return Distance(found, wanted);
  }

  static int Distance(const Outputs& found, const Outputs& wanted) {
    int most = found.size() == wanted.size() ? 0 : 1000;
    for (const auto& [name, values] : wanted) {
      const auto other = found.find(name);
      if (other == found.end() || other->second.size() != values.size()) {
        return 1000;
      }
      for (size_t i = 0; i < values.size(); ++i) {
        most = std::max(most, std::abs(values[i] - other->second[i]));
      }
    }
    return most;
  }

  // As a new process, which the failures before do not touch.
  void ExpectNextWorks() {
    const QuantizedModel model(true);
    const auto engine = Create(model, OnDsp());
    EXPECT_TRUE(Holds(Plan(*engine), "on DSP: hexagon_nn")) << Plan(*engine);
    EXPECT_LE(Distance(*engine, kShape, 5), kTolerance);
  }
};

TEST_F(VendorEngine, RunsRegionsThereAndTheRestOnTheCpu) {
  const QuantizedModel model(true);
  const auto engine = Create(model, OnDsp());
  EXPECT_LE(Distance(*engine, kShape, 1), kTolerance);
  EXPECT_LE(Distance(*engine, kShape, 2), kTolerance);
  EXPECT_LE(Distance(*engine, {3, 8, 8, 4}, 3), kTolerance);
  EXPECT_LE(Distance(*engine, kShape, 4), kTolerance);
  const std::string plan = Plan(*engine);
  EXPECT_TRUE(Holds(plan, "on DSP: hexagon_nn (")) << plan;
  EXPECT_TRUE(Holds(plan, "    Conv2d 'a': ")) << plan;
  EXPECT_TRUE(Holds(plan, "7 us, 147456 multiply-adds")) << plan;
  EXPECT_TRUE(Holds(plan, "Reverse 't' on CPU: ")) << plan;
  EXPECT_FALSE(Holds(plan, "no effect")) << plan;
}

TEST_F(VendorEngine, SeveralEnginesRunAtATime) {
  const QuantizedModel model(true);
  std::vector<std::shared_ptr<MaceEngine>> engines;
  for (int i = 0; i < 3; ++i) engines.push_back(Create(model, OnDsp()));
  std::vector<int> distances(engines.size(), 1000);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < engines.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int run = 0; run < 3; ++run) {
        distances[i] = Distance(*engines[i], kShape, 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int distance : distances) EXPECT_LE(distance, kTolerance);
  EXPECT_EQ(StandIn().calls("hexagon_nn_config"), 1);
}

// With each call that may not fail: the CPU computes everything, to the bit,
// and the plan names the call and the reason.
TEST_F(VendorEngine, EachCallFailsOnceAtCreation) {
  const QuantizedModel model(true);
  const auto cpu = Create(model, MaceEngineConfig());
  for (const char* call :
       {"hexnn_controller_request_unsigned_pd", "hexagon_nn_version",
        "hexagon_nn_set_clocks", "hexagon_nn_config",
        "hexagon_nn_op_name_to_id", "hexagon_nn_init",
        "hexagon_nn_set_graph_mode", "hexagon_nn_append_const_node_list",
        "hexagon_nn_append_node_list", "hexagon_nn_prepare"}) {
    for (const int code : {-1, 1, 2, 0x2c, 104, -2147482622 /* 0x80000402 */}) {
      // The model has two regions, and so two graphs.
      for (const int skip : {0, 1}) {
        SCOPED_TRACE(std::string(call) + " " + std::to_string(code));
        Library::ForgetAllForTest();
        StandIn().reset();
        StandIn().fail(call, skip, 1, code);
        {
          const auto engine = Create(model, OnDsp());
          const std::string plan = Plan(*engine);
          const bool is_used = StandIn().calls(call) > skip;
          EXPECT_EQ(is_used && Holds(plan, call), is_used) << plan;
          EXPECT_LE(DistanceFrom(*cpu, *engine, kShape, 1), kTolerance);
        }
        EXPECT_EQ(StandIn().graphs(), 0);
        EXPECT_STREQ(StandIn().faults(), "");
      }
    }
    Library::ForgetAllForTest();
    StandIn().reset();
    ExpectNextWorks();
  }
}

// These only measure, log or clean up.
TEST_F(VendorEngine, CallsThatMayFailChangeNothing) {
  const QuantizedModel model(true);
  for (const char* call : {"hexagon_nn_reset_perfinfo",
                           "hexagon_nn_get_perfinfo", "hexagon_nn_teardown"}) {
    SCOPED_TRACE(call);
    StandIn().reset();
    Library::ForgetAllForTest();
    StandIn().fail(call, 0, 1000, 1);
    const auto engine = Create(model, OnDsp());
    EXPECT_LE(Distance(*engine, kShape, 1), kTolerance);
    const std::string plan = Plan(*engine);
    EXPECT_TRUE(Holds(plan, "on DSP: hexagon_nn (")) << plan;
    EXPECT_EQ(Holds(plan, " us, "), call == std::string("hexagon_nn_teardown"))
        << plan;
  }
}

// The log of the library is in the message, unless it has none to give.
TEST_F(VendorEngine, AFailedRunGivesAStatus) {
  const QuantizedModel model(false);
  for (const int code : {-1, 1, 2, 39, 104}) {
    const auto engine = Create(model, OnDsp());
    Outputs found;
    ASSERT_TRUE(RunOn(*engine, kShape, 1, &found).ok());
    StandIn().fail("hexagon_nn_execute_new", 0, 1, code);
    const MaceStatus status = RunOn(*engine, kShape, 1, &found);
    EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
    EXPECT_TRUE(Holds(status.information(), "hexagon_nn_execute_new returned"));
    EXPECT_TRUE(Holds(status.information(), "was told to fail"))
        << status.information();
    EXPECT_TRUE(RunOn(*engine, kShape, 1, &found).ok());
    StandIn().fail("hexagon_nn_execute_new", 0, 1, code);
    StandIn().fail("hexagon_nn_getlog", 0, 1, 1);
    EXPECT_FALSE(RunOn(*engine, kShape, 1, &found).ok());
    ExpectNextWorks();
  }
}

TEST_F(VendorEngine, OutputsThatAreTooShortAreAnError) {
  const QuantizedModel model(false);
  const auto engine = Create(model, OnDsp());
  StandIn().shorten_outputs();
  Outputs found;
  const MaceStatus status = RunOn(*engine, kShape, 1, &found);
  EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_TRUE(Holds(status.information(), "or another shape"));
  EXPECT_TRUE(RunOn(*engine, kShape, 1, &found).ok());
}

// After a failed preparation the library would hang: no engine of this process
// calls it again, those that run included.
TEST_F(VendorEngine, AfterAFailedPreparationNothingHangs) {
  const QuantizedModel model(true);
  const auto before = Create(model, OnDsp());
  Outputs found;
  ASSERT_TRUE(RunOn(*before, kShape, 1, &found).ok());
  StandIn().fail("hexagon_nn_prepare", 0, 1, 1);
  const auto engine = Create(model, OnDsp());
  EXPECT_TRUE(Holds(Plan(*engine),
                    "the DSP failed, the CPU takes over: "
                    "hexagon_nn_prepare returned 0x1"))
      << Plan(*engine);
  EXPECT_LE(Distance(*engine, kShape, 1), kTolerance);
  const MaceStatus status = RunOn(*before, kShape, 1, &found);
  EXPECT_EQ(status.code(), MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_TRUE(Holds(status.information(), "start the process again"))
      << status.information();
  // Other shapes are prepared again, on the CPU.
  EXPECT_LE(Distance(*before, {2, 8, 8, 4}, 1), kTolerance);
  const auto next = Create(model, OnDsp());
  EXPECT_TRUE(Holds(Plan(*next),
                    "no DSP, the CPU takes over: hexagon_nn could "
                    "not prepare a graph in this process"))
      << Plan(*next);
  EXPECT_LE(Distance(*next, kShape, 1), kTolerance);
}

TEST_F(VendorEngine, WithoutTheLibraryTheCpuTakesOver) {
  const QuantizedModel model(true);
  MaceEngineConfig config(HEXAGON);
  ASSERT_TRUE(config.Set("dsp_library", "no_such_library.so").ok());
  const auto engine = Create(model, config);
  EXPECT_TRUE(Holds(Plan(*engine),
                    "no DSP, the CPU takes over: the vendor's "
                    "library for DSPs cannot be opened: "
                    "no_such_library.so"))
      << Plan(*engine);
  EXPECT_EQ(Distance(*engine, kShape, 1), 0);
  const auto found = Create(model, MaceEngineConfig(HEXAGON));
  EXPECT_TRUE(Holds(Plan(*found), "libhexagon_controller.so")) << Plan(*found);
}

TEST_F(VendorEngine, DeniedPermissionAndOtherVersionsAreNamed) {
  const QuantizedModel model(false);
  StandIn().need_unsigned();
  MaceEngineConfig config(HEXAGON);
  ASSERT_TRUE(config.Set("dsp_library", hexagon::testing::kStandInPath).ok());
  ASSERT_TRUE(config.Set("dsp_takes_all", "1").ok());
  EXPECT_TRUE(Holds(Plan(*Create(model, config)), "(dsp_unsigned_pd: 1)"));
  ExpectNextWorks();
  StandIn().set_version(0x22000);
  EXPECT_TRUE(Holds(Plan(*Create(model, OnDsp())), "has version 0x22000"));
}

// A graph for which the DSP has no room leaves the others there.
TEST_F(VendorEngine, RegionsWithoutRoomRunOnTheCpu) {
  const QuantizedModel model(true);
  for (const char* call :
       {"hexagon_nn_append_const_node_list", "hexagon_nn_append_node_list"}) {
    for (const int skip : {0, 1}) {
      StandIn().fail(call, skip, 1, 2);
      const auto engine = Create(model, OnDsp());
      const std::string plan = Plan(*engine);
      EXPECT_TRUE(Holds(plan, "the DSP has no room for the region: ")) << plan;
      EXPECT_TRUE(Holds(plan, "on DSP: hexagon_nn (")) << plan;
      EXPECT_LE(Distance(*engine, kShape, 1), kTolerance);
    }
  }
}

// Every memory limit gives an engine that is right, or a status.
TEST_F(VendorEngine, MemoryMayRunOut) {
  const QuantizedModel model(true);
  const auto cpu = Create(model, MaceEngineConfig());
  Outputs wanted;
  ASSERT_TRUE(RunOn(*cpu, kShape, 6, &wanted).ok());
  int on_dsp = 0;
  const int refused =
      UnderMemoryLimits(model, kShape, 6, OnDsp(),
                        [&](const MaceEngine& engine, const Outputs* found) {
                          on_dsp += Holds(Plan(engine), "on DSP: hexagon_nn");
                          if (found == nullptr) return;
                          EXPECT_LE(Distance(*found, wanted), kTolerance);
                        });
  EXPECT_GT(refused, 0);
  EXPECT_GT(on_dsp, 0);
}

}  // namespace
}  // namespace mace
