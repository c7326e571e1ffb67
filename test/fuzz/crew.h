// Crew: runs numbered cases in child processes. If one crashes or hangs, it is
// counted, and the next one starts.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_CREW_H_
#define TEST_FUZZ_CREW_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "test/fuzz/exercise.h"

namespace mace::fuzz {

// The results of the cases so far. A plain struct, in memory that processes
// share: the child that runs the cases writes it, and the parent reads
// `current` and `started_at` to find what hangs.
struct Tally {
  static constexpr int kCodes = 8;
  static constexpr int kOps = 256;
  static constexpr int kSlowest = 5;

  struct Stages {
    int64_t cases, loaded, created, run;
  } all, quantized;         // `quantized`: of quantized models alone
  int64_t refused[kCodes];  // by MaceStatus::Code
  int64_t left;             // not run because they exceed the limits
  int64_t on_device;        // ran with nodes on the device asked for
  int64_t runs_of[kOps];    // by index among AllOps()
  struct Slow {
    double seconds;  // of processor time
    int64_t number;
  } slowest[kSlowest];
  int64_t current;     // the case that is running, or -1
  int64_t started_at;  // microseconds of a monotonic clock
};

// Cases first to first + count - 1. A process is replaced after
// cases_per_process of them, and after a failure.
struct CrewOptions {
  int64_t first = 0, count = 0;
  int64_t cases_per_process = 1000;  // at its end a process looks for leaks
  double hang_seconds = 120;
};

struct Failure {
  int64_t number;  // of the case; for leaks, the first that can be the cause
  std::string what;
};

// Calls `exercise` for each number, in order, in child processes of which one
// runs at a time, and `on_failure`, in this process, for each number that ends
// its process, hangs for hang_seconds (it is killed), leaks or has a complaint.
// The next process goes on with the number after it; after a leak, with the one
// after the last of the process. If a process cannot be started, that is a
// failure, too, and the last. Returns the tally; without shared memory an empty
// one, and runs nothing. REQUIRES: this process has no other threads, since it
// forks.
//
//  parent  fork ----------------- failure of n     fork -------------- ...
//  child       first ... n-1 n                         n+1 n+2 ...
Tally RunCases(const CrewOptions& options,
               const std::function<Outcome(int64_t)>& exercise,
               const std::function<void(const Failure&)>& on_failure);

// Calls `work` in a process of its own, whose crash is not this one's. Returns
// whether `work` returned.
bool RunsAlone(const std::function<void()>& work);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_CREW_H_
