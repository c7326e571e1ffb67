// Running graphs under qemu-hexagon.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/testing/emulated_dsp.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace mace::hexagon::testing {

std::string ProgramPath() {
  const char* given = std::getenv("MACE_DSP_PROGRAM");
  return given != nullptr ? given : "mace/hexagon/mace_dsp.elf";
}

EmulatorOptions DefaultEmulator() {
  EmulatorOptions options;
  options.program = ProgramPath();
  options.timeout_ms = 180000;  // for whole networks on a busy machine
  return options;
}

Session* SharedSession() {
  static const auto* session = [] {
    auto* made = new std::unique_ptr<Session>;
    auto transport = StartEmulator(DefaultEmulator());
    if (!transport.ok()) return made;
    auto created = Session::Create(std::move(*transport));
    if (created.ok()) *made = std::move(*created);
    return made;
  }();
  return session->get();
}

Result<EmulatedRun> RunOnce(GraphWriter* writer,
                            const std::vector<std::pair<int, Bytes>>& inputs,
                            int output) {
  Session* session = SharedSession();
  if (session == nullptr) return RuntimeError("the emulator does not start");
  MACE_RETURN_IF_ERROR(writer->Plan());
  MACE_ASSIGN_OR_RETURN(const auto graph, DspGraph::Create(session, *writer));
  for (const auto& [tensor, bytes] : inputs) {
    if (bytes.empty()) continue;
    std::memcpy(graph->at(writer->range(tensor)), bytes.data(), bytes.size());
  }
  const BufferRange out = writer->range(output);
  // What is not written shows, and so does what is written behind the end.
  std::memset(graph->at(out), 0xa5, out.bytes + kReadSlack);
  MACE_RETURN_IF_ERROR(graph->Run());
  EmulatedRun run;
  const uint8_t* at = graph->at(out);
  for (uint32_t i = 0; i < kReadSlack; ++i) {
    if (at[out.bytes + i] != 0xa5) {
      return InternalError("byte ", i, " behind the output was written");
    }
  }
  run.output.assign(at, at + out.bytes);
  run.packets = graph->packets();
  MACE_ASSIGN_OR_RETURN(run.perf, graph->Perf());
  return run;
}

}  // namespace mace::hexagon::testing
