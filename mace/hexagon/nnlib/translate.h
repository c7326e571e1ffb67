// Translating nodes of the engine's graph into operations of hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_NNLIB_TRANSLATE_H_
#define MACE_HEXAGON_NNLIB_TRANSLATE_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/node.h"
#include "mace/hexagon/nnlib/graph_builder.h"
#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace::hexagon::nnlib {

// Where a node's translation goes.
struct Target {
  GraphBuilder* graph = nullptr;  // null: only check whether there is a way
  // Activations, also constant ones; filters and biases have none.
  std::vector<QuantTensor> inputs;
  QuantTensor output;  // filled by the translation
};

// Whether hexagon_nn has operations for the node, and which. Sets `*macs` for
// convolutions and FullyConnected; others leave it. Errors: MACE_UNSUPPORTED;
// of reading attributes. What it accepts without a graph, it accepts with one;
// the builder's status tells whether memory ran out.
using Translator = Status(const Node& node, Target* target, int64_t* macs);

Translator TranslateConv2d, TranslateDepthwiseConv2d, TranslateFullyConnected;
Translator TranslatePooling, TranslateEltwise, TranslateActivation;
Translator TranslateSoftmax, TranslateRequantize, TranslateReduce;
Translator TranslateReshape, TranslateConcat, TranslateTranspose, TranslatePad;
Translator TranslateDepthToSpace, TranslateSpaceToDepth, TranslateResize;

// As the translator of the node's op. Errors: also MACE_UNSUPPORTED for ops
// without one, a node without input 0 or with several outputs, and for
// activations (inputs and the output) that are not 8-bit quantized values with
// one scale, have a range below 1e-8 or no elements, or that ToShape4 refuses.
Status Translate(const Node& node, Target* target, int64_t* macs);

// Whether input `i` of a node that Translate accepts is an activation, and not
// a filter, a bias, or what decides a shape. False for ops without a
// translator.
bool IsActivation(const Node& node, size_t i);

// The padding under which hexagon_nn reads these windows; kPadNone if there is
// none. Source: hexagon_nn's nn_graph_padding.h.
NnPadding PaddingOf(const Window2D& window);

// Returns `x`, which has the range of `from`, in the range of `to`: as it is if
// the ranges are the same, through Requantize_8to8 otherwise.
QuantTensor InRangeOf(const TensorType& from, const TensorType& to,
                      const QuantTensor& x, GraphBuilder* graph);

// Returns the kind of the activation of a node, for Limited. Errors: as
// ParseActivation; MACE_UNSUPPORTED for others than NOOP, RELU and RELUX, and
// for RELUX with a max_limit that is negative or NaN.
Result<ActivationKind> LimitOf(const Node& node,
                               const ActivationAttrs& activation);
// Applies an activation to quantized values that have the range of `y`, with
// QuantizedClamp_8, which keeps the range. Returns `x` itself for NOOP, and
// where the range of `y` needs no clamping.
QuantTensor Limited(ActivationKind kind, const ActivationAttrs& activation,
                    const TensorType& y, const QuantTensor& x,
                    GraphBuilder* graph);

// The min and max of `type` as constants.
std::vector<NnInput> RangeConsts(const TensorType& type, GraphBuilder* graph);

// Returns `x` in shape `shape`, through QuantizedReshape unless it has that
// shape.
QuantTensor InShape(const Shape4& shape, const QuantTensor& x,
                    GraphBuilder* graph);

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_TRANSLATE_H_
