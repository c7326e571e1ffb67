// Exercise: does with an untrusted model all that an app may do.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_EXERCISE_H_
#define TEST_FUZZ_EXERCISE_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "mace/public/mace.h"

namespace mace::fuzz {

// What keeps a case short. Models that exceed a limit are left, which is no
// error.
struct Limits {
  DeviceType device = CPU;    // engines ask for it
  int64_t macs = 1000000000;  // multiply-adds of a run
  // Bytes: of the engine, and of the inputs and outputs of a run.
  int64_t memory = int64_t{1} << 29;
  int64_t run_us = 4000000;  // the deadline of a run
};

struct Outcome {
  enum Stage { kRefused, kLoaded, kCreated, kRun };
  Stage stage = kRefused;  // the last stage that succeeded
  MaceStatus status;       // why the next one failed; OK: a limit
  // Ops of the first plan's nodes, and of those that it waits at; also if they
  // did not run.
  std::set<std::string> ops;
  bool quantized = false;  // set by the caller, from Case::quantized
  bool on_device = false;  // a node is placed on the device asked for
  // What the library did wrong: an error without a message, or a broken
  // invariant. Empty if there is nothing to complain about.
  std::string complaint;
};

// Loads the model, creates an engine, reads its reports and runs it; with
// states, it reads them, runs again and restores or resets them; sometimes it
// runs once more with other input shapes. `settings` is the seed for its
// settings: threads, memory strategy and savings, Winograd, guard, outputs of
// its own, shapes and contents of the inputs. Inputs and outputs end at the end
// of their allocation. Crashes are for the sanitizers to find.
Outcome Exercise(const std::string& graph,
                 std::shared_ptr<const uint8_t> weights, size_t weight_bytes,
                 int64_t settings, const Limits& limits);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_EXERCISE_H_
