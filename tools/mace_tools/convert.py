"""Makes an imported graph canonical: the list of passes, in order.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mace_tools.infer import infer_graph
from mace_tools.ir import Graph

Pass = Callable[[Graph], None]


@dataclass
class Options:
    """What a user may ask of the passes."""

    # Order of 4-D inputs and outputs by name: NHWC or NCHW; the source's where not named.
    input_formats: dict[str, str] = field(default_factory=dict)
    output_formats: dict[str, str] = field(default_factory=dict)


def convert(graph: Graph, options: Options | None = None) -> Graph:
    """Rewrites the graph in place and returns it, sorted, pruned and validated."""
    options = options or Options()
    for one in passes():
        one(graph)
        graph.prune()
        graph.topo_sort()
        infer_graph(graph)
    graph.validate()
    return graph


def passes() -> list[Pass]:
    return []
