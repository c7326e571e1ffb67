"""Makes nodes of the engine, with shapes inferred as it goes.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from typing import Any

from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.shape_inference import Inference
from mace_tools.graph.ir import Graph


class NodeMaker:
    """The part of a Builder that adds single nodes to its graph."""

    model: SourceModel
    missed: bool
    _inference: Inference  # of the graph
    _scope: str
    _guessing: bool
    _placeholders: set[str]

    @property
    def graph(self) -> Graph:
        """The graph to which nodes are added."""
        return self._inference.graph

    def dtype(self, name: str) -> str:
        self._answer(name, None)
        return self.graph.tensors[name].dtype

    def add_ops(self, op: str, inputs: Sequence[str], num_outputs: int, attrs: dict[str, Any]
                ) -> list[str]:
        """The node alone."""
        base = self.graph.fresh(f"{self._scope}/{op}")
        outputs = [base] + [self.graph.fresh(f"{base}:{k}") for k in range(1, num_outputs)]
        node = self.graph.add(op, _trim(inputs), outputs, base, **attrs)
        if self._guessing:
            self._placeholders.update(outputs)
        self._inference.node(node)
        return outputs

    def add_const(self, value: Any, dtype: str | None = None, name: str = "const") -> str:
        return self.graph.add_const(f"{self._scope}/{name}", value, dtype)

    def _answer(self, name: str, found: Any) -> Any:
        if found is None and name in self._placeholders:
            self.missed = True
        return found


def _trim(inputs: Sequence[str]) -> list[str]:
    """Without trailing absent inputs."""
    names = list(inputs)
    while names and not names[-1]:
        names.pop()
    return names
