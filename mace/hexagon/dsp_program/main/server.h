// Server: answers the messages of one host.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DSP_PROGRAM_MAIN_SERVER_H_
#define MACE_HEXAGON_DSP_PROGRAM_MAIN_SERVER_H_

#include <stdint.h>

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/messages.h"

namespace mace::hexagon {

// How memory of the host becomes the executor's: differs between transports.
struct Mapper {
  // Returns `bytes` bytes of the host's memory, or null.
  uint8_t* (*map)(uint32_t process, uint32_t file, uint32_t bytes);
  void (*unmap)(uint8_t* at, uint32_t bytes);
};

struct Server {
  Mapper mapper;
  PoolMemory vtcm;
  uint32_t threads = 1;  // of the hardware, which take a slice each
  PoolMemory buffers[kMaxBuffers];
  Graph graphs[kMaxGraphs];

  // Turns a request into its answer.
  void Answer(Message* message);

 private:
  DspError Attach(Message* message);
  DspError Detach(const Message& message);
  DspError Create(Message* message);
  DspError Run(Message* message);
  DspError Perf(const Message& message);
  DspError Teardown(const Message& message);
  DspError Dispatch(Message* message);
  Graph* Find(uint32_t graph);
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_MAIN_SERVER_H_
