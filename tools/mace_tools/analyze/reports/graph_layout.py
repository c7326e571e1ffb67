"""Places the nodes of a graph: in layers from top to bottom, and long graphs in several columns.

SPDX-License-Identifier: Apache-2.0

Layers and crossings as in Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of
Hierarchical System Structures" (1981): each node stands one layer below the lowest that it reads,
long edges pass through points between the nodes, and barycenters order the layers. The positions
within a layer are those with the least squares from the means of the neighbours, by isotonic
regression. Everything is linear in nodes and edges but for sorting.
"""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 150, 34  # of a node
ROW, GAP, GUTTER = 56, 22, 46  # from layer to layer, between nodes, between columns
POINT = 10  # the width of a point of a long edge
SWEEPS = 3
ASPECT = 1.6  # width by height that columns aim at

Edge = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """The top left corner of each node, the points through which each edge passes, and the size of
    the drawing."""

    places: list[tuple[int, int]]
    points: list[list[tuple[int, int]]]
    width: int
    height: int


def place(count: int, edges: Sequence[Edge]) -> Layout:
    """Nodes are numbered so that each edge leads to a higher number."""
    layer = _layers(count, edges)
    chains, layer = _split_long_edges(count, edges, layer)
    rows = _ordered(layer, chains)
    x = _positions(rows, chains, count)
    return _in_columns(count, rows, x, chains)


def _layers(count: int, edges: Sequence[Edge]) -> list[int]:
    layer, readers = [0] * count, [count] * count
    before: list[list[int]] = [[] for _ in range(count)]
    for start, end in edges:
        if not 0 <= start < end < count:
            raise ValueError(f"edge {start} -> {end} does not lead to a later node of {count}")
        before[end].append(start)
    for node in range(count):
        layer[node] = max((layer[b] + 1 for b in before[node]), default=0)
    for start, end in edges:
        readers[start] = min(readers[start], layer[end])
    for node in range(count):  # what reads nothing stands just above its reader
        if not before[node] and readers[node] < count:
            layer[node] = readers[node] - 1
    return layer


def _split_long_edges(
    count: int, edges: Sequence[Edge], layer: list[int]
) -> tuple[list[list[int]], list[int]]:
    """Each edge as the chain of its nodes, with new ones between them, and the layers of all. The
    longest edges get none, so that there are at most about twice as many points as nodes."""
    spans = sorted(layer[end] - layer[start] - 1 for start, end in edges)
    left, longest = 2 * count + 200, 0
    for span in spans:
        left -= span
        if left < 0:
            break
        longest = span
    layer, chains = list(layer), []
    for start, end in edges:
        chain = [start]
        if layer[end] - layer[start] - 1 <= longest:
            for between in range(layer[start] + 1, layer[end]):
                chain.append(len(layer))
                layer.append(between)
        chains.append([*chain, end])
    return chains, layer


def _neighbours(size: int, chains: Sequence[Sequence[int]]) -> tuple[list[list[int]], ...]:
    """What each reads, and what reads it."""
    above: list[list[int]] = [[] for _ in range(size)]
    below: list[list[int]] = [[] for _ in range(size)]
    for chain in chains:
        for start, end in zip(chain, chain[1:]):
            above[end].append(start)
            below[start].append(end)
    return above, below


