"""Marks the convolutions that a GPU may compute in Winograd's tiles.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.ir import Graph

LARGEST = 4  # tile that the engine has


def mark_winograd(graph: Graph, tile: int) -> None:
    """Sets the attribute `winograd` of convolutions of 3x3 taps at stride 1; a tile of 0: of
    none."""
    if tile == 0:
        return
    for node in graph.nodes:
        if node.op != "Conv2d" or node.attrs.get("group", 1) != 1:
            continue
        filter_shape = graph.shape(node.inputs[1])
        steps = [*node.attrs.get("strides", [1, 1]), *node.attrs.get("dilations", [1, 1])]
        if filter_shape is not None and tuple(filter_shape[2:]) == (3, 3) and set(steps) == {1}:
            node.attrs["winograd"] = min(tile, LARGEST)
