"""Operators that put elements where indices say: scattering, updates of a part.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers import operands
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import fixed_ints, fixed_shape, ints, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.segments import reduced
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tf_shared import not_above
from mace_tools.convert.importers.tflite import registry
from mace_tools.graph.ir import NUMPY


@registry.op("SPARSE_TO_DENSE")
def sparse_to_dense(b: Builder, n: SourceNode) -> str:
    n.attr("ValidateIndices")  # checks of the indices: those of the engine are always on
    indices, shape, values, default = n.inputs[:4]
    rank, count = len(fixed_ints(b, shape, "output shape")), fixed_shape(b, indices)
    rows = count[0] if count else 1
    indices = reshape(b, indices, [rows, rank])
    return b.op("ScatterNd", operands.fill(b, shape, default), indices,
                reshape(b, values, [rows]))


@registry.op("SCATTER_ND")
def scatter_nd(b: Builder, n: SourceNode) -> str:
    """Sums updates of equal indices, where the engine's ScatterNd keeps the last."""
    indices, updates, shape = n.inputs[:3]
    wanted, its_shape = fixed_ints(b, shape, "shape"), fixed_shape(b, indices)
    depth = its_shape[-1]
    known = b.const(indices)
    if known is not None:
        rows = known.reshape(-1, depth)
        if len(np.unique(rows, axis=0)) == len(rows):
            return b.op("ScatterNd", operands.fill(b, shape, _zero(b, updates)), indices, updates)
    steps = [math.prod(wanted[k + 1 : depth]) for k in range(depth)]
    flat = b.op("Eltwise", reshape(b, indices, [-1, depth]),
                b.add_const(np.array(steps), b.dtype(indices), "steps"), type="PROD")
    ids = b.op("Reduce", flat, reduce_type="SUM", axis=[1])
    rank = len(its_shape) - 1
    total = reduced(b, updates, ids, [math.prod(wanted[:depth]), *wanted[depth:]], rank, "SUM")
    return reshape(b, total, wanted)


_SEGMENTS = {"UNSORTED_SEGMENT_SUM": "SUM", "UNSORTED_SEGMENT_PROD": "PROD",
             "UNSORTED_SEGMENT_MAX": "MAX", "UNSORTED_SEGMENT_MIN": "MIN"}


def _zero(b: Builder, like: str) -> str:
    return b.add_const(np.array(0), b.dtype(like), "zero")


@registry.op("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(b: Builder, n: SourceNode) -> str:
    """The start, which may be computed while the model runs, is moved so that the update fits."""
    data, update, start = n.inputs[:3]
    whole, part = fixed_shape(b, data), fixed_shape(b, update)
    if len(whole) != len(part) or any(p > w for p, w in zip(part, whole)):
        raise ValueError(f"an update of shape {part} for an operand of shape {whole}")
    axes = max((k + 1 for k, (w, p) in enumerate(zip(whole, part)) if w != p), default=0)
    if axes == 0:
        return b.op("Identity", update)
    kind = b.dtype(start)
    first = b.op("Slice", start, starts=[0], ends=[axes], axes=[0])
    space = b.add_const(np.subtract(whole, part)[:axes], kind, "space")
    first = b.op("Eltwise", b.op("Eltwise", first, space, type="MIN"),
                 b.add_const(np.array(0), kind, "zero"), type="MAX")
    grid = np.indices(part[:axes]).reshape(axes, -1).T
    indices = b.op("Eltwise", b.add_const(grid, kind, "grid"), first, type="SUM")
    return b.op("ScatterNd", data, indices, reshape(b, update, [len(grid), *part[axes:]]))


@registry.op("MATRIX_DIAG")
def matrix_diag(b: Builder, n: SourceNode) -> str:
    size = fixed_shape(b, n.inputs[0])[-1]
    eye = b.add_const(np.eye(size, dtype=bool), name="eye")
    return b.op("Select", eye, b.op("ExpandDims", n.inputs[0], axis=[-1]), _zero(b, n.inputs[0]))


@registry.op("MATRIX_SET_DIAG")
def matrix_set_diag(b: Builder, n: SourceNode) -> str:
    x, diagonal = n.inputs[:2]
    rows, columns = fixed_shape(b, x)[-2:]
    eye = b.add_const(np.eye(rows, columns, dtype=bool), name="eye")
    return b.op("Select", eye, b.op("ExpandDims", diagonal, axis=[-1 if columns >= rows else -2]),
                x)


@registry.op("BROADCAST_ARGS")
def broadcast_args(b: Builder, n: SourceNode) -> str:
    """The shape to which two shapes broadcast."""
    x, y = n.inputs[:2]
    missing = fixed_shape(b, x)[0] - fixed_shape(b, y)[0]
    ones = b.add_const(np.ones(abs(missing)), b.dtype(x), "ones")
    if missing > 0:
        y = b.op("Concat", ones, y, axis=0)
    elif missing < 0:
        x = b.op("Concat", ones, x, axis=0)
    one = b.add_const(np.array(1), b.dtype(x), "one")
    return b.op("Select", b.op("Compare", x, one, type="EQUAL"), y, x)


@registry.op("BUCKETIZE")
def bucketize(b: Builder, n: SourceNode) -> str:
    """How many boundaries are not above x."""
    return not_above(b, n.inputs[0], n.attr("Boundaries", []))


@registry.op("RIGHT_SHIFT")
def right_shift(b: Builder, n: SourceNode) -> str:
    x, shifts = n.inputs[0], ints(b, n.inputs[1])
    return _scaled(b, x, n.inputs[1], shifts, "FLOOR_DIV")


@registry.op("STABLEHLO_SHIFT_LEFT")
def shift_left(b: Builder, n: SourceNode) -> str:
    x, shifts = n.inputs[0], ints(b, n.inputs[1])
    return _scaled(b, x, n.inputs[1], shifts, "PROD")


def _scaled(b: Builder, x: str, like: str, shifts: list[int] | None, op: str) -> str:
    """Multiplies or divides by powers of two, in two steps whose factors all fit in int32."""
    kind = b.dtype(x)
    if shifts is None:
        raise Unsupported("its shift is computed while the model runs",
                          "make the shift a constant of the source model")
    if kind not in ("i32", "i16", "i8", "u8"):
        raise Unsupported(f"of {kind}", "use int32 in the source model")
    bits = 8 * np.dtype(NUMPY[kind]).itemsize
    shape = b.extents(like)
    given = np.array(shifts)
    most = np.clip(given, 0, bits - 1)
    y = x if kind == "i32" else b.op("Cast", x, to="i32")
    for part in (most // 2, most - most // 2):
        factors = np.left_shift(1, part).astype(np.int32).reshape([int(d or 0) for d in shape])
        y = b.op("Eltwise", y, b.add_const(factors, name="powers"), type=op)
    return y if kind == "i32" else b.op("Cast", y, to=kind)
