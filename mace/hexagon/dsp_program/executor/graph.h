// Graph: a checked graph on the DSP, and the table of its ops.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled for the DSP, and for the host, where tests and fuzzers run the same
// checks. Uses no heap and no library.
//
// The host is not trusted: CreateGraph copies all records out of the shared
// buffer before it checks them, so that later writes of the host cannot undo a
// check. Only the bytes of tensors stay in memory that the host can change;
// kernels must not derive an address from such a byte without limiting it.
#ifndef MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_GRAPH_H_
#define MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/messages.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

// Memory of a pool as the executor has mapped it: not owned, aligned to
// kTensorAlignment, and valid for as long as a graph in it.
struct PoolMemory {
  uint8_t* base = nullptr;
  uint32_t bytes = 0;
};

struct Graph;

// The units [begin, end) of a node's work.
struct Share {
  int32_t begin, end;
};

// A node as its op sees it. Operands are numbered as in the comment of the op's
// parameters (protocol/ops.h): inputs, then outputs, then scratch. A view is
// valid while its graph is.
struct NodeView {
  const Graph* graph = nullptr;
  const int32_t* operands = nullptr;  // checked indices of tensors
  const int32_t* params = nullptr;
  // The node runs as `slices` slices, which may run at the same time on
  // hardware threads; this view is of slice `slice`. RunGraph runs them one
  // after the other.
  int32_t slice = 0, slices = 1;

  // This slice's share of `units` units of the node's work: consecutive units,
  // the first slices having one more if it does not come out even. Empty for
  // some slices if there are fewer units than slices.
  Share ShareOf(int32_t units) const {
    const int32_t each = units / slices, more = units - each * slices;
    const int32_t begin = each * slice + (slice < more ? slice : more);
    return {begin, begin + each + (slice < more ? 1 : 0)};
  }
  // This slice's part of scratch operand `i`, of which each slice has `bytes`
  // bytes: the one that ScratchBytes was called with. Aligned to
  // kTensorAlignment.
  uint8_t* scratch(int i, uint64_t bytes) const;
  const TensorRecord& tensor(int i) const;
  uint32_t bytes(int i) const { return tensor(i).bytes; }
  // The first byte of operand `i`, aligned to kTensorAlignment. kReadSlack
  // bytes past the end may be read.
  uint8_t* data(int i) const;
  template <typename T>
  T* as(int i) const {
    return reinterpret_cast<T*>(data(i));
  }
  // The parameters as the struct of protocol/ops.h for this op. Checked only
  // once `check` has accepted them.
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
  // Inputs from this one on must be constants, which the host has packed or
  // computed; equal to `inputs` if none has to be.
  uint32_t first_constant;
  // Checks that the parameters make sense and that every operand has the bytes
  // that `run` reads and writes, the scratch for all slices. Must be safe for
  // any 32-bit parameters: sizes are computed with the functions of
  // protocol/sizes.h. Sets `*work` to the node's multiply-adds or bytes, which
  // bound its time. Errors: kBadParameter; kBadSize.
  DspError (*check)(const NodeView& node, uint64_t* work);
  // Computes the slice of the view. Slices read nothing that another one
  // writes, and write other bytes. Null on the host, which has no vector unit.
  // REQUIRES: `check` accepted the node.
  void (*run)(const NodeView& node);
};

// Indexed by OpCode.
extern const OpDef* const kOps[kNumOpCodes];

// A kernel for OpDef::run: the function on the DSP, null on the host, where it
// need not be declared.
#if defined(__hexagon__)
#define MACE_DSP_RUN(function) function
#else
#define MACE_DSP_RUN(function) nullptr
#endif

// A graph that CreateGraph fills and checks. It has about 400 KB, too much for
// the stack of the DSP: there, graphs are part of the Server, a static object.
struct Graph {
  // Set by the Server: whether this entry is taken, and the index of its
  // buffer.
  bool in_use = false;
  uint32_t buffer = 0;
  // By Pool. The records below name memory by pool and offset.
  PoolMemory pools[kNumPools];
  uint32_t num_tensors = 0, num_nodes = 0, num_words = 0;
  int32_t slices = 1;  // of each node
  TensorRecord tensors[kMaxTensors];
  NodeRecord nodes[kMaxNodes];
  int32_t words[kMaxWords];
  // By node.
  PerfRecord perf[kMaxNodes];
  // While the graph is checked: whether a tensor has a value before the node
  // that is being checked. Constants and inputs have from the start.
  bool is_written[kMaxTensors];

  // A view of the node's slice 0. REQUIRES: the node's words lie within
  // num_words.
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

// Bytes of the scratch of all slices, if one has `bytes` bytes: each begins at
// a multiple of kTensorAlignment. kHuge if that is too large.
inline uint64_t ScratchBytes(uint64_t bytes, int32_t slices) {
  return Times(RoundUp(bytes, kTensorAlignment), static_cast<uint64_t>(slices));
}

inline uint8_t* NodeView::scratch(int i, uint64_t bytes) const {
  return data(i) + slice * RoundUp(bytes, kTensorAlignment);
}

// Copies the graph of `bytes` bytes at `offset` of pools[kDdr] to `*graph` and
// checks it: that tensors with their slack lie in their pools, that nodes read
// only what is constant, an input, or written by an earlier node, that they
// write neither constants nor inputs, what each op checks, and that all work is
// at most kMaxWork. It does not check that tensors lie apart; if they overlap,
// values are wrong, but no access leaves a pool. `pools` has kNumPools
// elements. Ignores in_use and buffer. After an error `*graph` must not be run,
// and `*place` is the tensor or node at fault (0 if it is the header). Errors:
// kBadHeader, kTooLarge, kBadTensor, kBadNode, kUnknownOp, kBadOperand,
// kBadParameter, kBadSize, kTooMuchWork.
DspError CreateGraph(const PoolMemory* pools, uint32_t offset, uint32_t bytes,
                     Graph* graph, uint32_t* place);

// Runs nodes [first, end) of a graph that CreateGraph accepted, in their order,
// and records their packets and prefetches. Not thread-safe: graphs share the
// memory of kVtcm. Errors: kBadNode if there are no such nodes; kNoKernels on
// the host if first < end.
DspError RunGraph(Graph* graph, uint32_t first, uint32_t end);

// Packets that the processor has executed, modulo 2^32; 0 on the host.
uint32_t PacketCount();

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_GRAPH_H_
