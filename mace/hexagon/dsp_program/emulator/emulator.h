// The transport to an executor under qemu-hexagon, in a process of its own. For
// development and tests: release libraries do not contain it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DSP_PROGRAM_EMULATOR_EMULATOR_H_
#define MACE_HEXAGON_DSP_PROGRAM_EMULATOR_EMULATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/hexagon/session/session.h"

namespace mace::hexagon {

struct EmulatorOptions {
  // The emulator and its arguments; the first is looked up in PATH.
  std::vector<std::string> command = {"qemu-hexagon"};
  std::string program;      // the executor: mace_dsp.elf
  int timeout_ms = 60'000;  // of one request, the start included
};

// Starts the emulator. It ends with the transport; also if this process dies.
// A request that is not answered in time ends it. Errors: MACE_UNSUPPORTED if
// the emulator or the program is not there, with the cure; MACE_INVALID_ARGS if
// the command is empty; MACE_OUT_OF_RESOURCES.
Result<std::unique_ptr<Transport>> StartEmulator(
    const EmulatorOptions& options);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_EMULATOR_EMULATOR_H_
