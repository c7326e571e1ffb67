"""Computes integers for which an op has no kernel in wider ones.

SPDX-License-Identifier: Apache-2.0

Casting back keeps the low bits, so that sums and products wrap around as in the source.
"""

import math

import numpy as np

from mace_tools.convert.passes.match import is_op
from mace_tools.graph.ir import Graph, Node, Tensor
from mace_tools.graph.op_support import RUN_BY_ENGINE, kernel_types

_NARROW = ("i8", "u8", "i16")
_MAX_PRODUCTS = 1 << 25  # of a matrix product, all of which lie in memory


def widen_integers(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.is_custom or node.op in RUN_BY_ENGINE or not node.inputs or not node.inputs[0] \
                or graph.is_quantized(node):
            continue
        kind, types = graph.tensors[node.inputs[0]].dtype, kernel_types(node)
        if kind in types or kind[0] not in "iu":
            continue
        if node.op == "MatMul":
            _multiply(graph, node, kind)
        elif kind in _NARROW and "i32" in types:
            _widen(graph, node, kind, "i32")
        elif kind in ("i8", "u8") and is_op(node, "Resize", mode="LINEAR"):
            _widen(graph, node, kind, "f32")  # and cut the fractions off
        elif is_op(node, "Activation", activation="RELU"):
            node.op, node.attrs = "Clip", {"min": 0}


def _widen(graph: Graph, node: Node, kind: str, wide: str) -> None:
    graph.set_inputs(node, [
        _cast(graph, name, wide) if name and graph.tensors[name].dtype == kind else name
        for name in node.inputs])
    for k, out in enumerate(list(node.outputs)):
        if graph.tensors[out].dtype == kind:
            inner = _new(graph, f"{out}/wide", wide, graph.shape(out))
            graph.set_output(node, k, inner)
            graph.add("Cast", [inner], [out], f"{out}/narrow", to=kind)


def _cast(graph: Graph, name: str, to: str) -> str:
    tensor = graph.tensors[name]
    if tensor.data is not None:
        return graph.add_const(f"{name}/{to}", tensor.data, to)
    wide = _new(graph, f"{name}/{to}", to, tensor.shape)
    return graph.add("Cast", [name], [wide], to=to).outputs[0]


def _new(graph: Graph, base: str, dtype: str, shape: tuple | None) -> str:
    return graph.add_tensor(Tensor(graph.fresh(base), dtype, shape)).name


def _multiply(graph: Graph, node: Node, kind: str) -> None:
    """A matrix product of integers: the sum of all products along the axis between."""
    wide = "i64" if kind == "i64" else "i32"
    a, b = node.inputs
    ranks = [graph.rank(name) for name in (a, b)]
    if None in ranks or 0 in ranks or _products(graph, node) > _MAX_PRODUCTS:
        return
    out = node.outputs[0]
    row, column = ranks[0] == 1, ranks[1] == 1
    a, b = (name if kind == wide else _cast(graph, name, wide) for name in (a, b))
    a = _turned(graph, a, ranks[0]) if node.attr("transpose_a") and not row else a
    b = _turned(graph, b, ranks[1]) if node.attr("transpose_b") and not column else b
    # [..., M, K, 1] times [..., 1, K, N], without M or N for a row or a column.
    a = graph.add("ExpandDims", [a], axis=[ranks[0]]).outputs[0]
    axis = [1] if column else [] if row else [ranks[1] - 2]
    b = graph.add("ExpandDims", [b], axis=axis).outputs[0] if axis else b
    graph.remove(node)
    every = graph.add("Eltwise", [a, b], type="PROD").outputs[0]
    total = graph.add("Reduce", [every], reduce_type="SUM", axis=[-2], keepdims=0).outputs[0]
    if column:
        total = graph.add("Squeeze", [total], axis=[-1]).outputs[0]
    if kind == wide:
        graph.add("Identity", [total], [out], out)
    else:
        graph.add("Cast", [total], [out], out, to=kind)


def _products(graph: Graph, node: Node) -> int:
    """How many there are as far as the shapes are known."""
    y, k = graph.shape(node.outputs[0]), graph.shape(node.inputs[0])[-1]
    return math.prod(np.array([d or 1 for d in (*(y or ()), k)], object))


def _turned(graph: Graph, name: str, rank: int) -> str:
    dims = [*range(rank - 2), rank - 1, rank - 2]
    return graph.add("Transpose", [name], dims=dims).outputs[0]
