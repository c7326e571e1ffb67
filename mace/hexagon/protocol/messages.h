// The messages between the host and the executor on the DSP: one of a fixed
// size each way for every request.
// SPDX-License-Identifier: Apache-2.0
//
// Everything is little endian. This header is compiled for the host and for the
// DSP, so it includes nothing but <stdint.h>.
#ifndef MACE_HEXAGON_PROTOCOL_MESSAGES_H_
#define MACE_HEXAGON_PROTOCOL_MESSAGES_H_

#include <stdint.h>

namespace mace::hexagon {

constexpr uint32_t kMessageMagic = 0x5053444d;  // "MDSP"
// Both sides must have the same; it changes with every change of this header,
// of graph_format.h, and of what an op's parameters mean.
constexpr uint32_t kProtocolVersion = 5;

enum Command : uint32_t {
  kHello = 1,     // -> args: the DSP's kProtocolVersion, bytes of VTCM, maximum
                  // number of graphs, hardware threads
  kAttach = 2,    // process, file descriptor, bytes (1 to 2^30) -> buffer
  kDetach = 3,    // buffer: no graph may be in it
  kCreate = 4,    // buffer, offset, bytes -> graph
  kRun = 5,       // graph, first node, nodes (0: all that follow) -> packets
  kPerf = 6,      // graph, offset, a multiple of 8, in the graph's buffer: a
                  // PerfRecord for each node is written there
  kTeardown = 7,  // graph
  kQuit = 8,
};

// What is wrong with a request; 0: nothing.
enum DspError : uint32_t {
  kDspOk = 0,
  kBadMagic,
  kBadVersion,
  kBadCommand,
  kBadBuffer,  // no such buffer, it is in use, or its size
  kBadGraph,   // no such graph
  kTooManyBuffers,
  kTooManyGraphs,
  kMapFailed,  // the memory cannot be mapped
  kBadHeader,  // of a graph: magic, version, slices, offset, or sizes that do
               // not add up
  kTooLarge,   // more tensors, nodes or words than the executor can hold
  kBadTensor,  // its pool, kind, offset or size
  kBadNode,    // its words or its number of operands; of kRun: no such nodes
  kUnknownOp,
  kBadOperand,    // no such tensor, a wrong kind, or read before it is written
  kBadParameter,  // of a node
  kBadSize,       // an operand is smaller than the parameters demand; of kPerf:
                  // the records do not fit the buffer
  kTooMuchWork,   // more than kMaxWork
  kNoKernels,     // this build checks graphs and runs none
  kNumDspErrors,
};

struct Message {
  uint32_t magic = kMessageMagic;
  uint32_t version = kProtocolVersion;
  uint32_t command = 0;
  uint32_t sequence = 0;  // the answer has that of the request
  uint32_t args[8] = {};
  uint32_t error = 0;  // DspError, in answers
  uint32_t place = 0;  // of an error of kCreate: the node or tensor
  uint32_t unused[2] = {};
};
static_assert(sizeof(Message) == 64, "a message has 64 bytes");

// What a node cost. In emulation packets of instructions are counted; on a DSP
// it would be cycles.
struct PerfRecord {
  uint32_t runs = 0;  // since the graph was created
  // Of the latest run:
  uint32_t packets = 0;     // of all slices
  uint32_t longest = 0;     // packets of the slice that took most
  uint32_t prefetches = 0;  // of blocks of memory, into the cache
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_MESSAGES_H_
