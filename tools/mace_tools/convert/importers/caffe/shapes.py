"""Layers that join, cut, reorder and reshape blobs.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.channels_first import to_first, to_last
from mace_tools.convert.importers.operands import INT32_MAX
from mace_tools.convert.importers.operands import reshape as reshape_to
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.support.errors import ModelError


def _axis(b: Builder, n: Layer, old: str) -> int:
    """The field `axis`, or the one that it replaced."""
    if old in n.at_default or n.attr(old) is None:
        return n.axis(b)
    if "axis" not in n.at_default and n.attr("axis") is not None:
        raise ModelError(f"{n.op} '{n.name}' has both axis and {old}; keep one")
    return n.axis(b, old)


@registry.op("Concat")
def concat(b: Builder, n: Layer) -> str:
    n.check_bottoms(1, max(1, n.num_bottoms))
    return b.op("Concat", *n.bottoms, axis=_axis(b, n, "concat_dim"))


@registry.op("Slice")
def slice_(b: Builder, n: Layer) -> list[str]:
    n.check_bottoms()
    x, axis, points = n.bottoms[0], _axis(b, n, "slice_dim"), n.attr("slice_point") or []
    count = len(n.outputs)
    if points and len(points) != count - 1:
        raise ModelError(f"Slice '{n.name}' has {count} tops and {len(points)} slice_point; "
                         f"{count} parts have {count - 1} borders")
    extent = b.extents(x)[axis]
    borders = [0, *points, *([extent] if extent is not None else [])]
    if points and any(p >= q for p, q in zip(borders, borders[1:])):
        raise ModelError(f"Slice '{n.name}': slice_point {points} must rise within axis {axis}"
                         + ("" if extent is None else f", which has extent {extent}"))
    if not points and extent is not None and extent % count:
        raise ModelError(f"Slice '{n.name}': {count} tops do not divide the extent {extent} of "
                         f"axis {axis}; give slice_point")
    sizes = [q - p for p, q in zip([0, *points], points)] + [-1] if points else []
    return b.ops("Split", [x], count, axis=axis, sizes=sizes)


@registry.op("Split")
def split(b: Builder, n: Layer) -> list[str]:
    n.check_bottoms()
    return [b.op("Identity", n.bottoms[0]) for _ in n.outputs]


@registry.op("Flatten")
def flatten(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    x, rank = n.bottoms[0], b.rank(n.bottoms[0])
    axis, end = n.axis(b), n.axis(b, "end_axis")
    if end < axis:
        raise ModelError(f"Flatten '{n.name}': end_axis {end} is before axis {axis}")
    if axis == 1 and end == rank - 1:
        return b.op("Flatten", x, axis=1)
    return _reshaped(b, n, axis, end + 1, [-1])


@registry.op("Reshape")
def reshape(b: Builder, n: Layer) -> str:
    """Replaces `num_axes` axes from `axis` on by `shape`."""
    n.check_bottoms()
    rank, dims, count = b.rank(n.bottoms[0]), list(n.needed("shape")), n.attr("num_axes")
    axis = n.attr("axis")
    axis = axis + rank + 1 if axis < 0 else axis
    end = rank if count == -1 else axis + count
    if not 0 <= axis <= rank or count < -1 or end > rank:
        raise ModelError(f"Reshape '{n.name}': axis {n.attr('axis')} and num_axes {count} do not "
                         f"fit the {rank} axes of its bottom")
    if any(d < -1 for d in dims) or dims.count(-1) > 1:
        raise ModelError(f"Reshape '{n.name}': shape {dims} may have one -1 and else extents")
    if any(d == 0 and axis + k >= end for k, d in enumerate(dims)):
        raise ModelError(f"Reshape '{n.name}': shape {dims} has a 0, an extent to keep, where the "
                         "bottom has no axis")
    return _reshaped(b, n, axis, end, dims)


def _reshaped(b: Builder, n: Layer, axis: int, end: int, dims: list[int]) -> str:
    """Axes [axis, end) become `dims`, in which 0 keeps an extent and -1 is the rest."""
    x = n.bottoms[0]
    shape = b.extents(x)
    whole = [0] * axis + dims
    if end == len(shape) or len(dims) == end - axis:
        whole += [0] * (len(shape) - end)  # in their places
    elif None not in shape[end:]:
        whole += list(shape[end:])
        b.depends_on_shapes(f"{n.op} '{n.name}'")
    elif -1 not in dims and shape[end:].count(None) == 1:
        whole += [-1 if e is None else e for e in shape[end:]]
    else:
        raise Unsupported("it moves axes whose extents are not known",
                          "give input_shapes for all model inputs")
    _check_count(n, shape, whole)
    return b.op("Reshape", x, dim=whole) if whole else reshape_to(b, x, [])


def _check_count(n: Layer, shape: tuple[int | None, ...], dims: list[int]) -> None:
    """Errors: ModelError if the elements do not fit the new shape."""
    if None in shape:
        return
    total = math.prod(e for e in shape if e is not None)
    kept = math.prod(shape[k] if d == 0 else d for k, d in enumerate(dims)  # type: ignore[misc]
                     if d != -1)
    if kept != total if -1 not in dims else not kept or total % kept:
        raise ModelError(f"{n.op} '{n.name}': the {total} elements of its bottom {list(shape)} do "
                         f"not fit the shape {dims}")


@registry.op("Permute")
def permute(b: Builder, n: Layer) -> str:
    """Axes that `order` does not name follow as they are."""
    n.check_bottoms()
    rank, order = b.rank(n.bottoms[0]), list(n.attr("order") or [])
    if len(set(order)) < len(order) or any(k >= rank for k in order):
        raise ModelError(f"Permute '{n.name}': order {order} must name axes below {rank}, each "
                         "once")
    return b.op("Transpose", n.bottoms[0], dims=order + [k for k in range(rank) if k not in order])


@registry.op("Tile")
def tile(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    axis, tiles = n.axis(b), n.needed("tiles")
    if tiles < 1:
        raise ModelError(f"Tile '{n.name}': tiles is {tiles}, it must be 1 or larger")
    return b.op("Tile", n.bottoms[0],
                repeats=[tiles if k == axis else 1 for k in range(b.rank(n.bottoms[0]))])


@registry.op("Crop")
def crop(b: Builder, n: Layer) -> str:
    """To the extents of the second bottom, from `axis` on."""
    n.check_bottoms(2)
    x, like = n.bottoms
    rank, axis = b.rank(x), n.axis(b)
    offsets = list(n.attr("offset") or [0])
    if len(offsets) not in (1, rank - axis):
        raise ModelError(f"Crop '{n.name}': there are {len(offsets)} offset for {rank - axis} axes "
                         f"from axis {axis} on; give one, or one for each")
    offsets = offsets * (rank - axis) if len(offsets) == 1 else offsets
    for k, offset in enumerate(offsets, axis):
        have, want = b.extents(x)[k], b.extents(like)[k] if b.rank(like) == rank else 0
        if b.rank(like) != rank or None not in (have, want) and offset + want > have:
            raise ModelError(f"Crop '{n.name}': its bottom {list(b.extents(x))} has no "
                             f"{list(b.extents(like))} at offset {offset} of axis {k}")
    ends = b.op("Shape", like, output_type="i64", start=axis, end=rank)
    if any(offsets):
        ends = b.op("Eltwise", ends, b.add_const(np.array(offsets, np.int64)), type="SUM")
    starts, axes = (b.add_const(np.array(v, np.int64)) for v in (offsets, range(axis, rank)))
    return b.op("Slice", x, starts, ends, axes)


@registry.op("ShuffleChannel")
def shuffle_channel(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    group, channels = n.attr("group"), b.extents(n.bottoms[0])[1]
    if group < 1 or channels is not None and channels % group:
        raise ModelError(f"ShuffleChannel '{n.name}': group {group} does not divide {channels} "
                         "channels")
    return to_first(b, b.op("ChannelShuffle", to_last(b, n.bottoms[0]), group=group))


@registry.op("ArgMax")
def arg_max(b: Builder, n: Layer) -> str:
    """Positions, or values, of the largest elements; of equal ones, the last counts."""
    n.check_bottoms()
    x, values, top = n.bottoms[0], n.attr("out_max_val"), n.attr("top_k")
    whole = n.attr("axis") is None
    rank = b.rank(x)
    if whole:
        x = b.op("Flatten", x, axis=1)
    axis = 1 if whole else n.axis(b)
    extent = b.extents(x)[axis]
    if extent is None:
        raise Unsupported(f"the extent of axis {axis} is not known",
                          "give input_shapes for all model inputs")
    if not 1 <= top <= extent:
        raise ModelError(f"ArgMax '{n.name}': top_k is {top}, axis {axis} has extent {extent}")
    best, places = b.ops("TopK", [b.op("Reverse", x, axis=[axis])], 2, k=top, axis=axis)
    places = b.op("Eltwise", b.add_const(np.array(extent - 1, np.int64)), places, type="SUB")
    places = b.op("Cast", places, to="f32")
    if not whole:
        return best if values else places
    parts = [b.op("ExpandDims", t, axis=[1, *range(3, max(rank, 3))])
             for t in ((places, best) if values else (places,))]
    return b.op("Concat", *parts, axis=1) if values else parts[0]


@registry.op("Interp")
def interp(b: Builder, n: Layer) -> str:
    """Bilinear, with the corners in place; negative pads cut the bottom first."""
    n.check_bottoms()
    x, before, after = n.bottoms[0], n.attr("pad_beg"), n.attr("pad_end")
    height, width = n.attr("height"), n.attr("width")
    shrink, zoom = n.attr("shrink_factor"), n.attr("zoom_factor")
    if before > 0 or after > 0:
        raise Unsupported(f"pad_beg {before} and pad_end {after}", "only 0 and less convert")
    if min(shrink, zoom) < 1 or min(height, width) < 0:
        raise ModelError(f"Interp '{n.name}': height {height}, width {width}, zoom_factor {zoom} "
                         f"and shrink_factor {shrink} must be positive")
    if before or after:
        x = b.op("Slice", x, starts=[-before] * 2, ends=[after or INT32_MAX] * 2, axes=[2, 3])
    attrs = {"mode": "LINEAR", "coordinate": "ALIGN_CORNERS"}
    if shrink == 1 and zoom == 1:
        if not height or not width:
            raise ModelError(f"Interp '{n.name}' lacks its height and width, or a factor")
        y = b.op("Resize", to_last(b, x), size=[height, width], **attrs)
    else:
        if height or width:
            raise ModelError(f"Interp '{n.name}' has both a size and a factor; keep one")
        size = b.op("Shape", x, output_type="i32", start=2, end=4)
        size = _integers(b, size, ("SUM", -1), ("DIV", shrink), ("PROD", zoom), ("SUM", 1))
        y = b.op("Resize", to_last(b, x), size, **attrs)
    return to_first(b, y)


def _integers(b: Builder, x: str, *steps: tuple[str, int]) -> str:
    for kind, number in steps:
        x = b.op("Eltwise", x, b.add_const(np.array(number, np.int32)), type=kind)
    return x


@registry.op("Upsample")
def upsample(b: Builder, n: Layer) -> str:
    """Each pixel becomes a square of them."""
    if n.num_bottoms == 2:
        raise Unsupported("Upsample with the mask of a Pooling layer",
                          "end the model before it (output_tensors in the YAML)")
    n.check_bottoms()
    scale = n.attr("scale")
    if scale < 1:
        raise ModelError(f"Upsample '{n.name}': scale is {scale}, it must be 1 or larger")
    y = b.op("Resize", to_last(b, n.bottoms[0]), mode="NEAREST", coordinate="ASYMMETRIC",
             nearest_mode="FLOOR", scales=[float(scale)] * 2)
    return to_first(b, y)


@registry.op("Parameter")
def parameter(b: Builder, n: Layer) -> str:
    """Weights as a blob."""
    n.check_bottoms(0)
    array, = n.check_weights([tuple(n.needed("shape"))])
    return b.op("Identity", b.add_const(array, name="weights"))
