"""Ops that change the shape but not the numbers.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.layout import to_first, to_last
from mace_tools.convert.importers.onnx.norm import FLOAT
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.graph.ir import dtype_name


def ints(b: Builder, n: SourceNode, index: int, attr: str) -> list[int] | None:
    """Integers of an attribute (older opsets) or of a constant input (newer ones)."""
    if n.attr(attr) is not None:
        return list(n.attr(attr))
    if len(n.inputs) <= index or not n.inputs[index]:
        return None
    value = b.const(n.inputs[index])
    return None if value is None else value.reshape(-1).tolist()


@registry.op("Reshape")
def reshape(b: Builder, n: SourceNode) -> str:
    dims = ints(b, n, 1, "shape")
    zero = n.flag("allowzero", 0)
    inputs = n.inputs[:1] if dims is not None else n.inputs[:2]
    return b.op("Reshape", *inputs, dim=dims, allow_zero=zero or None)


@registry.op("Flatten")
def flatten(b: Builder, n: SourceNode) -> str:
    return b.op("Flatten", n.inputs[0], axis=n.attr("axis", 1))


@registry.op("Squeeze")
def squeeze(b: Builder, n: SourceNode) -> str:
    axes = ints(b, n, 1, "axes")
    if axes is None and len(n.inputs) > 1 and n.inputs[1]:
        raise Unsupported("the axes are computed", "make the axes constant")
    return b.op("Squeeze", n.inputs[0], axis=axes or [])


@registry.op("Unsqueeze")
def unsqueeze(b: Builder, n: SourceNode) -> str:
    axes = ints(b, n, 1, "axes")
    if axes is None:
        raise Unsupported("the axes are computed", "make the axes constant")
    return b.op("ExpandDims", n.inputs[0], axis=axes)


@registry.op("Transpose")
def transpose(b: Builder, n: SourceNode) -> str:
    perm = n.attr("perm") or list(reversed(range(b.rank(n.inputs[0]))))
    return b.op("Transpose", n.inputs[0], dims=perm)


@registry.op("Shape")
def shape(b: Builder, n: SourceNode) -> str:
    return b.op("Shape", n.inputs[0], output_type="i64", start=n.attr("start"), end=n.attr("end"))


@registry.op("Size")
def size(b: Builder, n: SourceNode) -> str:
    extents = b.op("Shape", n.inputs[0], output_type="i64")
    return b.op("Reduce", extents, reduce_type="PROD", axis=[0], keepdims=0)


@registry.op("Expand")
def expand(b: Builder, n: SourceNode) -> str:
    dims = ints(b, n, 1, "shape")
    return b.op("Expand", *n.inputs[: 1 if dims is not None else 2], shape=dims)


@registry.op("Tile")
def tile(b: Builder, n: SourceNode) -> str:
    if len(n.inputs) == 3:
        raise Unsupported("Tile of opset 1", "export with opset 6 or newer")
    repeats = ints(b, n, 1, "repeats")
    return b.op("Tile", *n.inputs[: 1 if repeats is not None else 2], repeats=repeats)


@registry.op("ConstantOfShape")
def constant_of_shape(b: Builder, n: SourceNode) -> str:
    value = n.attr("value")
    kind = "f32" if value is None else dtype_name(value.dtype)
    return b.op("Fill", n.inputs[0], dtype=kind, value=0.0 if value is None else value.item())


@registry.op("Range")
def range_(b: Builder, n: SourceNode) -> str:
    n.only("stash_type", FLOAT, "compute it in float32")
    if b.dtype(n.inputs[0]) != "f16":
        return b.op("Range", *n.inputs)
    y = b.op("Range", *(b.op("Cast", x, to="f32") for x in n.inputs))
    return b.op("Cast", y, to="f16")


@registry.op("DepthToSpace")
def depth_to_space(b: Builder, n: SourceNode) -> str:
    y = b.op("DepthToSpace", to_last(b, n.inputs[0]), block_size=n.attr("blocksize"),
             mode=n.attr("mode", "DCR"))
    return to_first(b, y)


@registry.op("SpaceToDepth")
def space_to_depth(b: Builder, n: SourceNode) -> str:
    block, mode = n.attr("blocksize"), n.attr("mode", "DCR")
    y = b.op("SpaceToDepth", to_last(b, n.inputs[0]), block_size=block)
    if mode not in ("DCR", "CRD"):
        raise Unsupported(f"SpaceToDepth with mode '{mode}'", "use DCR or CRD")
    if mode == "CRD":  # channels before the places in a block
        y = b.op("ChannelShuffle", y, group=block * block)
    return to_first(b, y)
