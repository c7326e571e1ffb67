// EmulatedDsp: runs graphs on the executor under qemu-hexagon, for tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_TESTING_EMULATED_DSP_H_
#define MACE_HEXAGON_TESTING_EMULATED_DSP_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/hexagon/dsp_program/emulator/emulator.h"
#include "mace/hexagon/session/session.h"
#include "mace/hexagon/testing/random.h"

namespace mace::hexagon::testing {

// The executor that Bazel built, or that of $MACE_DSP_PROGRAM. Relative to the
// folder in which Bazel runs tests.
std::string ProgramPath();
// Returns options that run it under qemu-hexagon, with a timeout (180 s) for
// whole networks on a busy machine.
EmulatorOptions DefaultEmulator();

// A session of the process, which all tests share; made by the first call, and
// never ended. Null if the emulator does not start or Session::Create fails.
Session* SharedSession();

// What a run gave: the bytes of the output, and what was counted
// (DspGraph::packets, Perf).
struct EmulatedRun {
  Bytes output;
  uint32_t packets = 0;
  std::vector<PerfRecord> perf;
};

// Plans a graph, hands it over and runs it once. `inputs` are tensors of the
// writer with their bytes; `output` is one that the graph writes. Errors: as
// Plan and DspGraph; MACE_RUNTIME_ERROR if there is no SharedSession;
// MACE_INTERNAL_ERROR if one of the kReadSlack bytes behind the output was
// written.
Result<EmulatedRun> RunOnce(GraphWriter* writer,
                            const std::vector<std::pair<int, Bytes>>& inputs,
                            int output);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_EMULATED_DSP_H_
