"""Shapes, layout and joining.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import operands
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode
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


@registry.op("SHAPE")
def shape(b: Builder, n: SourceNode) -> str:
    wide = TENSOR_TYPES[n.attr("OutType", 2)] == "INT64"
    return b.op("Shape", n.inputs[0], output_type="i64" if wide else "i32")


@registry.op("CONCATENATION")
def concat(b: Builder, n: SourceNode) -> str:
    inputs, quant = list(n.inputs), b.model.info[n.outputs[0]].quant
    for k, x in enumerate(inputs):
        # TFLite gives uint8 operands the scale of the result; those of int8 always have it.
        if b.dtype(x) == "u8" and quant is not None and not same_quant(b.quant(x), quant):
            inputs[k] = b.op("Quantize", x, to="u8", arithmetic="FLOAT")
            b.set_quant(inputs[k], quant)
    return fused(b, n, "Concat", *inputs, axis=n.attr("Axis", 0))


@registry.op("MIRROR_PAD")
def mirror_pad(b: Builder, n: SourceNode) -> str:
    return operands.pad(b, *n.inputs[:2], MIRROR_MODES[n.attr("Mode", 0)])


@registry.op("SPACE_TO_DEPTH")
def space_to_depth(b: Builder, n: SourceNode) -> str:
    return b.op("SpaceToDepth", n.inputs[0], block_size=n.attr("BlockSize"))


@registry.op("DEPTH_TO_SPACE")
def depth_to_space(b: Builder, n: SourceNode) -> str:
    return b.op("DepthToSpace", n.inputs[0], block_size=n.attr("BlockSize"), mode="DCR")
