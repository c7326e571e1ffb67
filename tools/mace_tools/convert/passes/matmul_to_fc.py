"""Turns products with a constant matrix into FullyConnected, and folds transposes into MatMul.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.graph.ir import Graph, Node
from mace_tools.graph.quantization import permuted_quant


def matmul_to_fc(graph: Graph) -> None:
    for node in list(graph.nodes):
        if graph.is_quantized(node):
            continue
        if node.op == "MatMul":
            for side, flag in ((0, "transpose_a"), (1, "transpose_b")):
                _fold_transpose(graph, node, side, flag)
            _to_fully_connected(graph, node)


def _fold_transpose(graph: Graph, node: Node, side: int, flag: str) -> None:
    """Replaces MatMul(a, transposed b) by the attribute of MatMul."""
    maker = graph.producer(node.inputs[side])
    if maker is None or maker.op != "Transpose" or "dims" not in maker.attrs:
        return
    dims = list(maker.attrs["dims"])
    rank = len(dims)
    if rank < 2 or dims != [*range(rank - 2), rank - 1, rank - 2]:
        return
    inputs = list(node.inputs)
    inputs[side] = maker.inputs[0]
    graph.set_inputs(node, inputs)
    node.attrs[flag] = 1 - int(node.attr(flag))


def _to_fully_connected(graph: Graph, node: Node) -> None:
    weight = graph.const(node.inputs[1])
    rank = graph.rank(node.inputs[0])
    if weight is None or weight.ndim != 2 or rank is None or rank < 2:
        return
    if node.attr("transpose_a"):
        return
    if not node.attr("transpose_b"):
        name = graph.add_const(f"{node.inputs[1]}_t", weight.T, like=node.inputs[1])
        source = graph.tensors[node.inputs[1]].source_quant
        graph.tensors[name].source_quant = permuted_quant(source, [1, 0])
        graph.set_inputs(node, [node.inputs[0], name])
    node.op = "FullyConnected"
    node.attrs = {}
