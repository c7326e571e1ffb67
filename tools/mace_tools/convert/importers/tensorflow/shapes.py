"""Shapes, layout, joining and splitting.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import (
    fill,
    filled_like,
    fixed_int,
    fixed_ints,
    fixed_scalar,
    pad,
    reshape_to,
    resize,
    with_ints,
)
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.windows import in_nhwc
from mace_tools.convert.importers.tf_shared import assign, split, split_v

registry.op("AssignVariableOp")(assign)


@registry.op("Identity", "StopGradient", "PreventGradient", "CheckNumerics", "Snapshot",
             "PlaceholderWithDefault", "ReadVariableOp", "EnsureShape")
def identity(b: Builder, n: SourceNode) -> str:
    return n.inputs[0]


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


@registry.op("Squeeze")
def squeeze(b: Builder, n: SourceNode) -> str:
    return b.op("Squeeze", n.inputs[0], axis=n.attr("squeeze_dims", []))


@registry.op("ExpandDims")
def expand_dims(b: Builder, n: SourceNode) -> str:
    return b.op("ExpandDims", n.inputs[0], axis=fixed_ints(b, n.inputs[1], "axis"))


@registry.op("Transpose")
def transpose(b: Builder, n: SourceNode) -> str:
    return b.op("Transpose", n.inputs[0], dims=fixed_ints(b, n.inputs[1], "permutation"))


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


@registry.op("Rank")
def rank(b: Builder, n: SourceNode) -> str:
    return b.add_const(np.array(b.rank(n.inputs[0]), np.int32))


@registry.op("ConcatV2", "Concat")
def concat(b: Builder, n: SourceNode) -> str:
    *parts, axis = n.inputs if n.op == "ConcatV2" else [*n.inputs[1:], n.inputs[0]]
    return b.op("Concat", *parts, axis=fixed_int(b, axis, "axis"))


@registry.op("Pack", "Stack")
def pack(b: Builder, n: SourceNode) -> str:
    return b.op("Stack", *n.inputs, axis=n.attr("axis", 0))


@registry.op("Unpack")
def unpack(b: Builder, n: SourceNode) -> list[str]:
    return b.ops("Unstack", n.inputs[:1], len(n.outputs), axis=n.attr("axis", 0))

registry.op("Split")(split)
registry.op("SplitV")(split_v)


@registry.op("Tile")
def tile(b: Builder, n: SourceNode) -> str:
    return with_ints(b, "Tile", *n.inputs[:2], "repeats")


@registry.op("BroadcastTo")
def broadcast_to(b: Builder, n: SourceNode) -> str:
    return with_ints(b, "Expand", *n.inputs[:2], "shape")


@registry.op("BroadcastArgs")
def broadcast_args(b: Builder, n: SourceNode) -> str:
    """The shape to which two shapes are broadcast"""
    shapes = [fixed_ints(b, name, "shape") for name in n.inputs[:2]]
    return b.add_const(np.array(np.broadcast_shapes(*shapes)), b.dtype(n.inputs[0]), "shape")


@registry.op("Fill")
def fill_(b: Builder, n: SourceNode) -> str:
    return fill(b, *n.inputs[:2])


@registry.op("ZerosLike", "OnesLike")
def zeros_like(b: Builder, n: SourceNode) -> str:
    return filled_like(b, n.inputs[0], 0.0 if n.op == "ZerosLike" else 1.0)


@registry.op("Range")
def range_(b: Builder, n: SourceNode) -> str:
    return b.op("Range", *n.inputs[:3])


@registry.op("Pad", "PadV2")
def pad_(b: Builder, n: SourceNode) -> str:
    value = fixed_scalar(b, n.inputs[2], "padding value") if n.op == "PadV2" else None
    return pad(b, *n.inputs[:2], "CONSTANT", value)


@registry.op("MirrorPad")
def mirror_pad(b: Builder, n: SourceNode) -> str:
    return pad(b, *n.inputs[:2], n.attr("mode"))


@registry.op("SpaceToBatchND", "BatchToSpaceND")
def blocks(b: Builder, n: SourceNode) -> str:
    to_batch = n.op == "SpaceToBatchND"
    what = "paddings" if to_batch else "crops"
    op = "SpaceToBatchNd" if to_batch else "BatchToSpaceNd"
    return b.op(op, n.inputs[0],
                block_shape=fixed_ints(b, n.inputs[1], "block shape"),
                **{what: fixed_ints(b, n.inputs[2], what)})


@registry.op("SpaceToBatch", "BatchToSpace")
def square_blocks(b: Builder, n: SourceNode) -> str:
    to_batch = n.op == "SpaceToBatch"
    what = "paddings" if to_batch else "crops"
    op = "SpaceToBatchNd" if to_batch else "BatchToSpaceNd"
    return b.op(op, n.inputs[0], block_shape=[n.attr("block_size")] * 2,
                **{what: fixed_ints(b, n.inputs[1], what)})


@registry.op("SpaceToDepth", "DepthToSpace")
def depth_blocks(b: Builder, n: SourceNode) -> str:
    mode = "DCR" if n.op == "DepthToSpace" else None
    return in_nhwc(b, n, n.inputs[0], lambda x: b.op(
        n.op, x, block_size=n.attr("block_size"), mode=mode))


@registry.op("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")
def resize_(b: Builder, n: SourceNode) -> str:
    mode = {"ResizeBilinear": "LINEAR", "ResizeBicubic": "CUBIC"}.get(n.op, "NEAREST")
    return resize(b, *n.inputs[:2], mode, n.attr("align_corners", False),
                  n.attr("half_pixel_centers", False))


def _out_type(n: SourceNode) -> str:
    kind = n.attr("out_type")
    return kind.engine if kind else "i32"
