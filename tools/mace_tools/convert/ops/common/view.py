"""A node as inference rules see it.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from mace_tools.graph.ir import Graph, Node, Shape, Tensor

Type = tuple[str, Union[Shape, None]]  # element type and shape


@dataclass(frozen=True)
class View:
    """A node with the types of its operands."""

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
