// Child processes, and the results that they write to shared memory.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/crew.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "mace/ops/common/op.h"

namespace mace::fuzz {
namespace {

// The exit status of a process whose case has a complaint.
constexpr int kComplaint = 77;

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

int64_t Micros() {
  return static_cast<int64_t>(1e6 * Seconds(CLOCK_MONOTONIC));
}

void AddSlow(double seconds, int64_t number, Tally* tally) {
  Tally::Slow slow = {seconds, number};
  for (Tally::Slow& other : tally->slowest) {
    if (slow.seconds > other.seconds) std::swap(slow, other);
  }
}

void CountStages(const Outcome& outcome, Tally::Stages* stages) {
  stages->cases += 1;
  stages->loaded += outcome.stage >= Outcome::kLoaded;
  stages->created += outcome.stage >= Outcome::kCreated;
  stages->run += outcome.stage == Outcome::kRun;
}

void Count(const Outcome& outcome, Tally* tally) {
  CountStages(outcome, &tally->all);
  if (outcome.quantized) CountStages(outcome, &tally->quantized);
  if (!outcome.status.ok()) {
    tally->refused[outcome.status.code() % Tally::kCodes] += 1;
  } else if (outcome.stage != Outcome::kRun) {
    tally->left += 1;
  }
  if (outcome.stage != Outcome::kRun) return;
  tally->on_device += outcome.on_device;
  static const auto* indices = [] {
    auto* made = new std::map<std::string, int>;
    for (const Op* op : AllOps()) {
      made->emplace(op->name, static_cast<int>(made->size()));
    }
    return made;
  }();
  for (const std::string& op : outcome.ops) {
    const auto found = indices->find(op);
    if (found != indices->end()) tally->runs_of[found->second] += 1;
  }
}

// Runs the cases [first, end), in the child process.
void Work(int64_t first, int64_t end,
          const std::function<Outcome(int64_t)>& exercise, Tally* tally) {
  for (int64_t number = first; number < end; ++number) {
    tally->started_at = Micros();
    tally->current = number;
    const double start = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    const Outcome outcome = exercise(number);
    AddSlow(Seconds(CLOCK_PROCESS_CPUTIME_ID) - start, number, tally);
    Count(outcome, tally);
    if (!outcome.complaint.empty()) {
      std::fprintf(stderr, "complaint: %s\n", outcome.complaint.c_str());
      std::fflush(nullptr);
      _exit(kComplaint);
    }
  }
  tally->current = -1;
  std::exit(0);  // looks for leaks first
}

// Waits for the child process, and ends it if a case takes too long.
int Wait(pid_t child, const CrewOptions& options, const Tally& tally,
         bool* hangs) {
  int status = 0;
  *hangs = false;
  while (waitpid(child, &status, WNOHANG) == 0) {
    usleep(20000);
    const double seconds =
        1e-6 * static_cast<double>(Micros() - tally.started_at);
    if (tally.current >= 0 && seconds > options.hang_seconds && !*hangs) {
      *hangs = true;
      kill(child, SIGKILL);
    }
  }
  return status;
}

// `at_end`: after all cases of the process, where leaks are looked for.
std::string Reason(int status, bool hangs, bool at_end) {
  if (hangs) return "hangs";
  if (WIFSIGNALED(status)) {
    return std::string("signal: ") + strsignal(WTERMSIG(status));
  }
  const int code = WEXITSTATUS(status);
  if (code == kComplaint) return "complaint, see above";
  if (at_end) return "leak, see above";
  return "ended with " + std::to_string(code) + ", see above";
}

}  // namespace

Tally RunCases(const CrewOptions& options,
               const std::function<Outcome(int64_t)>& exercise,
               const std::function<void(const Failure&)>& on_failure) {
  void* shared = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return {};
  auto* tally = static_cast<Tally*>(shared);
  const int64_t end = options.first + options.count;
  for (int64_t next = options.first; next < end;) {
    const int64_t stop = std::min(next + options.cases_per_process, end);
    tally->started_at = Micros();
    tally->current = next;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) {
      on_failure({next, "no process could be started"});
      break;
    }
    if (child == 0) Work(next, stop, exercise, tally);
    bool hangs = false;
    const int status = Wait(child, options, *tally, &hangs);
    if (status == 0) {
      next = stop;
      continue;
    }
    // A leak is found only after all cases.
    const bool at_end = tally->current < 0;
    on_failure({at_end ? next : tally->current, Reason(status, hangs, at_end)});
    next = at_end ? stop : tally->current + 1;
  }
  const Tally result = *tally;
  munmap(shared, sizeof(Tally));
  return result;
}

bool RunsAlone(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace mace::fuzz
