"""Shapes, layout, joining and splitting.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers import operands
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, fixed_scalar, with_ints
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tf_shared import split, split_v
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.activations import fused
from mace_tools.convert.importers.tflite.flat import MIRROR_MODES, TENSOR_TYPES
from mace_tools.graph.model_quantization import same_quant


@registry.op("RESHAPE")
def reshape(b: Builder, n: SourceNode) -> str:
    x, shape = n.inputs[0], n.attr("NewShape", [])
    if len(n.inputs) > 1 and n.inputs[1]:  # takes precedence over the option
        return operands.reshape_to(b, x, n.inputs[1])
    return operands.reshape(b, x, shape)


@registry.op("SQUEEZE")
def squeeze(b: Builder, n: SourceNode) -> str:
    return b.op("Squeeze", n.inputs[0], axis=n.attr("SqueezeDims", []))


@registry.op("EXPAND_DIMS")
def expand_dims(b: Builder, n: SourceNode) -> str:
    return b.op("ExpandDims", n.inputs[0], axis=fixed_ints(b, n.inputs[1], "axis"))


@registry.op("TRANSPOSE")
def transpose(b: Builder, n: SourceNode) -> str:
    return b.op("Transpose", n.inputs[0], dims=fixed_ints(b, n.inputs[1], "permutation"))


@registry.op("SHAPE")
def shape(b: Builder, n: SourceNode) -> str:
    wide = TENSOR_TYPES[n.attr("OutType", 2)] == "INT64"
    return b.op("Shape", n.inputs[0], output_type="i64" if wide else "i32")


@registry.op("RANK")
def rank(b: Builder, n: SourceNode) -> str:
    return b.add_const(np.array(b.rank(n.inputs[0]), np.int32))


@registry.op("CONCATENATION")
def concat(b: Builder, n: SourceNode) -> str:
    inputs, quant = list(n.inputs), b.model.info[n.outputs[0]].quant
    for k, x in enumerate(inputs):
        # TFLite gives uint8 operands the scale of the result; those of int8 always have it.
        if b.dtype(x) == "u8" and quant is not None and not same_quant(b.quant(x), quant):
            inputs[k] = b.op("Quantize", x, to="u8", arithmetic="FLOAT")
            b.set_quant(inputs[k], quant)
    return fused(b, n, "Concat", *inputs, axis=n.attr("Axis", 0))


@registry.op("PACK")
def pack(b: Builder, n: SourceNode) -> str:
    return b.op("Stack", *n.inputs, axis=n.attr("Axis", 0))


@registry.op("UNPACK")
def unpack(b: Builder, n: SourceNode) -> list[str]:
    return b.ops("Unstack", n.inputs[:1], len(n.outputs), axis=n.attr("Axis", 0))

registry.op("SPLIT")(split)
registry.op("SPLIT_V")(split_v)


@registry.op("TILE")
def tile(b: Builder, n: SourceNode) -> str:
    return with_ints(b, "Tile", *n.inputs[:2], "repeats")


@registry.op("BROADCAST_TO")
def broadcast_to(b: Builder, n: SourceNode) -> str:
    return with_ints(b, "Expand", *n.inputs[:2], "shape")


@registry.op("FILL")
def fill(b: Builder, n: SourceNode) -> str:
    return operands.fill(b, *n.inputs[:2])


@registry.op("ZEROS_LIKE")
def zeros_like(b: Builder, n: SourceNode) -> str:
    return operands.filled_like(b, n.inputs[0], 0.0)


@registry.op("RANGE")
def range_(b: Builder, n: SourceNode) -> str:
    return b.op("Range", *n.inputs[:3])


@registry.op("PAD", "PADV2")
def pad(b: Builder, n: SourceNode) -> str:
    value = fixed_scalar(b, n.inputs[2], "padding value") if n.op == "PADV2" else None
    quant = b.quant(n.inputs[0])
    if value is not None and quant is not None:
        value = float((value - quant.zero_point[0]) * quant.scale[0])
    return operands.pad(b, *n.inputs[:2], "CONSTANT", value)


@registry.op("MIRROR_PAD")
def mirror_pad(b: Builder, n: SourceNode) -> str:
    return operands.pad(b, *n.inputs[:2], MIRROR_MODES[n.attr("Mode", 0)])


@registry.op("SPACE_TO_BATCH_ND")
def space_to_batch(b: Builder, n: SourceNode) -> str:
    x, block, paddings = n.inputs[:3]
    return b.op("SpaceToBatchNd", x, block_shape=fixed_ints(b, block, "block shape"),
                paddings=fixed_ints(b, paddings, "paddings"))


@registry.op("BATCH_TO_SPACE_ND")
def batch_to_space(b: Builder, n: SourceNode) -> str:
    x, block, crops = n.inputs[:3]
    return b.op("BatchToSpaceNd", x, block_shape=fixed_ints(b, block, "block shape"),
                crops=fixed_ints(b, crops, "crops"))


@registry.op("SPACE_TO_DEPTH")
def space_to_depth(b: Builder, n: SourceNode) -> str:
    return b.op("SpaceToDepth", n.inputs[0], block_size=n.attr("BlockSize"))


@registry.op("DEPTH_TO_SPACE")
def depth_to_space(b: Builder, n: SourceNode) -> str:
    return b.op("DepthToSpace", n.inputs[0], block_size=n.attr("BlockSize"), mode="DCR")


@registry.op("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
def resize(b: Builder, n: SourceNode) -> str:
    mode = "LINEAR" if n.op == "RESIZE_BILINEAR" else "NEAREST"
    return operands.resize(b, *n.inputs[:2], mode, n.attr("AlignCorners", False),
                           n.attr("HalfPixelCenters", False))
