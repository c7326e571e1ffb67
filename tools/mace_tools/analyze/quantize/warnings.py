"""What a quantization should be doubted for: outputs that are unlike those of the float model, or
of which columns lose their order, and the layers at fault.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable, Mapping

from mace_tools.analyze.quantize.layer_errors import Error
from mace_tools.convert.passes.match import CONV_LIKE
from mace_tools.graph.ir import Graph

MIN_SIMILARITY = 0.98
_MAX_NAMED = 8  # columns
# Their results are shares of 1, of which most are too small for 8 bits in any model.
_SHARES = ("Softmax",)
_MOVES = ("Reshape", "Transpose", "Squeeze", "ExpandDims", "Identity", "Dequantize")


def of_outputs(graph: Graph, errors: Mapping[str, Error], outputs: Iterable[str],
               fault: str = "") -> list[str]:
    """A sentence for each. `graph`: of floats; `errors`: of its tensors. `fault`: what is to blame,
    if the errors are of outputs only."""
    found = []
    for name in outputs:
        error = errors.get(name)
        if error is None:
            continue
        if error.similarity < MIN_SIMILARITY:
            drop = fault or _largest_drop(graph, errors, name)
            found.append(f"output '{name}' has the similarity {error.similarity:.4f} to the float "
                         f"model, which is below {MIN_SIMILARITY:g}{drop}")
        lost = {} if _is_of_shares(graph, name) else error.columns.lost()
        if lost:
            axis, which = min(lost.items(), key=lambda item: len(item[1]))
            some = ", ".join(map(str, which[:_MAX_NAMED]))
            more = ", ..." if len(which) > _MAX_NAMED else ""
            found.append(f"output '{name}': {len(which)} columns lose their order (axis {axis}: "
                         f"{some}{more}){fault or _loser(graph, errors, name)}")
    return found


def _is_of_shares(graph: Graph, name: str) -> bool:
    node = graph.producer(name)
    while node is not None and node.op in _MOVES:
        node = graph.producer(node.inputs[0])
    return node is not None and node.op in _SHARES


def _loser(graph: Graph, errors: Mapping[str, Error], output: str) -> str:
    """The node whose operands still have the order of columns that its result has lost."""
    name, node = output, graph.producer(output)
    while node is not None:
        before = [i for i in node.inputs if i in errors and errors[i].columns.lost()]
        if not before or node.op in CONV_LIKE:
            break
        name = before[0]
        node = graph.producer(name)
    if node is None:
        return ""
    return f"; the layer at fault is {node}: float_nodes keeps it in float32"


def _largest_drop(graph: Graph, errors: Mapping[str, Error], output: str) -> str:
    """The node of those before an output that loses most."""
    stack, seen, drops = [output], set(), {}
    while stack:
        name = stack.pop()
        node = graph.producer(name)
        if node is None or name in seen:
            continue
        seen.add(name)
        operands = [i for i in node.inputs if i and not graph.tensors[i].is_const]
        stack += operands
        if name in errors:
            before = min((errors[i].sqnr_db for i in operands if i in errors), default=60.0)
            drops[name] = min(before, 60.0) - errors[name].sqnr_db
    if not drops:
        return ""
    worst = max(drops, key=lambda n: drops[n])
    return (f"; the layer that loses most is {graph.producer(worst)} ({drops[worst]:.0f} dB): "
            "float_nodes keeps it in float32")
