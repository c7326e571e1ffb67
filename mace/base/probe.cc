// Processes that share memory, and the signals of their own.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/probe.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/cpu_topology.h"

#ifndef MACE_LIBRARY
// Null in builds without AddressSanitizer.
extern "C" __attribute__((weak)) void __asan_unpoison_memory_region(
    const volatile void* address, size_t size);
#endif

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer takes clone for a fork of a process with threads, after which
// it looks at nothing that the calling thread does.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* arg,
                       ...);
#define clone __clone
#endif

namespace mace {
namespace {

// Frees a stack. What ran there may have ended by a fault, and its frames stay:
// AddressSanitizer would take them for those of memory that comes next.
void FreeStack(void* stack, size_t bytes) {
#ifndef MACE_LIBRARY
  if (__asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(stack, bytes);
  }
#endif
  munmap(stack, bytes);
}

constexpr size_t kStackBytes = 512 << 10;
constexpr int kFirstSignal = 64;  // exit statuses from here on
constexpr int kMaxCpuSeconds = 10;
constexpr int kFaults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGPROF};

// The masks of signals as the kernel has them, on all CPUs of MACE.
struct KernelMask {
  uint64_t bits;
};
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  KernelMask mask;
};

// Calls the kernel, past libraries that stand in for these functions and keep
// in memory, which the two processes share, what they set.
void SetMask(const KernelMask& mask, KernelMask* old) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, old, sizeof(mask));
}

// Ends the probe's process, and nothing else of this one.
void EndProbe(int code) { syscall(SYS_exit_group, code); }

void EndBySignal(int signal) { EndProbe(kFirstSignal + signal); }

// Nothing returns from the handler, so that it needs no restorer, but x86
// refuses to call it without.
void NoRestorer() { EndProbe(kFirstSignal); }

// The cores of one highest frequency. Those of further kinds than there is room
// for are with the last.
struct KindOfCores {
  int64_t max_khz;
  cpu_set_t cores;
};
struct KindsOfCores {
  static constexpr size_t kMax = 6;
  size_t count = 0;
  KindOfCores kinds[kMax];
};

struct ProbeCall {
  int (*run)(const void*);
  const void* arg;
  const KindsOfCores* cores;
};

int InProbe(void* data) {
  const ProbeCall& call = *static_cast<const ProbeCall*>(data);
  constexpr unsigned long kSaRestorer = 0x04000000;
  const KernelAction action = {EndBySignal, kSaRestorer, NoRestorer, {0}};
  KernelMask mask = {~uint64_t{0}};
  for (const int signal : kFaults) {
    syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof(mask));
    mask.bits &= ~(uint64_t{1} << (signal - 1));
  }
  SetMask(mask, nullptr);
  const itimerval most = {{0, 0}, {kMaxCpuSeconds, 0}};
  setitimer(ITIMER_PROF, &most, nullptr);
  int value = 0;
  for (size_t i = 0; value == 0 && i < call.cores->count; ++i) {
    const cpu_set_t& cores = call.cores->kinds[i].cores;
    // Of a machine with one kind there is nothing to choose.
    if (call.cores->count > 1) sched_setaffinity(0, sizeof(cores), &cores);
    value = call.run(call.arg);
  }
  return value;
}

// Those of the cores that this thread may use.
const KindsOfCores* FindKindsOfCores() {
  std::vector<CpuCore> cores = ReadCpuCores();
  RemoveForbidden(&cores);
  auto* const found = new KindsOfCores;
  for (const CpuCore& core : cores) {
    size_t i = 0;
    while (i < found->count && found->kinds[i].max_khz != core.max_khz) ++i;
    if (i == KindsOfCores::kMax) --i;
    if (i == found->count) {
      found->kinds[i].max_khz = core.max_khz;
      CPU_ZERO(&found->kinds[i].cores);
      ++found->count;
    }
    CPU_SET(core.id, &found->kinds[i].cores);
  }
  return found;
}

ProbeResult ResultOf(int status) {
  using End = ProbeResult::End;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    for (const int fault : kFaults) {
      if (signal == fault) return {End::kFaulted, signal};
    }
    return {End::kNotRun, signal};
  }
  const int code = WEXITSTATUS(status);
  if (code >= kFirstSignal) return {End::kFaulted, code - kFirstSignal};
  return {End::kReturned, code};
}

}  // namespace

ProbeResult RunInProbe(int (*run)(const void* arg), const void* arg) {
  static const KindsOfCores* const cores = FindKindsOfCores();
  const int error = errno;
  void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return {ProbeResult::End::kNotRun, 0};
  ProbeCall call = {run, arg, cores};
  KernelMask old;
  // The app's handlers must not run in the process.
  SetMask({~uint64_t{0}}, &old);
  void* const top = static_cast<char*>(stack) + kStackBytes;
  constexpr int kFlags = CLONE_VM | CLONE_VFORK;
  pid_t child = clone(InProbe, top, kFlags, &call);
  // Emulators of user space know no process that ends without a signal.
  if (child < 0 && errno == EINVAL) {
    child = clone(InProbe, top, kFlags | SIGCHLD, &call);
  }
  ProbeResult result = {ProbeResult::End::kNotAllowed, 0};
  if (child < 0 && (errno == EAGAIN || errno == ENOMEM)) {
    result.end = ProbeResult::End::kNotRun;
  }
  int status = 0;
  pid_t waited = -1;
  if (child > 0) {
    do {
      waited = waitpid(child, &status, __WALL);
    } while (waited < 0 && errno == EINTR);
    result = waited == child ? ResultOf(status)
                             : ProbeResult{ProbeResult::End::kNotRun, 0};
  }
  SetMask(old, nullptr);
  FreeStack(stack, kStackBytes);
  errno = error;
  return result;
}

}  // namespace mace
