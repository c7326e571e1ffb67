"""Operators for which the engine has no op of its own, composed of several.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.einsum import einsum
from mace_tools.convert.importers.operands import (
    INT32_MAX,
    fixed_int,
    fixed_ints,
    fixed_scalar,
    scalar,
)
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.graph.ir import NUMPY

registry.op("Einsum")(einsum)


@registry.op("Erfc")
def erfc(b: Builder, n: SourceNode) -> str:
    return b.op("Unary", n.inputs[0], type="ERFC")


@registry.op("IsFinite")
def is_finite(b: Builder, n: SourceNode) -> str:
    odd = [b.op("Unary", n.inputs[0], type=kind) for kind in ("IS_NAN", "IS_INF")]
    return b.op("Logical", b.op("Logical", *odd, type="OR"), type="NOT")


@registry.op("TruncateDiv")
def truncate_div(b: Builder, n: SourceNode) -> str:
    if b.dtype(n.inputs[0]) in ("f32", "f16"):
        raise Unsupported("floats, whose quotient it rounds to zero", "use tf.math.floordiv")
    return b.op("Eltwise", *n.inputs[:2], type="DIV")


@registry.op("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py")
def zero_where(b: Builder, n: SourceNode) -> str:
    """0 where the second (DivNoNan, MulNoNan) or the first operand is 0, whatever the other is"""
    x, y = n.inputs[:2]
    zero = scalar(b, 0, x)
    by = y if n.op.endswith("NoNan") else x
    if n.op == "Xlog1py":
        y = b.op("Eltwise", y, scalar(b, 1, y), type="SUM")
    if n.op.startswith("Xlog"):
        y = b.op("Unary", y, type="LOG")
    result = b.op("Eltwise", x, y, type="DIV" if n.op in ("DivNoNan", "Xdivy") else "PROD")
    return b.op("Select", b.op("Compare", by, zero, type="EQUAL"), zero, result)


@registry.op("LinSpace")
def lin_space(b: Builder, n: SourceNode) -> str:
    start, stop = (fixed_scalar(b, i, what) for i, what in zip(n.inputs, ("start", "stop")))
    count = fixed_int(b, n.inputs[2], "number of values")
    return b.add_const(np.linspace(start, stop, count), b.dtype(n.inputs[0]))


@registry.op("TensorScatterUpdate")
def tensor_scatter_update(b: Builder, n: SourceNode) -> str:
    n.only("bad_indices_policy", "", "leave wrong indices out before it")
    return b.op("ScatterNd", *n.inputs[:3])


@registry.op("MatrixBandPart")
def matrix_band_part(b: Builder, n: SourceNode) -> str:
    """The elements near the diagonal, 0 elsewhere"""
    x = n.inputs[0]
    lower, upper = (fixed_int(b, i, "number of diagonals") for i in n.inputs[1:3])
    rows, columns = b.extents(x)[-2:]
    if rows is None or columns is None:
        raise Unsupported("the matrix has no known size", "give input_shapes")
    keep = np.ones((rows, columns), np.bool_)
    keep = keep if lower < 0 else np.triu(keep, -lower)
    keep = keep if upper < 0 else np.tril(keep, upper)
    zero = np.zeros((), NUMPY[b.dtype(x)])
    return b.op("Select", b.add_const(keep), x, b.add_const(zero))


@registry.op("Roll")
def roll(b: Builder, n: SourceNode) -> str:
    """Along each axis, the last elements move to the front"""
    x = n.inputs[0]
    shifts, axes = fixed_ints(b, n.inputs[1], "shift"), fixed_ints(b, n.inputs[2], "axis")
    for shift, axis in zip(shifts, axes):
        extent = b.extents(x)[axis]
        if not extent:
            raise Unsupported("an extent of its operand is not known", "give input_shapes")
        at = -shift % extent
        if at:
            ends = [b.op("Slice", x, starts=[first], ends=[last], axes=[axis])
                    for first, last in ((at, INT32_MAX), (0, at))]
            x = b.op("Concat", *ends, axis=axis)
    return x
