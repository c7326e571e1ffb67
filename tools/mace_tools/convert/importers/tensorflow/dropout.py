"""Leaves out dropout: it scales and masks at random in training, and does nothing in inference.

SPDX-License-Identifier: Apache-2.0

The three forms that tf.nn.dropout has had, of x with u drawn evenly from [0, 1):

    x / keep * floor(keep + u)        x * scale * cast(u >= rate)       select(u >= rate, x * scale,
    0)
"""

from dataclasses import replace

import numpy as np

from mace_tools.convert.importers.source import SourceModel, SourceNode

RANDOM = ("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2")
_SUMS, _QUOTIENTS = ("Add", "AddV2"), ("RealDiv", "Div", "DivNoNan")


def without_dropout(model: SourceModel) -> SourceModel:
    """The model with an Identity in place of each dropout."""
    if not any(node.op in RANDOM for node in model.nodes):
        return model
    finder = _Finder(model)
    nodes = []
    for node in model.nodes:
        kept = finder.operand(node)
        nodes.append(node if kept is None else replace(
            node, op="Identity", inputs=[kept], outputs=node.outputs[:1], attrs={}))
    return replace(model, nodes=nodes)


class _Finder:
    def __init__(self, model: SourceModel) -> None:
        self._constants = model.constants
        self._made = model.producers()

    def operand(self, node: SourceNode) -> str | None:
        """What a dropout with this last node applies to; None if the node is another."""
        if node.op == "Mul":
            for scaled, mask in (node.inputs, node.inputs[::-1]):
                if self._is_mask(mask):
                    return self._unscaled(scaled)
        if node.op in ("Select", "SelectV2") and self._is_kept(node.inputs[0]):
            rest = self._constants.get(node.inputs[2])
            if rest is not None and not rest.any():
                return self._unscaled(node.inputs[1])
        return None

    def _unscaled(self, name: str) -> str | None:
        """x, of x / keep or x * scale with one number for all elements."""
        node = self._made.get(name)
        if node is None or node.op not in (*_QUOTIENTS, "Mul"):
            return None
        x, factor = node.inputs
        data = self._constants.get(factor)
        return x if data is None or data.size == 1 else None

    def _is_mask(self, name: str) -> bool:
        node = self._made.get(name)
        if node is None:
            return False
        if node.op == "Cast":
            return self._is_kept(node.inputs[0])
        inner = self._made.get(node.inputs[0]) if node.op == "Floor" else None
        return inner is not None and inner.op in _SUMS and any(map(self._is_random, inner.inputs))

    def _is_kept(self, name: str) -> bool:
        """Whether this is u >= rate."""
        node = self._made.get(name)
        return node is not None and node.op == "GreaterEqual" and self._is_random(node.inputs[0])

    def _is_random(self, name: str) -> bool:
        """Whether this is a random tensor, or one moved to another range by constants."""
        node = self._made.get(name)
        while node is not None and node.op in (*_SUMS, "Mul"):
            loose = [i for i in node.inputs if not self._is_number(i)]
            node = self._made.get(loose[0]) if len(loose) == 1 else None
        return node is not None and node.op in RANDOM

    def _is_number(self, name: str) -> bool:
        """A constant, or the difference of constants."""
        node = self._made.get(name)
        if node is not None and node.op == "Sub":
            return all(i in self._constants for i in node.inputs)
        data = self._constants.get(name)
        return data is not None and isinstance(data, np.ndarray)
