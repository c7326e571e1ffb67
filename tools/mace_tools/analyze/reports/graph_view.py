"""The graph of a model on a page: nodes and edges to zoom, search and click, in several colours.

SPDX-License-Identifier: Apache-2.0

The nodes are placed here (graph_layout.py) and drawn on a canvas by graph.js, which a graph of
5,000 nodes needs. Their data are compressed, so that pages stay small.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mace_tools.analyze.reports import Html, attribute, graph_layout, packed
from mace_tools.support.tables import printable


@dataclass(frozen=True)
class Node:
    """`details` are what a click shows, by their labels, and `reads` and `writes` the names of
    tensors with a description of each."""

    name: str
    op: str
    reads: Sequence[tuple[str, str]] = ()
    writes: Sequence[tuple[str, str]] = ()
    details: Sequence[tuple[str, str]] = ()
    is_end: bool = False  # an input or an output of the model


@dataclass(frozen=True)
class Kinds:
    """Colours by kind: one of `entries` (its name and colour) for each node, or None."""

    title: str
    entries: Sequence[tuple[str, str]]
    of_node: Sequence[int | None]


@dataclass(frozen=True)
class Amounts:
    """Colours by amount: from 0 to 1 for each node, or None; `low` and `high` name the ends."""

    title: str
    low: str
    high: str
    of_node: Sequence[float | None]


@dataclass(frozen=True)
class Graph:
    """Nodes in the order of computation."""

    nodes: Sequence[Node]
    colors: Sequence[Kinds | Amounts] = field(default_factory=tuple)


def render(label: str, graph: Graph) -> Html:
    """`label` says what the graph is. A page may have several."""
    return Html(f'<div class="graph" data-label="{attribute(label)}" '
                f'data-packed="{packed(_data(graph))}"></div>\n')


def edges(nodes: Sequence[Node]) -> list[tuple[int, int, str]]:
    """Who reads a tensor of whom, each pair once, with the tensor's name."""
    makers: dict[str, int] = {}
    found: dict[tuple[int, int], str] = {}
    for k, node in enumerate(nodes):
        for name, _ in node.reads:
            if name in makers:
                found.setdefault((makers[name], k), name)
        makers.update({name: k for name, _ in node.writes})
    return [(start, end, name) for (start, end), name in found.items()]


def _data(graph: Graph) -> dict[str, Any]:
    found = edges(graph.nodes)
    layout = graph_layout.place(len(graph.nodes), [(start, end) for start, end, _ in found])
    return {
        "size": [graph_layout.WIDTH, graph_layout.HEIGHT], "width": layout.width,
        "height": layout.height,
        "nodes": [[x, y, printable(n.op), printable(n.name), _pairs(n.reads), _pairs(n.writes),
                   _pairs(n.details), int(n.is_end)]
                  for n, (x, y) in zip(graph.nodes, layout.places)],
        "edges": [[start, end, [c for point in points for c in point]]
                  for (start, end, _), points in zip(found, layout.points)],
        "colors": [_color(c) for c in graph.colors]}


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    return [[printable(a), printable(b)] for a, b in pairs]


def _color(color: Kinds | Amounts) -> dict[str, Any]:
    if isinstance(color, Kinds):
        return {"title": color.title, "entries": [list(e) for e in color.entries],
                "of": list(color.of_node)}
    return {"title": color.title, "low": color.low, "high": color.high,
            "of": [None if v is None else round(min(1.0, max(0.0, v)), 4) for v in color.of_node]}
