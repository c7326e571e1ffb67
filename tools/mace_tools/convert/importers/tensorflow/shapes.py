"""Shapes, layout and joining.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_int, fixed_ints, pad, reshape_to
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.windows import in_nhwc


@registry.op("IdentityN")
def identity_n(b: Builder, n: SourceNode) -> list[str]:
    return n.inputs


@registry.op("Const")
def const(b: Builder, n: SourceNode) -> str:
    if n.inputs:  # quantized values, which their readers know to be such
        return n.inputs[0]
    raise Unsupported(f"a constant of {n.attr('value').type_name}s",
                      "cut the model after it: name a later tensor in input_tensors")


@registry.op("Reshape")
def reshape(b: Builder, n: SourceNode) -> str:
    return reshape_to(b, *n.inputs[:2])


@registry.op("Shape")
def shape(b: Builder, n: SourceNode) -> str:
    return b.op("Shape", n.inputs[0], output_type=_out_type(n))


@registry.op("ShapeN")
def shape_n(b: Builder, n: SourceNode) -> list[str]:
    return [b.op("Shape", x, output_type=_out_type(n)) for x in n.inputs]


@registry.op("Size")
def size(b: Builder, n: SourceNode) -> str:
    dims = b.op("Shape", n.inputs[0], output_type=_out_type(n))
    return b.op("Reduce", dims, reduce_type="PROD", axis=[0])


@registry.op("ConcatV2", "Concat")
def concat(b: Builder, n: SourceNode) -> str:
    *parts, axis = n.inputs if n.op == "ConcatV2" else [*n.inputs[1:], n.inputs[0]]
    return b.op("Concat", *parts, axis=fixed_int(b, axis, "axis"))


@registry.op("BroadcastArgs")
def broadcast_args(b: Builder, n: SourceNode) -> str:
    """The shape to which two shapes are broadcast"""
    shapes = [fixed_ints(b, name, "shape") for name in n.inputs[:2]]
    return b.add_const(np.array(np.broadcast_shapes(*shapes)), b.dtype(n.inputs[0]), "shape")


@registry.op("MirrorPad")
def mirror_pad(b: Builder, n: SourceNode) -> str:
    return pad(b, *n.inputs[:2], n.attr("mode"))


@registry.op("SpaceToDepth", "DepthToSpace")
def depth_blocks(b: Builder, n: SourceNode) -> str:
    mode = "DCR" if n.op == "DepthToSpace" else None
    return in_nhwc(b, n, n.inputs[0], lambda x: b.op(
        n.op, x, block_size=n.attr("block_size"), mode=mode))


def _out_type(n: SourceNode) -> str:
    kind = n.attr("out_type")
    return kind.engine if kind else "i32"
