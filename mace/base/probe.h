// Probe: runs code that may fault, so that the fault reaches nobody.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_PROBE_H_
#define MACE_BASE_PROBE_H_

namespace mace {

struct ProbeResult {
  enum class End {
    kReturned,
    kFaulted,     // by a signal such as SIGILL, or by SIGPROF: it took too long
    kNotRun,      // the machine had no memory or killed it: try again later
    kNotAllowed,  // this process must not create others
  };
  End end;
  // kReturned: what `run` returned, in [0, 63]; kFaulted: the signal.
  int value;
};

// Runs `run` in a process that lives for this call only and shares the memory
// of this one, as that of a vfork does. Signal handlers belong to a process, so
// that those of the app stay as they are while its other threads run. No
// SIGCHLD is sent, and the app's own wait() does not see the process, except
// under emulators that refuse such a process (clone fails with EINVAL).
//
// `run` may use 256 KiB of stack. It must not allocate, lock or log. It runs
// once on each kind of core of the machine (big, little; at most six kinds),
// until it does not return 0: there are machines whose cores differ in the
// instructions that they have. The cores are those that the thread of the
// process's first call could use.
ProbeResult RunInProbe(int (*run)(const void* arg), const void* arg);

}  // namespace mace

#endif  // MACE_BASE_PROBE_H_
