"""IF and WHILE.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceGraph, SourceNode
from mace_tools.convert.importers.subgraphs import branches, loop_node
from mace_tools.convert.importers.tflite import registry
from mace_tools.support.errors import ModelError

_FOREVER = (1 << 63) - 1

registry.without_meaning(
    "numbers of graphs, which the attributes hold", "ThenSubgraphIndex", "ElseSubgraphIndex",
    "CondSubgraphIndex", "BodySubgraphIndex", ops=["IF", "WHILE"],
)


@registry.op("IF")
def if_(b: Builder, n: SourceNode) -> list[str]:
    """The branch that the condition chooses, if it is constant; else an If of the engine"""
    condition, *given = n.inputs
    both = n.attr("then"), n.attr("else")
    for branch in both:
        _check(n, branch, len(given), len(n.outputs))
    value = b.const(condition)
    if value is None:
        return branches(b, n, condition, *both, given)
    chosen = both[0] if bool(value.reshape(-1)[0]) else both[1]
    for source, tensor in zip(chosen.inputs, given):
        b.rename_input(source, tensor)
    return b.inline(n, chosen)


@registry.op("WHILE")
def while_(b: Builder, n: SourceNode) -> list[str]:
    """A Loop of the engine, whose body ends with the condition"""
    condition, body = n.attr("condition"), n.attr("body")
    _check(n, condition, len(n.inputs), 1)
    _check(n, body, len(n.inputs), len(n.inputs))

    def of(values: list[str]) -> str:
        for source, tensor in zip(condition.inputs, values):
            b.rename_input(source, tensor)
        return b.inline(n, condition)[0]

    first = of(n.inputs)
    # The number of the iteration and the condition have no names in the body.
    whole = SourceGraph(body.nodes, body.outputs, ["", "", *body.inputs])
    return loop_node(b, n, whole, b.add_const(np.int64(_FOREVER)), first, n.inputs, end=of)


def _check(n: SourceNode, graph: SourceGraph, inputs: int, outputs: int) -> None:
    if len(graph.inputs) != inputs or len(graph.outputs) != outputs:
        raise ModelError(f"{n.op} '{n.name}': one of its graphs has {len(graph.inputs)} inputs and "
                         f"{len(graph.outputs)} outputs; it must have {inputs} and {outputs}")