def _ordered(layer: Sequence[int], chains: Sequence[Sequence[int]]) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for item, at in enumerate(layer):
        rows[at].append(item)
    above, below = _neighbours(len(layer), chains)
    rank = [0.0] * len(layer)
    for sweep in range(2 * SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            for k, item in enumerate(row):
                own = near[item]
                rank[item] = sum(rank[o] for o in own) / len(own) if own else k / len(row)
            row.sort(key=rank.__getitem__)
            for k, item in enumerate(row):
                rank[item] = (k + 0.5) / len(row)
    return rows


def _positions(
    rows: Sequence[Sequence[int]], chains: Sequence[Sequence[int]], count: int
) -> list[float]:
    """The middle of each item."""
    size = sum(map(len, rows))
    above, below = _neighbours(size, chains)
    width = [WIDTH if item < count else POINT for item in range(size)]
    x = [0.0] * size
    for sweep in range(2 * SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            wanted = [sum(x[o] for o in near[item]) / len(near[item]) if near[item] else x[item]
                      for item in row]
            for item, at in zip(row, spread(wanted, [width[item] for item in row])):
                x[item] = at
    return x


def spread(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Middles in this order that do not overlap, with the least squares from those wanted.

    >>> spread([0, 0], [10, 10])
    [-16.0, 16.0]
    """
    offsets, at = [], 0.0
    for k, width in enumerate(widths):
        at += (widths[k - 1] / 2 + width / 2 + GAP) if k else 0.0
        offsets.append(at)
    blocks: list[tuple[float, int]] = []  # sum and number of equal values
    for goal, offset in zip(wanted, offsets):
        total, number = goal - offset, 1
        while blocks and blocks[-1][0] * number >= total * blocks[-1][1]:
            before = blocks.pop()
            total, number = total + before[0], number + before[1]
        blocks.append((total, number))
    flat = [total / number for total, number in blocks for _ in range(number)]
    return [value + offset for value, offset in zip(flat, offsets)]


def _in_columns(
    count: int, rows: Sequence[Sequence[int]], x: Sequence[float],
    chains: Sequence[Sequence[int]],
) -> Layout:
    """Cuts the layers into columns side by side."""
    half = WIDTH / 2
    ends = [(min(x[i] - half for i in row), max(x[i] + half for i in row)) for row in rows]
    per = _rows_per_column(ends)
    at: dict[int, tuple[int, int]] = {}
    column_of, left, edge = {}, 0.0, []
    for column, first in enumerate(range(0, len(rows), per)):
        own = ends[first:first + per]
        low, high = min(e[0] for e in own), max(e[1] for e in own)
        for k, row in enumerate(rows[first:first + per]):
            for item in row:
                at[item] = (round(left + x[item] - low), k * ROW + HEIGHT // 2)
                column_of[item] = column
        edge.append(round(left + high - low + GUTTER / 2))
        left += high - low + GUTTER
    height = min(per, len(rows)) * ROW - ROW + HEIGHT if rows else 0
    points = [_path(chain, at, column_of, edge, height) for chain in chains]
    places = [(at[k][0] - WIDTH // 2, at[k][1] - HEIGHT // 2) for k in range(count)]
    return Layout(places, points, max(0, round(left - GUTTER)), height)


def _rows_per_column(ends: Sequence[tuple[float, float]]) -> int:
    """How many layers a column has, so that the drawing is about ASPECT times as wide as high."""
    best, least = len(ends) or 1, float("inf")
    for columns in range(1, 65):
        per = -(-len(ends) // columns)
        if per < 1:
            break
        width = sum(max(e[1] for e in ends[k:k + per]) - min(e[0] for e in ends[k:k + per]) + GUTTER
                    for k in range(0, len(ends), per))
        ratio = width / (per * ROW * ASPECT)
        if max(ratio, 1 / ratio) < least:
            best, least = per, max(ratio, 1 / ratio)
    return best


def _path(
    chain: Sequence[int], at: dict[int, tuple[int, int]], column_of: dict[int, int],
    edge: Sequence[int], height: int,
) -> list[tuple[int, int]]:
    """The points between the ends of an edge; it changes columns below them and between them."""
    found = []
    for before, item in zip(chain, chain[1:]):
        if column_of[item] != column_of[before]:
            side = edge[column_of[item] - 1]
            found += [(edge[column_of[before]], height + ROW // 3), (side, height + ROW // 3),
                      (side, -ROW // 3)]
        if item != chain[-1]:
            found.append(at[item])
    return found
