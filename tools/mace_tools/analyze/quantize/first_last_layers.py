"""Which of a model's first and last layers stay in float32.

SPDX-License-Identifier: Apache-2.0

First layers that multiply little for each pixel mostly move elements, so that they take about as
long in float32 as quantized, and often subtract large products from each other, so that rounding
their operands to 8 bits costs much of the accuracy of all that follows. Later layers like them stay
quantized: around them, elements would have to be converted.

Results of last layers are what the model says: 256 quantized values for their whole range often do
not tell the best classes apart, or places of boxes. Their weights are stored as int8.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from mace_tools.analyze.quantize import accuracy_search, weights
from mace_tools.analyze.quantize.candidates import HEAVY
from mace_tools.analyze.quantize.scales import is_layer
from mace_tools.graph.ir import Graph, Node
from mace_tools.graph.quantized_weights import rows_of, store

_MAX_FOR_A_PIXEL = 512  # multiply-adds
# Of the model's multiply-adds.
_MAX_FIRST, _MAX_LAST = 0.25, 0.05


def first_layers(graph: Graph, nodes: Sequence[Node]) -> list[str]:
    """The names of nodes to leave in float32, of those that are to compute on quantized values."""
    by_name, chosen = {n.name: n for n in nodes}, set(nodes)
    rest = _MAX_FIRST * sum(_multiply_adds(graph, n) for n in nodes)
    floats: set[str] = set()
    for unit in accuracy_search.units(graph, nodes):
        first = by_name[unit[0]]
        above = [graph.producer(i) for i in first.inputs if i]
        if any(n in chosen and n.name not in floats for n in above if n is not None):
            continue
        if first.op in HEAVY and not _multiplies_little(graph, first):
            continue
        rest -= sum(_multiply_adds(graph, by_name[name]) for name in unit)
        if rest < 0:
            break
        floats.update(unit)
    # Without a layer among them, they would only move where quantized values begin.
    if not any(by_name[name].op in HEAVY for name in floats):
        return []
    return [n.name for n in nodes if n.name in floats]


def last_layers(graph: Graph, nodes: Sequence[Node]) -> list[str]:
    """The same, of layers whose results no other layer reads; all of them or none."""
    last: list[Node] = []
    followed: set[Node] = set()
    for node in reversed(graph.nodes):  # which are in the order of computing
        readers = [r for out in node.outputs for r in graph.consumers(out)]
        if any(r in followed or r.op in HEAVY for r in readers):
            followed.add(node)
        elif node.op in HEAVY and node in nodes:
            last.append(node)
    cost = sum(_multiply_adds(graph, n) for n in last)
    if cost > _MAX_LAST * sum(_multiply_adds(graph, n) for n in nodes):
        return []
    return [n.name for n in reversed(last)]


def store_weights(graph: Graph, names: Iterable[str]) -> None:
    """Stores the weights of these nodes as int8, where nothing else reads them."""
    wanted = set(names)
    for node in graph.nodes:
        if node.name not in wanted or not is_layer(graph, node) \
                or node.op not in ("Conv2d", "FullyConnected"):
            continue
        tensor = graph.tensors[node.inputs[1]]
        if tensor.packed is not None or len(graph.consumers(tensor.name)) > 1:
            continue
        rows = rows_of(tensor.data)
        scales = weights.scales(rows, 0)
        quantized, _ = weights.quantized(rows, np.where(scales > 0, scales, 1), 0)
        store(tensor, "i8", quantized, scales)


def _multiplies_little(graph: Graph, node: Node) -> bool:
    return (node.op in ("Conv2d", "DepthwiseConv2d") and is_layer(graph, node)
            and graph.tensors[node.inputs[1]].data.size <= _MAX_FOR_A_PIXEL)


def _multiply_adds(graph: Graph, node: Node) -> float:
    """0 where a shape is open."""
    shapes = [graph.tensors[name].static_shape for name in (node.inputs[0], node.outputs[0])]
    if node.op not in HEAVY or any(s is None or not s for s in shapes):
        return 0.0
    x, y = shapes
    if node.op == "MatMul":
        return float(np.prod(y, dtype=np.float64)) * x[-1]
    w = graph.tensors[node.inputs[1]].static_shape or (0,)
    if node.op == "FullyConnected":
        return float(np.prod(y, dtype=np.float64)) * float(np.prod(w[1:], dtype=np.float64))
    pixels = x[:-1] if node.op == "Deconv2d" else y[:-1]
    return float(np.prod(pixels, dtype=np.float64) * np.prod(w, dtype=np.float64))
