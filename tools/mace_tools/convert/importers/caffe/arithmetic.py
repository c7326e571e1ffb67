"""Sums and products of blobs, and of blobs with weights.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.operands import fixed_shape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.support.errors import ModelError


@registry.op("Eltwise")
def eltwise(b: Builder, n: Layer) -> str:
    n.check_bottoms(1, max(1, n.num_bottoms))
    kind, coeff = n.attr("operation"), n.attr("coeff") or []
    if coeff and kind != "SUM":
        raise ModelError(f"Eltwise '{n.name}': coeff goes with operation: SUM, not with {kind}")
    if coeff and len(coeff) != n.num_bottoms:
        raise ModelError(f"Eltwise '{n.name}' has {n.num_bottoms} bottoms and {len(coeff)} coeff")
    _check_same_shape(b, n)
    terms = [x if c == 1 else b.op("Eltwise", x, b.add_const(np.float32(c)), type="PROD")
             for x, c in zip(n.bottoms, coeff or [1] * n.num_bottoms)]
    y = terms[0] if n.num_bottoms > 1 or coeff not in ([], [1]) else b.op("Identity", terms[0])
    for term in terms[1:]:
        y = b.op("Eltwise", y, term, type=kind)
    return y


def _check_same_shape(b: Builder, n: Layer) -> None:
    """Caffe does not broadcast. Errors: ModelError."""
    shapes = [b.shape(x) for x in n.bottoms]
    first = shapes[0]
    for name, shape in zip(n.bottoms[1:], shapes[1:]):
        if first is None or shape is None:
            continue
        if len(first) != len(shape) or any(
                None not in (p, q) and p != q for p, q in zip(first, shape)):
            raise ModelError(f"{n.op} '{n.name}': its bottoms '{n.bottoms[0]}' {list(first)} and "
                             f"'{name}' {list(shape)} differ in shape")


@registry.op("Scale")
def scale(b: Builder, n: Layer) -> str:
    n.check_bottoms(1, 2)
    x, bias = n.bottoms[0], bool(n.attr("bias_term"))
    if n.num_bottoms == 2:
        factor = _fitted(b, n, n.bottoms[1])
        y = b.op("Eltwise", x, factor, type="PROD")
        if not bias:
            return y
        shape = tuple(fixed_shape(b, n.bottoms[1]))
        return b.op("Eltwise", y, _placed(b, n, n.check_weights([shape])[0]), type="SUM")
    shape = _covered(b, n)
    arrays = n.check_weights([shape] * (1 + bias))
    y = b.op("Eltwise", x, _placed(b, n, arrays[0]), type="PROD")
    return b.op("Eltwise", y, _placed(b, n, arrays[1]), type="SUM") if bias else y


@registry.op("Bias")
def bias(b: Builder, n: Layer) -> str:
    n.check_bottoms(1, 2)
    if n.num_bottoms == 2:
        return b.op("Eltwise", n.bottoms[0], _fitted(b, n, n.bottoms[1]), type="SUM")
    array, = n.check_weights([_covered(b, n)])
    return b.op("Eltwise", n.bottoms[0], _placed(b, n, array), type="SUM")


def _covered(b: Builder, n: Layer) -> tuple[int, ...] | None:
    """The shape of the weights: the bottom's from `axis` on, or a part of it; None: unknown."""
    shape, rank, count = b.extents(n.bottoms[0]), b.rank(n.bottoms[0]), n.attr("num_axes")
    axis = n.axis(b) if count else 0
    end = rank if count == -1 else axis + count
    if count < -1 or end > rank:
        raise ModelError(f"{n.op} '{n.name}': num_axes {count} from axis {axis} on is more than "
                         f"the {rank} axes of its bottom")
    part = shape[axis:end]
    return None if None in part else tuple(int(e) for e in part if e is not None)


def _placed(b: Builder, n: Layer, array: np.ndarray) -> str:
    """Weights with ones behind them, so that they meet the axes from `axis` on."""
    axis = n.axis(b) if array.ndim else 0
    behind = b.rank(n.bottoms[0]) - axis - array.ndim if array.ndim else 0
    return b.add_const(array.reshape((*array.shape, *[1] * behind)), name="weights")


def _fitted(b: Builder, n: Layer, y: str) -> str:
    """The second bottom with ones behind it, so that it meets the axes from `axis` on."""
    n.attr("num_axes")  # without meaning for a bottom
    if not b.rank(y):
        n.attr("axis")
        return y
    behind = b.rank(n.bottoms[0]) - n.axis(b) - b.rank(y)
    if behind < 0:
        raise ModelError(f"{n.op} '{n.name}': its second bottom '{y}' has more axes than the first "
                         f"has from axis {n.attr('axis')} on")
    if not behind:
        return y
    return b.op("ExpandDims", y, axis=[b.rank(y) + k for k in range(behind)])


@registry.op("Axpy")
def axpy(b: Builder, n: Layer) -> str:
    """a x + y, with one number a for each channel of x."""
    n.check_bottoms(3)
    a, x, y = n.bottoms
    if b.rank(a) == 2:
        a = b.op("ExpandDims", a, axis=[2, 3])
    return b.op("Eltwise", b.op("Eltwise", x, a, type="PROD"), y, type="SUM")


@registry.op("InnerProduct")
def inner_product(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    x, axis = n.bottoms[0], n.axis(b)
    shape, out = b.extents(x)[axis:], n.needed("num_output")
    if out < 1:
        raise ModelError(f"InnerProduct '{n.name}': num_output is {out}, it must be 1 or larger")
    turned = n.attr("transpose")
    if None in shape:
        if not n.blobs:
            n.check_weights([None])
        inner = n.blobs[0].array.size // out
    else:
        inner = int(np.prod(shape, dtype=np.int64))
    w, *bias = n.check_weights([(inner, out) if turned else (out, inner),
                                *([(out,)] if n.attr("bias_term") else [])])
    if b.rank(x) > axis + 1:
        x = b.op("Flatten", x, axis=1) if axis == 1 else b.op("Reshape", x, dim=[0] * axis + [-1])
    if axis == 0:  # a vector
        x = b.op("ExpandDims", x, axis=[0])
    filter_ = b.add_const(np.ascontiguousarray(w.T if turned else w), name="weights")
    y = b.op("FullyConnected", x, filter_, *[b.add_const(v, name="bias") for v in bias])
    return b.op("Squeeze", y, axis=[0]) if axis == 0 else y


@registry.op("Embed")
def embed(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    out, size = n.needed("num_output"), n.needed("input_dim")
    table, *bias = n.check_weights([(size, out), *([(out,)] if n.attr("bias_term") else [])])
    if bias:
        table = table + bias[0]
    index = b.op("Cast", n.bottoms[0], to="i32")
    return b.op("Gather", b.add_const(table, name="table"), index, axis=0)


@registry.op("Reduction")
def reduction(b: Builder, n: Layer) -> str:
    """Over all axes from `axis` on."""
    n.check_bottoms()
    x, axis, kind = n.bottoms[0], n.axis(b), n.attr("operation")
    if not b.rank(x):
        raise Unsupported("its bottom has no axes")
    how = {"SUM": "SUM", "ASUM": "L1", "SUMSQ": "SUM_SQUARE", "MEAN": "MEAN"}[kind]
    y = b.op("Reduce", x, reduce_type=how, axis=list(range(axis, b.rank(x))), keepdims=0)
    coeff = n.attr("coeff")
    return y if coeff == 1 else b.op("Eltwise", y, b.add_const(np.float32(coeff)), type="PROD")
