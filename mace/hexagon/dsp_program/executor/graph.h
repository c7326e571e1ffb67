// Graph: a checked graph on the DSP, and the table of its ops.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled for the DSP, and for the host, where tests and fuzzers run the same
// checks. Uses no heap and no library.
#ifndef MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_GRAPH_H_
#define MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/messages.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

struct PoolMemory {
  uint8_t* base = nullptr;
  uint32_t bytes = 0;
};

struct Graph;

// The units [begin, end) of a node's work.
struct Share {
  int32_t begin, end;
};

// A node as its op sees it.
struct NodeView {
  const Graph* graph = nullptr;
  const int32_t* operands = nullptr;  // checked indices of tensors
  const int32_t* params = nullptr;
  // The node runs as so many slices, each on a hardware thread; this is one.
  int32_t slice = 0, slices = 1;

  // This slice's share of `units` units of the node's work.
  Share ShareOf(int32_t units) const {
    const int32_t each = units / slices, more = units - each * slices;
    const int32_t begin = each * slice + (slice < more ? slice : more);
    return {begin, begin + each + (slice < more ? 1 : 0)};
  }
  // This slice's part of the scratch, of which all have `bytes` bytes.
  uint8_t* scratch(int i, uint64_t bytes) const;
  const TensorRecord& tensor(int i) const;
  uint32_t bytes(int i) const { return tensor(i).bytes; }
  uint8_t* data(int i) const;
  template <typename T>
  T* as(int i) const {
    return reinterpret_cast<T*>(data(i));
  }
  // Params as a struct of int32 members.
  template <typename P>
  const P& get() const {
    return *reinterpret_cast<const P*>(params);
  }
};

// An op: a file in executor/ops.
struct OpDef {
  uint32_t inputs;   // operands that are read come first,
  uint32_t outputs;  // then those that are written,
  uint32_t scratch;  // then the node's own scratch
  uint32_t parameters;
  // Operands from this one on must be constants, up to the outputs.
  uint32_t first_constant;
  // Whether the parameters make sense and every operand has the bytes that Run
  // reads and writes, the scratch for all slices. Adds the node's multiply-adds
  // or bytes to `*work`.
  DspError (*check)(const NodeView& node, uint64_t* work);
  // Computes the slice of the view. Slices read nothing that another one
  // writes, and write other bytes. Null on the host.
  void (*run)(const NodeView& node);
};

// Indexed by OpCode.
extern const OpDef* const kOps[kNumOpCodes];

#if defined(__hexagon__)
#define MACE_DSP_RUN(function) function
#else
#define MACE_DSP_RUN(function) nullptr
#endif

struct Graph {
  bool in_use = false;
  uint32_t buffer = 0;
  PoolMemory pools[kNumPools];
  uint32_t num_tensors = 0, num_nodes = 0, num_words = 0;
  int32_t slices = 1;  // of each node
  TensorRecord tensors[kMaxTensors];
  NodeRecord nodes[kMaxNodes];
  int32_t words[kMaxWords];
  PerfRecord perf[kMaxNodes];
  bool is_written[kMaxTensors];

  NodeView View(uint32_t node) const {
    const NodeRecord& n = nodes[node];
    const int32_t* at = words + n.first_word;
    return {this, at, at + n.operands, 0, slices};
  }
};

inline const TensorRecord& NodeView::tensor(int i) const {
  return graph->tensors[operands[i]];
}

inline uint8_t* NodeView::data(int i) const {
  const TensorRecord& t = tensor(i);
  return graph->pools[t.pool].base + t.offset;
}

// What the scratch of all slices takes, if one has `bytes` bytes.
inline uint64_t ScratchBytes(uint64_t bytes, int32_t slices) {
  return Times(RoundUp(bytes, kTensorAlignment), static_cast<uint64_t>(slices));
}

inline uint8_t* NodeView::scratch(int i, uint64_t bytes) const {
  return data(i) + slice * RoundUp(bytes, kTensorAlignment);
}

// Copies the graph at `offset` of pools[kDdr] and checks it. After an error,
// `*place` is the tensor or node at fault.
DspError CreateGraph(const PoolMemory* pools, uint32_t offset, uint32_t bytes,
                     Graph* graph, uint32_t* place);

// Runs a graph that CreateGraph accepted.
DspError RunGraph(Graph* graph, uint32_t first, uint32_t end);

// Packets that the processor has executed, modulo 2^32; 0 on the host.
uint32_t PacketCount();

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_GRAPH_H_
