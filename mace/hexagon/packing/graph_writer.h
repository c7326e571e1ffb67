// GraphWriter: puts a graph for the DSP together and plans its memory.
// SPDX-License-Identifier: Apache-2.0
//
// The shared buffer after Plan; every tensor has kReadSlack bytes behind it:
//
//   | text | constants, inputs and outputs | arena: inner tensors and scratch |
//                                             those that are not in VTCM
#ifndef MACE_HEXAGON_PACKING_GRAPH_WRITER_H_
#define MACE_HEXAGON_PACKING_GRAPH_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

// Where a constant, an input or an output lies in the shared buffer.
struct BufferRange {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

// Tensors and nodes are added first; then Plan, then WriteTo. Tensors are named
// by their index, which the functions that add them return. Not thread-safe.
class GraphWriter {
 public:
  // Each node runs as `slices` slices. REQUIRES: 1 <= slices <= kMaxSlices.
  explicit GraphWriter(int slices = 1) : slices_(slices) {}

  // Each adds a tensor of `bytes` bytes. Inputs and outputs stay in the buffer.
  // Inner tensors share the memory of others that are not alive at the same
  // time: a tensor is alive from the first to the last node that has it as an
  // operand.
  int AddInput(int64_t bytes) { return Add(kInput, bytes); }
  int AddOutput(int64_t bytes) { return Add(kOutput, bytes); }
  int AddInner(int64_t bytes) { return Add(kInner, bytes); }
  // Memory of one node, `bytes` bytes for each slice; in VTCM if it fits there,
  // with precedence over inner tensors.
  int AddScratch(int64_t bytes) { return Add(kScratch, OfSlices(bytes)); }
  // Whether scratch of `bytes` bytes for each slice fits VTCM, if nothing else
  // is there.
  bool FitsVtcm(int64_t bytes) const;
  // Adds a constant. `data` is not copied and must stay valid until WriteTo;
  // the writer owns `buffer`.
  int AddConstant(const void* data, int64_t bytes);
  int AddConstant(AlignedBuffer buffer);

  // Adds a node. Nodes run in the order in which they are added, so what a node
  // reads must be written by one before. `params` is the struct of
  // protocol/ops.h for `op`; `operands` are the tensors in the order told
  // there. The DSP checks both when it gets the graph; nothing is checked here.
  template <typename P>
  void AddNode(OpCode op, const std::vector<int>& operands, const P& params) {
    static_assert(sizeof(P) % sizeof(int32_t) == 0, "words");
    AddNode(op, operands, reinterpret_cast<const int32_t*>(&params),
            sizeof(P) / sizeof(int32_t));
  }

  // Gives every tensor its offset. Scratch, and then inner tensors, those that
  // live shortest first, and of these the smallest, go to VTCM while they fit;
  // if gaps make them too large together, the last of them do not. Errors:
  // MACE_OUT_OF_RESOURCES if the graph has more tensors, nodes, words or bytes
  // (2^30) than the DSP can hold.
  Status Plan();

  // After Plan: bytes of the shared buffer, and of the graph's text at its
  // start, which kCreate is told.
  uint32_t buffer_bytes() const { return buffer_bytes_; }
  uint32_t text_bytes() const;
  // After Plan. REQUIRES: the tensor is a constant, an input or an output, as
  // others may be in VTCM.
  BufferRange range(int tensor) const {
    return {tensors_[tensor].record.offset, tensors_[tensor].record.bytes};
  }
  // What scratch and inner tensors take in VTCM and in the shared buffer.
  uint32_t vtcm_bytes() const { return vtcm_bytes_; }
  uint32_t arena_bytes() const { return arena_bytes_; }
  int slices() const { return slices_; }
  size_t num_nodes() const { return nodes_.size(); }

  // Writes the text and the constants; the other bytes stay. `buffer` has
  // buffer_bytes(). REQUIRES: Plan succeeded.
  void WriteTo(uint8_t* buffer) const;

 private:
  struct Tensor {
    TensorRecord record;
    int64_t bytes = 0;
    const void* data = nullptr;     // of constants
    int64_t first = -1, last = -1;  // nodes that use it; -1: none
  };

  int Add(TensorKind kind, int64_t bytes);
  // Bytes of scratch for all slices, each aligned as NodeView::scratch expects.
  int64_t OfSlices(int64_t bytes) const;
  void AddNode(OpCode op, const std::vector<int>& operands,
               const int32_t* params, size_t num_params);
  Status CheckCounts() const;
  // Gives the inner tensors and the scratch of a pool their offsets, from
  // `begin` on; `*bytes` is what they take. With the greedy planner of
  // mace/memory.
  Status PlanPool(Pool pool, int64_t begin, int64_t* bytes);
  // Puts scratch and inner tensors into VTCM, or into DDR from `*end` on, which
  // moves to the end of the buffer.
  Status PlanInner(int64_t* end);
  // Tensors that may be in VTCM together: while any node runs, the living ones
  // fit. The planner may still need more, because of gaps.
  std::vector<int> ChooseForVtcm() const;

  int slices_;
  std::vector<Tensor> tensors_;
  std::vector<NodeRecord> nodes_;
  std::vector<int32_t> words_;
  // Of AddConstant(AlignedBuffer); tensors_ points into them.
  std::vector<AlignedBuffer> owned_;
  uint32_t buffer_bytes_ = 0;
  uint32_t vtcm_bytes_ = 0;
  uint32_t arena_bytes_ = 0;
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_GRAPH_WRITER_H_
