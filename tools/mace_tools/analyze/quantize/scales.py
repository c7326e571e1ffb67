"""The quantization parameters of every tensor: its own range, that of others with which it shares
quantized values, or what its op says.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence

import numpy as np

from mace_tools.analyze.quantize import ranges
from mace_tools.analyze.quantize.candidates import fixed_quant, keeps_scale
from mace_tools.analyze.quantize.ranges import Range
from mace_tools.convert.passes.match import CONV_LIKE
from mace_tools.graph.ir import Graph, Node, Quant


class Scales:
    """Tensors in groups, each of which has one scale and zero point."""

    def __init__(self, graph: Graph, nodes: Sequence[Node], chosen: Mapping[str, Range]) -> None:
        """`chosen`: the range of each tensor that `nodes` read or compute."""
        self._above: dict[str, str] = {}
        self._fixed: dict[str, Quant] = {}
        self._ranges: dict[str, Range] = {}
        # The group of the result, where an operand has a fixed scale and another one is wanted.
        self._instead: dict[tuple[str, str], str] = {}
        for node in nodes:
            self._add(graph, node, chosen)

    def of(self, name: str, reader: Node | None = None) -> Quant:
        """Of a tensor, as the node `reader` wants it."""
        root = self._root(name)
        if reader is not None:
            root = self._root(self._instead.get((reader.name, name), name))
        return self._fixed.get(root) or ranges.quant_of(*self._ranges[root])

    def _add(self, graph: Graph, node: Node, chosen: Mapping[str, Range]) -> None:
        for name in (*_operands(graph, node), *node.outputs):
            if name not in self._above:
                self._above[name] = name
                self._ranges[name] = _own_range(graph, name, chosen)
        fixed = fixed_quant(node)
        if fixed is not None:
            self._fixed[self._root(node.outputs[0])] = fixed
        if not keeps_scale(node):
            return
        operands, first = _operands(graph, node), node.outputs[0]
        free = [n for n in operands if self._root(n) not in self._fixed]
        if not free and len({_key(self.of(n)) for n in operands}) == 1:
            free = operands[:1]  # all have the same fixed one, and so has the result
        for name in (*free, *node.outputs[1:]):
            self._join(name, first)
        for name in operands:
            if self._root(name) != self._root(first):
                self._instead[(node.name, name)] = first

    def _join(self, a: str, b: str) -> None:
        keep, gone = self._root(a), self._root(b)
        if keep == gone:
            return
        self._above[gone] = keep
        low, high = zip(self._ranges.pop(gone), self._ranges[keep])
        self._ranges[keep] = (min(low), max(high))
        if gone in self._fixed:
            self._fixed.setdefault(keep, self._fixed.pop(gone))

    def _root(self, name: str) -> str:
        while self._above[name] != name:
            name = self._above[name]
        return name


def _operands(graph: Graph, node: Node) -> list[str]:
    """The operands that have quantized values of activations."""
    found = [n for n in node.inputs if n and graph.tensors[n].dtype == "f32"]
    if is_layer(graph, node):
        return found[:1]
    return found


def _own_range(graph: Graph, name: str, chosen: Mapping[str, Range]) -> Range:
    data = graph.tensors[name].data
    if data is None or not data.size:
        return chosen.get(name, (0.0, 0.0))
    return min(0.0, float(data.min())), max(0.0, float(data.max()))


def is_layer(graph: Graph, node: Node) -> bool:
    """Whether the node has weights, whose quantized values have scales of their own."""
    return node.op in CONV_LIKE and graph.tensors[node.inputs[1]].is_const


def _key(quant: Quant) -> tuple[float, int]:
    return float(np.float32(quant.scale[0])), int(quant.zero_point[0])
