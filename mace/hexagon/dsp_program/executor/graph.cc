// Reading graphs that the host wrote, and running them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/prefetch.h"
#endif

namespace mace::hexagon {
namespace {

#if !defined(__hexagon__)
constexpr uint32_t prefetch_count = 0;
#endif

template <typename T>
void CopyRecords(const uint8_t* from, uint32_t count, T* to) {
  const auto* words = reinterpret_cast<const uint32_t*>(from);
  auto* target = reinterpret_cast<uint32_t*>(to);
  for (size_t i = 0; i < count * (sizeof(T) / 4); ++i) target[i] = words[i];
}

DspError ReadRecords(const PoolMemory& ddr, uint32_t offset, uint32_t bytes,
                     Graph* graph) {
  if (offset % kTensorAlignment != 0 || offset > ddr.bytes ||
      bytes > ddr.bytes - offset || bytes < sizeof(GraphHeader)) {
    return kBadHeader;
  }
  const uint8_t* at = ddr.base + offset;
  GraphHeader header;
  CopyRecords(at, 1, &header);
  if (header.magic != kGraphMagic || header.version != kProtocolVersion) {
    return kBadHeader;
  }
  if (header.tensors > kMaxTensors || header.nodes > kMaxNodes ||
      header.words > kMaxWords) {
    return kTooLarge;
  }
  if (header.slices < 1 || header.slices > kMaxSlices) return kBadHeader;
  const uint32_t total =
      sizeof(GraphHeader) + header.tensors * sizeof(TensorRecord) +
      header.nodes * sizeof(NodeRecord) + header.words * sizeof(int32_t);
  if (header.bytes != total || bytes != total) return kBadHeader;
  at += sizeof(GraphHeader);
  CopyRecords(at, header.tensors, graph->tensors);
  at += header.tensors * sizeof(TensorRecord);
  CopyRecords(at, header.nodes, graph->nodes);
  at += header.nodes * sizeof(NodeRecord);
  CopyRecords(at, header.words, graph->words);
  graph->num_tensors = header.tensors;
  graph->num_nodes = header.nodes;
  graph->num_words = header.words;
  graph->slices = static_cast<int32_t>(header.slices);
  return kDspOk;
}

DspError CheckTensor(const Graph& graph, const TensorRecord& t) {
  if (t.pool >= kNumPools || t.kind >= kNumTensorKinds) return kBadTensor;
  const bool is_shared = t.kind <= kOutput;
  if (is_shared && t.pool != kDdr) return kBadTensor;
  const uint64_t end = uint64_t{t.offset} + t.bytes + kReadSlack;
  if (t.offset % kTensorAlignment != 0 || end > graph.pools[t.pool].bytes) {
    return kBadTensor;
  }
  return kDspOk;
}

// What a node reads must have been written before, and it writes no constants
// and inputs.
DspError CheckOperands(Graph* graph, const NodeRecord& node, const OpDef& op) {
  const int32_t* ids = graph->words + node.first_word;
  for (uint32_t i = 0; i < node.operands; ++i) {
    if (ids[i] < 0 || static_cast<uint32_t>(ids[i]) >= graph->num_tensors) {
      return kBadOperand;
    }
    const uint32_t kind = graph->tensors[ids[i]].kind;
    if (i < op.inputs) {
      if (i >= op.first_constant ? kind != kConstant
                                 : !graph->is_written[ids[i]]) {
        return kBadOperand;
      }
    } else if (i < op.inputs + op.outputs) {
      if (kind != kInner && kind != kOutput) return kBadOperand;
    } else if (kind != kScratch) {
      return kBadOperand;
    }
  }
  return kDspOk;
}

DspError CheckNode(Graph* graph, uint32_t i, uint64_t* work) {
  const NodeRecord& node = graph->nodes[i];
  if (node.op >= kNumOpCodes) return kUnknownOp;
  const OpDef& op = *kOps[node.op];
  if (node.operands != op.inputs + op.outputs + op.scratch ||
      node.parameters != op.parameters || node.first_word > graph->num_words ||
      node.operands + node.parameters > graph->num_words - node.first_word) {
    return kBadNode;
  }
  DspError error = CheckOperands(graph, node, op);
  if (error != kDspOk) return error;
  const NodeView view = graph->View(i);
  uint64_t of_node = 0;
  error = op.check(view, &of_node);
  if (error != kDspOk) return error;
  if (of_node > kMaxWork - *work) return kTooMuchWork;
  *work += of_node;
  for (uint32_t k = op.inputs; k < op.inputs + op.outputs; ++k) {
    graph->is_written[view.operands[k]] = true;
  }
  return kDspOk;
}

}  // namespace

DspError CreateGraph(const PoolMemory* pools, uint32_t offset, uint32_t bytes,
                     Graph* graph, uint32_t* place) {
  *place = 0;
  for (uint32_t p = 0; p < kNumPools; ++p) graph->pools[p] = pools[p];
  DspError error = ReadRecords(pools[kDdr], offset, bytes, graph);
  if (error != kDspOk) return error;
  for (uint32_t i = 0; i < graph->num_tensors; ++i) {
    *place = i;
    const TensorRecord& tensor = graph->tensors[i];
    error = CheckTensor(*graph, tensor);
    if (error != kDspOk) return error;
    graph->is_written[i] = tensor.kind == kConstant || tensor.kind == kInput;
  }
  uint64_t work = 0;
  for (uint32_t i = 0; i < graph->num_nodes; ++i) {
    *place = i;
    error = CheckNode(graph, i, &work);
    if (error != kDspOk) return error;
    graph->perf[i] = {};
  }
  return kDspOk;
}

DspError RunGraph(Graph* graph, uint32_t first, uint32_t end) {
  if (first > end || end > graph->num_nodes) return kBadNode;
  for (uint32_t i = first; i < end; ++i) {
    const OpDef& op = *kOps[graph->nodes[i].op];
    if (op.run == nullptr) return kNoKernels;
    PerfRecord perf = {graph->perf[i].runs + 1, 0, 0, 0};
    const uint32_t prefetches = prefetch_count;
    NodeView view = graph->View(i);
    for (; view.slice < view.slices; ++view.slice) {
      const uint32_t before = PacketCount();
      op.run(view);
      const uint32_t packets = PacketCount() - before;
      perf.packets += packets;
      if (packets > perf.longest) perf.longest = packets;
    }
    perf.prefetches = prefetch_count - prefetches;
    graph->perf[i] = perf;
  }
  return kDspOk;
}

#if !defined(__hexagon__)
uint32_t PacketCount() { return 0; }
#endif

}  // namespace mace::hexagon
