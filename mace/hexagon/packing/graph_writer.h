// GraphWriter: puts a graph for the DSP together and plans its memory.
// SPDX-License-Identifier: Apache-2.0
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

// Where a part of a graph lies in the shared buffer.
struct BufferRange {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

// Tensors and nodes are added first; then Plan, then WriteTo. Tensors are named
// by their index.
class GraphWriter {
 public:
  // Each node runs as `slices` slices. REQUIRES: 1 <= slices <= kMaxSlices.
  explicit GraphWriter(int slices = 1) : slices_(slices) {}

  int AddInput(int64_t bytes) { return Add(kInput, bytes); }
  int AddOutput(int64_t bytes) { return Add(kOutput, bytes); }
  int AddInner(int64_t bytes) { return Add(kInner, bytes); }
  // Memory of one node, `bytes` bytes for each slice; in VTCM if it fits there.
  int AddScratch(int64_t bytes) { return Add(kScratch, OfSlices(bytes)); }
  bool FitsVtcm(int64_t bytes) const;
  // `data` must stay valid until WriteTo.
  int AddConstant(const void* data, int64_t bytes);
  int AddConstant(AlignedBuffer buffer);

  // Nodes run in the order in which they are added. `params` is a struct of
  // protocol/ops.h.
  template <typename P>
  void AddNode(OpCode op, const std::vector<int>& operands, const P& params) {
    static_assert(sizeof(P) % sizeof(int32_t) == 0, "words");
    AddNode(op, operands, reinterpret_cast<const int32_t*>(&params),
            sizeof(P) / sizeof(int32_t));
  }

  // Gives every tensor its place. Errors: MACE_OUT_OF_RESOURCES if the graph
  // has more tensors, nodes or bytes than the DSP has room for.
  Status Plan();

  // After Plan: bytes of the shared buffer, which the graph's text begins.
  uint32_t buffer_bytes() const { return buffer_bytes_; }
  uint32_t text_bytes() const;
  BufferRange range(int tensor) const {
    return {tensors_[tensor].record.offset, tensors_[tensor].record.bytes};
  }
  // What scratch and inner tensors take in VTCM and in the shared buffer.
  uint32_t vtcm_bytes() const { return vtcm_bytes_; }
  uint32_t arena_bytes() const { return arena_bytes_; }
  int slices() const { return slices_; }
  size_t num_nodes() const { return nodes_.size(); }

  // Writes the text and the constants. `buffer` has buffer_bytes().
  void WriteTo(uint8_t* buffer) const;

 private:
  struct Tensor {
    TensorRecord record;
    int64_t bytes = 0;
    const void* data = nullptr;     // of constants
    int64_t first = -1, last = -1;  // nodes that use it
  };

  int Add(TensorKind kind, int64_t bytes);
  int64_t OfSlices(int64_t bytes) const;
  void AddNode(OpCode op, const std::vector<int>& operands,
               const int32_t* params, size_t num_params);
  Status CheckCounts() const;
  // Places the tensors of a pool from `begin` on; `*bytes` is what they take.
  Status PlanPool(Pool pool, int64_t begin, int64_t* bytes);
  // Puts scratch and inner tensors into VTCM or DDR.
  Status PlanInner(int64_t* end);
  std::vector<int> ChooseForVtcm() const;

  int slices_;
  std::vector<Tensor> tensors_;
  std::vector<NodeRecord> nodes_;
  std::vector<int32_t> words_;
  std::vector<AlignedBuffer> owned_;
  uint32_t buffer_bytes_ = 0;
  uint32_t vtcm_bytes_ = 0;
  uint32_t arena_bytes_ = 0;
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_GRAPH_WRITER_H_
