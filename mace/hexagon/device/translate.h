// Translating nodes of the engine's graph into nodes of the DSP's.
// SPDX-License-Identifier: Apache-2.0
//
// A node becomes one or several nodes of protocol/ops.h, or none if it is a
// view. The same function answers whether the DSP can run it and adds it, so
// the two cannot differ.
#ifndef MACE_HEXAGON_DEVICE_TRANSLATE_H_
#define MACE_HEXAGON_DEVICE_TRANSLATE_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/node_kernels.h"
#include "mace/graph/node.h"
#include "mace/hexagon/packing/graph_writer.h"

namespace mace::hexagon {

// Where a node's translation goes.
struct Target {
  GraphWriter* writer = nullptr;  // null: only check whether the DSP can run it
  std::vector<int> inputs;        // tensors; -1: absent, or not ReadsTensor
  std::vector<int> outputs;
  int output = -1;              // the first of them
  NodeKernels* host = nullptr;  // computes tables; null: there is none
  bool fc_rounds_once = false;  // see CpuContext
};

// Whether an op's node can run on the DSP, and how. Sets `*macs` for
// convolutions, FullyConnected and MatMul; others leave it. Errors:
// MACE_UNSUPPORTED; MACE_OUT_OF_RESOURCES if memory for packed weights or
// tables runs out; of reading attributes. What it accepts without a writer, it
// accepts with one, unless memory runs out.
using Translator = Status(const Node& node, const Target& target,
                          int64_t* macs);

Translator TranslateConv2d, TranslateDepthwiseConv2d, TranslateFullyConnected;
Translator TranslatePooling, TranslateEltwise, TranslateSoftmax;
Translator TranslateConcat, TranslateReshape, TranslateStack;
Translator TranslateTranspose, TranslateSlice, TranslateStridedSlice;
Translator TranslateSplit, TranslateDepthToSpace, TranslateSpaceToDepth;
Translator TranslateChannelShuffle, TranslatePad;
Translator TranslateLookup, TranslateReduce, TranslateResize;
Translator TranslateDeconv2d, TranslateMatMul, TranslatePRelu, TranslateArgMax;
Translator TranslateQuantize, TranslateDequantize;
Translator TranslateBatchToSpace, TranslateSpaceToBatch;
Translator TranslateExpand, TranslateGather, TranslateTile;
Translator TranslateUnstack;

// As the translator of the node's op. Errors: also MACE_UNSUPPORTED for ops
// without one, a node without input 0, a wrong number of outputs and, unless
// the translator checks them itself, if CheckQuantized refuses input 0 or an
// output or these differ in type.
Status Translate(const Node& node, const Target& target, int64_t* macs);

// Errors: MACE_UNSUPPORTED unless `type`, the node's `what` ("input"), is 8-bit
// quantized values with one scale, and has 1 to kMaxElements elements.
Status CheckQuantized(const Node& node, const char* what,
                      const TensorType& type);
constexpr int64_t kMaxElements = int64_t{1} << 28;

// Whether the node reads input `input` as a tensor of the DSP's graph.
bool ReadsTensor(const Node& node, size_t input);

// Whether the node's output is its input, byte for byte; the shape may differ.
bool IsView(const Node& node);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DEVICE_TRANSLATE_H_
