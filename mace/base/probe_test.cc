// Probes: faults are seen, and the app sees nothing of them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/probe.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

namespace mace {
namespace {

using End = ProbeResult::End;

#if defined(__x86_64__)
constexpr int kInstructionBytes = 2;
void RunIllegalInstruction() { asm volatile("ud2"); }
greg_t* ProgramCounter(ucontext_t* u) { return &u->uc_mcontext.gregs[REG_RIP]; }
#elif defined(__aarch64__)
constexpr int kInstructionBytes = 4;
void RunIllegalInstruction() { asm volatile(".inst 0"); }
__u64* ProgramCounter(ucontext_t* u) { return &u->uc_mcontext.pc; }
#else
constexpr int kInstructionBytes = 4;
void RunIllegalInstruction() { asm volatile(".inst.w 0xf7f0a0ff"); }
unsigned long* ProgramCounter(ucontext_t* u) { return &u->uc_mcontext.arm_pc; }
#endif

int Return(const void* arg) { return *static_cast<const int*>(arg); }
int Illegal(const void*) {
  RunIllegalInstruction();
  return 0;
}
int Segfault(const void* arg) {
  return *static_cast<const int* const volatile&>(
      reinterpret_cast<const int* const&>(arg));
}

TEST(Probe, ReturnsWhatTheFunctionReturns) {
  for (const int value : {0, 1, 63}) {
    const ProbeResult result = RunInProbe(Return, &value);
    EXPECT_EQ(result.end, End::kReturned);
    EXPECT_EQ(result.value, value);
  }
}

TEST(Probe, SeesFaults) {
  ProbeResult result = RunInProbe(Illegal, nullptr);
  EXPECT_EQ(result.end, End::kFaulted);
  EXPECT_EQ(result.value, SIGILL);
  result = RunInProbe(Segfault, reinterpret_cast<const void*>(16));
  EXPECT_EQ(result.end, End::kFaulted);
  EXPECT_EQ(result.value, SIGSEGV);
}

std::atomic<int> app_faults{0}, app_alarms{0}, app_children{0};
pid_t app_process = 0;

// The app's: steps over the instruction, or counts.
void OnSignal(int signal, siginfo_t*, void* context) {
  if (getpid() != app_process) _exit(99);
  if (signal == SIGILL) {
    *ProgramCounter(static_cast<ucontext_t*>(context)) += kInstructionBytes;
    ++app_faults;
  } else if (signal == SIGCHLD) {
    ++app_children;
  } else {
    ++app_alarms;
  }
}

class AppsSignals {
 public:
  AppsSignals() {
    app_process = getpid();
    struct sigaction action;
    std::memset(&action, 0, sizeof(action));
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < 4; ++i) sigaction(kSignals[i], &action, &old_[i]);
  }
  ~AppsSignals() {
    for (size_t i = 0; i < 4; ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  bool AreUntouched() const {
    bool all = true;
    for (const int signal : kSignals) {
      struct sigaction now;
      sigaction(signal, nullptr, &now);
      all &= now.sa_sigaction == OnSignal;
    }
    return all;
  }

 private:
  static constexpr int kSignals[] = {SIGILL, SIGALRM, SIGCHLD, SIGPROF};
  struct sigaction old_[4];
};

// While one thread probes, others have faults and signals of their own, and
// each of them reaches the handlers of the app.
TEST(Probe, LeavesTheAppsSignalsAlone) {
  const AppsSignals signals;
  constexpr int kThreads = 3, kProbes = 100;
  std::atomic<bool> stop{false};
  std::atomic<int> raised{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        RunIllegalInstruction();
        ++raised;
        std::this_thread::yield();
      }
    });
  }
  const itimerval often = {{0, 500}, {0, 500}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  sigset_t before = {}, after = {};
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  bool saw_all = true, untouched = true;
  for (int i = 0; i < kProbes || app_alarms == 0; ++i) {
    errno = 77;
    saw_all &= RunInProbe(Illegal, nullptr).value == SIGILL;
    untouched &= errno == 77 && signals.AreUntouched();
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  setitimer(ITIMER_REAL, &never, nullptr);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(saw_all);
  EXPECT_TRUE(untouched);
  EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0);
  EXPECT_GT(raised, 0);
  EXPECT_EQ(app_faults, raised);
#if defined(__x86_64__)  // others are emulated, with signals for all processes
  EXPECT_EQ(app_children, 0);
#endif
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace mace
