// Exercise: all that an app may do with a model, from bytes that nobody trusts.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_EXERCISE_H_
#define TEST_FUZZ_EXERCISE_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "mace/public/mace.h"

namespace mace::fuzz {

struct Limits {
  int64_t macs = 1000000000;          // multiply-adds of a run
  int64_t memory = int64_t{1} << 29;  // bytes: SetMemoryLimit, and of inputs
};

struct Outcome {
  enum Stage { kRefused, kLoaded, kCreated, kRun };
  Stage stage = kRefused;     // the last that succeeded
  MaceStatus status;          // why there was no further one; ok: a limit
  std::set<std::string> ops;  // of the nodes that ran
  // What the library did wrong: an error that says nothing, or a broken
  // invariant. Empty if all is well.
  std::string complaint;
};

// Loads the model, creates an engine and runs it twice, as `settings` draws:
// threads, memory, Winograd, outputs, shapes and contents of the inputs.
// Crashes are left to the sanitizers.
Outcome Exercise(const std::string& graph,
                 std::shared_ptr<const uint8_t> weights, size_t weight_bytes,
                 int64_t settings, const Limits& limits);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_EXERCISE_H_
