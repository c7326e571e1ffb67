"""The rules by which types and shapes of outputs follow from those of operands.

SPDX-License-Identifier: Apache-2.0

One function per op, in the modules of this folder, with the meaning of mace/ops. Unknown extents
(None) and unknown ranks are allowed everywhere. shape_inference.py applies the rules to graphs.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from mace_tools.graph.ir import Graph, Node, Shape, Tensor

Type = tuple[str, Union[Shape, None]]  # element type and shape


@dataclass(frozen=True)
class View:
    """A node with the types of its operands, for inference rules."""

    graph: Graph
    node: Node

    def has(self, i: int) -> bool:
        return self.node.has_input(i)

    def tensor(self, i: int) -> Tensor:
        return self.graph.tensors[self.node.inputs[i]]

    def shape(self, i: int = 0) -> Shape | None:
        return self.tensor(i).shape

    def dtype(self, i: int = 0) -> str:
        return self.tensor(i).dtype

    def value(self, i: int) -> np.ndarray | None:
        """The contents of operand `i` if constant or fixed by the input shapes."""
        if not self.has(i):
            return None
        data = self.tensor(i).data
        return data if data is not None else self.graph.values.get(self.node.inputs[i])

    def attr(self, name: str) -> Any:
        return self.node.attr(name)

    def ints(self, i: int, attr: str) -> list[int] | None:
        """Integers given as operand `i` or else as an attribute; None if unknown."""
        if not self.has(i):
            value = self.attr(attr)
            return list(value) if isinstance(value, list) else [value]
        if self.shape(i) is not None and 0 in self.shape(i):
            return []
        value = self.value(i)
        return None if value is None else [int(v) for v in np.asarray(value).reshape(-1)]


Rule = Callable[[View], Union[Type, list[Type]]]
_RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    """Registers the inference rule of one or more ops."""

    def register(function: Rule) -> Rule:
        _RULES.update({op: function for op in ops})
        return function

    return register


def rule_of(op: str) -> Rule | None:
    """The rule of an op of the engine."""
    _load_rules()
    return _RULES.get(op)


@functools.cache
def _load_rules() -> None:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.endswith("_test"):
            importlib.import_module(f"{__name__}.{module.name}")
