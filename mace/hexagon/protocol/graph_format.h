// How a graph is written for the DSP: a header, tensors, nodes, and words.
// SPDX-License-Identifier: Apache-2.0
//
//   GraphHeader | TensorRecord[tensors] | NodeRecord[nodes] | int32[words]
//
// All is little endian, without gaps, from a multiple of kTensorAlignment on.
// The host plans all memory: each tensor has an offset in one of two pools, the
// shared buffer that holds this text too (DDR), and the DSP's own fast memory
// (VTCM). Nodes run in their order. A node's words are its operands, which are
// indices of tensors, and then its parameters:
//
//   NodeRecord{op, first_word, operands = 3, parameters = 1}
//                    |
//   words:  ...      x, table, y, bytes    ...          (kLookup)
//
// GraphWriter writes it, CreateGraph of the executor reads and checks it.
#ifndef MACE_HEXAGON_PROTOCOL_GRAPH_FORMAT_H_
#define MACE_HEXAGON_PROTOCOL_GRAPH_FORMAT_H_

#include <stdint.h>

namespace mace::hexagon {

constexpr uint32_t kGraphMagic = 0x4750534d;  // "MSPG"

// The capacity of the executor, which allocates nothing.
constexpr uint32_t kMaxTensors = 4096;
constexpr uint32_t kMaxNodes = 2048;
constexpr uint32_t kMaxWords = 65536;
constexpr uint32_t kMaxGraphs = 32;
constexpr uint32_t kMaxBuffers = 64;
// Slices of a node: the hardware threads with vectors of a v66.
constexpr uint32_t kMaxSlices = 4;
// VTCM that the host plans with; a DSP with less is refused (Session::Create).
constexpr uint32_t kVtcmBytes = 256 * 1024;

// Tensors begin at multiples of it: the length of a vector.
constexpr uint32_t kTensorAlignment = 128;
// Kernels may read up to kReadSlack bytes past a tensor's end, which must be in
// its pool. They write nothing there.
constexpr uint32_t kReadSlack = 256;
// The maximum sum over all nodes of a graph of their multiply-adds or moved
// bytes; more is an error. It bounds how long a bad graph can occupy the DSP.
constexpr uint64_t kMaxWork = uint64_t{1} << 38;

// VTCM holds inner tensors and scratch only: the host cannot reach it.
enum Pool : uint32_t { kDdr = 0, kVtcm = 1, kNumPools = 2 };

enum TensorKind : uint32_t {
  kConstant = 0,  // in DDR; the host fills it in before kCreate
  kInput = 1,     // in DDR; the host fills it in before its first reader runs
  kOutput = 2,    // in DDR; nodes write it and may read it
  kInner = 3,     // nodes write it and read it
  kScratch = 4,   // of one node, which needs no value from before
  kNumTensorKinds = 5,
};

struct GraphHeader {
  uint32_t magic = kGraphMagic;
  uint32_t version = 0;  // kProtocolVersion
  uint32_t bytes = 0;    // of all that follows, and of this
  uint32_t tensors = 0;
  uint32_t nodes = 0;
  uint32_t words = 0;
  uint32_t slices = 1;  // in which each node runs, at most kMaxSlices
  uint32_t unused = 0;
};

struct TensorRecord {
  uint32_t pool = 0;  // Pool
  // In bytes from the start of the pool, a multiple of kTensorAlignment.
  uint32_t offset = 0;
  uint32_t bytes = 0;
  // TensorKind.
  uint32_t kind = 0;
};

struct NodeRecord {
  uint32_t op = 0;  // OpCode
  uint32_t first_word = 0;
  // How many words are operands, and how many after them parameters. Both are
  // fixed by the op (OpDef).
  uint32_t operands = 0;
  uint32_t parameters = 0;
};

// Numbers of ops are stable: a new op gets the next one.
enum OpCode : uint32_t {
  kConv = 0,
  kDepthwise = 1,
  kPool = 2,
  kBinary = 3,
  kLookup = 4,
  kFill = 5,
  kMove = 6,
  kGather = 7,
  kReduce = 8,
  kSoftmax = 9,
  kResizeBilinear = 10,
  kMatMul = 11,
  kArgMax = 12,
  kQuantize = 13,
  kLookupWords = 14,
  kResizeBilinearReal = 15,
  kNumOpCodes = 16,
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_GRAPH_FORMAT_H_
