"""Graphs within the graph that a Builder grows: those that become subgraphs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mace_tools.errors import ModelError
from mace_tools.ir import Graph, Shape

if TYPE_CHECKING:
    from mace_tools.importers.source import SourceGraph, SourceNode


@dataclass
class Frame:
    """A graph that is being built: the model's, or one that becomes a subgraph."""

    graph: Graph
    map: dict[str, str]  # source tensor -> engine tensor
    captured: dict[str, str] = field(default_factory=dict)  # tensor outside -> its input here
    # Of lists of tensors (of TensorFlow): the tensor that holds the number of their elements.
    lists: dict[str, str] = field(default_factory=dict)


class Frames:
    """The part of a Builder that knows in which graph it is."""

    frames: list[Frame]
    graph: Graph
    _map: dict[str, str]
    _unfolded: set[str]
    _stand_ins: set[str]

    if TYPE_CHECKING:
        def op(self, op: str, *inputs: str) -> str: ...
        def _resolve(self, name: str, node: SourceNode | None) -> str: ...
        def _translate_all(self, node: SourceNode, graph: SourceGraph) -> None: ...

    def shape_of(self, name: str) -> Shape | None:
        """The shape of a tensor, of this graph or of one around it."""
        for frame in reversed(self.frames):
            if name in frame.graph.tensors:
                return frame.graph.shape(name)
        raise ModelError(f"tensor '{name}' comes from nowhere")

    def rename_input(self, source: str, tensor: str) -> None:
        """Makes an input of a graph that is about to be inlined stand for a tensor."""
        self._map[source] = tensor

    def tensor_of(self, source: str) -> str:
        """The tensor that stands for an input of the graph that is being built."""
        return self._map[source]

    def list_size(self, name: str) -> str:
        """The tensor with the number of elements of a list; "" if the tensor is no list that was
        reserved."""
        return self.frames[-1].lists.get(name, "")

    def set_list(self, tensor: str, source: str, size: str) -> None:
        """Makes a tensor, whose name may become that of the source, a list of so many elements."""
        if size:
            self.frames[-1].lists.update({tensor: size, source: size})

    @contextmanager
    def inside(self, name: str) -> Iterator[Frame]:
        """Until it ends, nodes are added to a graph of their own. Tensors of the graph around it
        that they read become inputs of that graph (Frame.captured)."""
        unfolded, self._unfolded = self._unfolded, set()
        graph = Graph(name)
        graph.subgraphs = self.graph.subgraphs
        frame = Frame(graph, {"": ""})
        self.frames.append(frame)
        self.graph, self._map = frame.graph, frame.map
        try:
            yield frame
        finally:
            self.frames.pop()
            self.graph, self._map = self.frames[-1].graph, self.frames[-1].map
            self._unfolded = unfolded

    def add_input(self, source: str, dtype: str, shape: Shape | None) -> str:
        """Adds an input to the graph that is being built inside another."""
        name = self.graph.fresh(source)
        self.graph.add_input(name, dtype, shape)
        self._map[source] = name
        return name

    def translate_inside(self, node: SourceNode, graph: SourceGraph) -> list[str]:
        """Adds the nodes of a graph that is an attribute; returns its outputs, each of which is
        made by a node and by no other output."""
        self._translate_all(node, graph)
        results: list[str] = []
        for name in graph.outputs:
            tensor = self._resolve(name, node)
            if self.graph.producer(tensor) is None or tensor in results:
                tensor = self.op("Identity", tensor)
            results.append(tensor)
        return results

    def capture(self, outside: str) -> str:
        """The input that a tensor of the graph around this one is here."""
        return self._capture(len(self.frames) - 1, outside)

    def _capture(self, depth: int, outside: str) -> str:
        frame, tensor = self.frames[depth], self.frames[depth - 1].graph.tensors[outside]
        if outside in frame.captured:
            return frame.captured[outside]
        name = frame.graph.fresh(outside)
        if tensor.is_const:
            frame.graph.add_tensor(replace(tensor, name=name))
        else:
            inner = frame.graph.add_input(name, tensor.dtype, tensor.shape)
            inner.quant, inner.unsigned = tensor.quant, tensor.unsigned
            frame.captured[outside] = name
        if outside in self._stand_ins:
            self._stand_ins.add(name)
        return name

    def add_subgraph(self, graph: Graph) -> str:
        """Makes a graph one of the model's subgraphs, and returns its name."""
        name, k = graph.name, 0
        while name in graph.subgraphs:
            k += 1
            name = f"{graph.name}_{k}"
        graph.name = name
        graph.subgraphs[name] = graph
        return name
