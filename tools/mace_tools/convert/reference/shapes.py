"""NumPy evaluation of ops that rearrange, split or join tensors.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.convert.inference.shapes import reshaped
from mace_tools.convert.inference.slices import slice_end, strided_index
from mace_tools.convert.reference import op
from mace_tools.graph.ir import NUMPY


def ints(xs, i, attrs, name):
    """Integers given as operand i, or else as an attribute."""
    if len(xs) > i and xs[i] is not None:
        return [int(v) for v in np.reshape(xs[i], -1)]
    return attrs[name]


@op("Reshape")
def reshape(xs, attrs):
    dims = ints(xs, 1, attrs, "dim")
    return xs[0].reshape(reshaped(xs[0].shape, dims, bool(attrs["allow_zero"])))


@op("Flatten")
def flatten(xs, attrs):
    axis, shape = attrs["axis"], xs[0].shape
    axis = axis + len(shape) if axis < 0 else axis
    rows, columns = int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))
    return xs[0].reshape(rows, columns)


@op("ExpandDims")
def expand_dims(xs, attrs):
    return np.expand_dims(xs[0], tuple(attrs["axis"]))


@op("Squeeze")
def squeeze(xs, attrs):
    return np.squeeze(xs[0], tuple(attrs["axis"]) if attrs["axis"] else None)


@op("Transpose")
def transpose(xs, attrs):
    return np.transpose(xs[0], attrs["dims"] or None)


@op("Concat")
def concat(xs, attrs):
    return np.concatenate(xs, attrs["axis"])


@op("Stack")
def stack(xs, attrs):
    return np.stack(xs, attrs["axis"])


@op("Unstack")
def unstack(xs, attrs):
    axis = attrs["axis"]
    return [np.take(xs[0], k, axis) for k in range(xs[0].shape[axis])]


@op("Split")
def split(xs, attrs):
    axis, sizes = attrs["axis"], list(ints(xs, 1, attrs, "sizes"))
    if not sizes:
        return np.split(xs[0], attrs["num_outputs"], axis)
    if -1 in sizes:  # the rest
        sizes[sizes.index(-1)] = xs[0].shape[axis] - sum(s for s in sizes if s >= 0)
    return np.split(xs[0], np.cumsum(sizes)[:-1], axis)


@op("Slice")
def slice_(xs, attrs):
    starts, ends = ints(xs, 1, attrs, "starts"), ints(xs, 2, attrs, "ends")
    axes = ints(xs, 3, attrs, "axes") or list(range(len(starts)))
    steps = ints(xs, 4, attrs, "steps") or [1] * len(starts)
    index = [slice(None)] * xs[0].ndim
    for s, e, a, step in zip(starts, ends, axes, steps):
        index[a] = slice(s, slice_end(e, xs[0].shape[a], step), step)
    return xs[0][tuple(index)]


@op("StridedSlice")
def strided_slice(xs, attrs):
    begin, end = ints(xs, 1, attrs, "begin"), ints(xs, 2, attrs, "end")
    strides = ints(xs, 3, attrs, "strides") or [1] * len(begin)
    return xs[0][tuple(strided_index(begin, end, strides, xs[0].ndim, attrs))]


_PAD_MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric", "EDGE": "edge"}


@op("Pad")
def pad(xs, attrs):
    pairs = np.reshape(ints(xs, 1, attrs, "paddings"), (-1, 2))
    kind = attrs["pad_type"]
    if kind == "CONSTANT":
        grown = np.pad(xs[0], np.maximum(pairs, 0), constant_values=attrs["constant_value"])
        return grown[tuple(slice(max(-before, 0), size - max(-after, 0))  # what is negative cuts
                           for (before, after), size in zip(pairs, grown.shape))]
    return np.pad(xs[0], pairs, _PAD_MODES[kind])


@op("Expand")
def expand(xs, attrs):
    dims = ints(xs, 1, attrs, "shape")
    return np.broadcast_to(xs[0], np.broadcast_shapes(xs[0].shape, tuple(dims)))


@op("Tile")
def tile(xs, attrs):
    return np.tile(xs[0], ints(xs, 1, attrs, "repeats"))


@op("Fill")
def fill(xs, attrs):
    dims = ints(xs, 0, attrs, "shape")
    return np.full(dims, attrs["value"], NUMPY[attrs["dtype"]])


@op("Range")
def range_(xs, attrs):
    start, limit, delta = (x.item() for x in xs)
    count = max(int(np.ceil((limit - start) / delta)), 0)
    return (start + delta * np.arange(count)).astype(xs[0].dtype)


@op("Shape")
def shape(xs, attrs):
    part = xs[0].shape[attrs["start"] : attrs["end"]]
    return np.array(part, NUMPY[attrs["output_type"]])


def _check_start(idx, attrs):
    if attrs["from_start"] and (idx < 0).any():
        raise IndexError(f"index {idx.min()} counts from the end")


@op("Gather")
def gather(xs, attrs):
    axis, batch = attrs["axis"], attrs["batch_dims"]
    _check_start(xs[1], attrs)
    idx = np.where(xs[1] < 0, xs[1] + xs[0].shape[axis], xs[1])
    if not batch:
        return np.take(xs[0], idx, axis)
    rows = np.ndindex(xs[0].shape[:batch])
    axis = axis % xs[0].ndim - batch
    parts = [np.take(xs[0][r], idx[r], axis) for r in rows]
    return np.stack(parts).reshape(*xs[0].shape[:batch], *parts[0].shape)


@op("GatherNd")
def gather_nd(xs, attrs):
    batch = attrs["batch_dims"]
    x, idx = xs
    _check_start(idx, attrs)
    if not batch:
        return x[tuple(np.moveaxis(idx, -1, 0))]
    parts = [x[r][tuple(np.moveaxis(idx[r], -1, 0))] for r in np.ndindex(x.shape[:batch])]
    return np.stack(parts).reshape(*x.shape[:batch], *parts[0].shape)


@op("GatherElements")
def gather_elements(xs, attrs):
    axis = attrs["axis"]
    idx = np.where(xs[1] < 0, xs[1] + xs[0].shape[axis], xs[1])
    return np.take_along_axis(xs[0], idx, axis)


_SCATTERS = {"SUM": np.add, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum}


def scattered(data, index, updates, reduction):
    """A copy of data, in which updates replace what an index selects, or are combined with it."""
    out = data.copy()
    if reduction == "NONE":
        out[index] = updates
    else:
        _SCATTERS[reduction].at(out, index, updates)
    return out


@op("ScatterNd")
def scatter_nd(xs, attrs):
    return scattered(xs[0], tuple(np.moveaxis(xs[1], -1, 0)), xs[2], attrs["reduction"])


@op("ScatterElements")
def scatter_elements(xs, attrs):
    index = list(np.ogrid[tuple(slice(d) for d in xs[1].shape)])
    index[attrs["axis"]] = xs[1]
    return scattered(xs[0], tuple(index), xs[2], attrs["reduction"])


@op("Reverse")
def reverse(xs, attrs):
    return np.flip(xs[0], tuple(attrs["axis"]))


@op("ReverseSequence")
def reverse_sequence(xs, attrs):
    x, lengths = xs
    seq, batch = attrs["seq_axis"], attrs["batch_axis"]
    view = np.moveaxis(x.copy(), (batch, seq), (0, 1))
    for row, n in zip(view, lengths):
        row[:n] = row[:n][::-1].copy()
    return np.moveaxis(view, (0, 1), (batch, seq))


@op("OneHot")
def one_hot(xs, attrs):
    depth = ints(xs, 1, attrs, "depth") if len(xs) > 1 else [attrs["depth"]]
    axis = attrs["axis"]
    hot = np.expand_dims(xs[0], axis)
    shape = [1] * hot.ndim
    shape[axis] = depth[0]
    match = hot == np.arange(depth[0]).reshape(shape)
    return np.where(match, attrs["on_value"], attrs["off_value"]).astype(
        np.float32)


@op("TopK")
def top_k(xs, attrs):
    k = ints(xs, 1, attrs, "k")[0] if len(xs) > 1 else attrs["k"]
    axis, key = attrs["axis"], xs[0]
    if attrs["largest"]:
        key = -key if key.dtype.kind == "f" else ~key  # the lowest integer has no negative
    order = np.argsort(key, axis=axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    return [np.take_along_axis(xs[0], order, axis), order.astype(np.int64)][: attrs["num_outputs"]]
