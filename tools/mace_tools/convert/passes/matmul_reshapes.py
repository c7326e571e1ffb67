"""Products with a matrix take rows of any number of dimensions, so that a Reshape to two dimensions
before and one back after are not needed.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.passes.match import is_op, only_producer, plain, with_constant
from mace_tools.convert.passes.rows import certain, keeps_rows, reshape_dims
from mace_tools.graph.ir import Graph, Node


def matmul_reshapes(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.op == "Reshape" and graph.rank(node.outputs[0]) == 3 and not graph.is_quantized(
                node):
            _rewrite(graph, node)


def _rewrite(graph: Graph, back: Node) -> None:
    """Reshape([N, S, M], [N * S, K] of x [N, S, K] times a matrix [+ a vector])"""
    bias = only_producer(graph, back.inputs[0])
    product = bias
    if is_op(bias, "Eltwise", type="SUM") and plain(bias):
        found = with_constant(graph, bias)
        if found is None or found[1].ndim != 1:
            return
        product = only_producer(graph, found[0])
    if product is None or product.op not in ("MatMul", "FullyConnected"):
        return
    weight = graph.const(product.inputs[1])
    flat = only_producer(graph, product.inputs[0])
    if weight is None or weight.ndim != 2 or not is_op(flat, "Reshape") or (
            product.op == "MatMul" and product.attr("transpose_a")):
        return
    x = flat.inputs[0]
    is_turned = product.op == "FullyConnected" or product.attr("transpose_b")
    features, results = weight.shape[::-1] if is_turned else weight.shape
    if graph.rank(x) != 3 or graph.rank(flat.outputs[0]) != 2 or certain(graph, x, 2) != features:
        return
    if not keeps_rows(graph, back, x):
        return
    last = (reshape_dims(graph, back) or [None])[-1]
    if last != -1 and certain(graph, back.outputs[0], 2) != results:
        return
    graph.set_inputs(product, [x, *product.inputs[1:]])
    shape = graph.shape(back.outputs[0])
    for name in {product.outputs[0], back.inputs[0]}:
        graph.tensors[name].shape = shape
        graph.origins.pop(name, None)
    graph.bypass(back, back.inputs[0], fused=True)
