// Server: answers the messages of one host.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DSP_PROGRAM_MAIN_SERVER_H_
#define MACE_HEXAGON_DSP_PROGRAM_MAIN_SERVER_H_

#include <stdint.h>

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/messages.h"

namespace mace::hexagon {

// How memory of the host becomes the executor's: differs between transports.
// Both functions must be set before the first message.
struct Mapper {
  // Maps `bytes` bytes of the host's memory, to read and to write; returns null
  // if that fails. `process` and `file` are what SharedBuffer::Describe wrote,
  // and mean what the transport makes of them. The result is aligned to
  // kTensorAlignment.
  uint8_t* (*map)(uint32_t process, uint32_t file, uint32_t bytes);
  // Ends a mapping, with the address and the bytes of its `map`.
  void (*unmap)(uint8_t* at, uint32_t bytes);
};

// The state of the executor: buffers of the host that are mapped, and graphs in
// them. About 13 MB, because nothing is allocated: it must be a static or heap
// object, zero-initialized. Not thread-safe: messages are answered one by one.
struct Server {
  Mapper mapper;
  // Memory of kVtcm, of at least kVtcmBytes, which all graphs share. Set before
  // the first message.
  PoolMemory vtcm;
  uint32_t threads = 1;  // of the hardware: what kHello answers
  // By the number that kAttach answered; a null base is a free entry.
  PoolMemory buffers[kMaxBuffers];
  // By the number that kCreate answered; only those with in_use exist.
  Graph graphs[kMaxGraphs];

  // Turns a request into its answer (protocol/messages.h), in place: sets
  // `magic`, `version`, `error`, `place` (0 except for kCreate), and the args
  // that the command answers with; the rest stays. Accepts any bytes as a
  // request. After an error there are the same buffers and graphs as before.
  // kQuit only succeeds: the caller ends the program.
  void Answer(Message* message);

 private:
  // One for each command; those with a pointer write args.
  DspError Attach(Message* message);
  DspError Detach(const Message& message);
  DspError Create(Message* message);
  DspError Run(Message* message);
  DspError Perf(const Message& message);
  DspError Teardown(const Message& message);
  DspError Dispatch(Message* message);
  // The graph of this number, or null if there is none.
  Graph* Find(uint32_t graph);
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_MAIN_SERVER_H_
