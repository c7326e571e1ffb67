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

// The executor that Bazel built.
std::string ProgramPath();
EmulatorOptions DefaultEmulator();

// A session of the process, which all tests share.
Session* SharedSession();

struct EmulatedRun {
  Bytes output;
  uint32_t packets = 0;
  std::vector<PerfRecord> perf;
};

// Runs a graph once. `inputs` and `output` are tensors of the writer.
Result<EmulatedRun> RunOnce(GraphWriter* writer,
                            const std::vector<std::pair<int, Bytes>>& inputs,
                            int output);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_EMULATED_DSP_H_
