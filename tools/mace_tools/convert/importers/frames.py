"""Graphs within the graph that a Builder grows: those that become subgraphs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mace_tools.convert.shape_inference import Inference
from mace_tools.graph.ir import Graph, Shape
from mace_tools.support.errors import ModelError, Unsupported

if TYPE_CHECKING:
    from mace_tools.convert.importers.source import SourceGraph, SourceNode


@dataclass
class TensorSequence:
    """A value of the source that is a sequence of tensors: these, or those along axis 0 of one."""

    elements: list[str]
    dtype: str
    stacked: str = ""


_Function = TypeVar("_Function", bound=Callable[..., Any])
_TAKES: set[Any] = set()


def takes_sequences(function: _Function) -> _Function:
    """Registers an importer function that knows what to do with operands that are sequences."""
    _TAKES.add(function)
    return function


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
    _inference: Inference
    _map: dict[str, str]
    _unfolded: set[str]
    _placeholders: set[str]
    sequences: dict[str, TensorSequence]  # by the constants that stand for them

    if TYPE_CHECKING:
        @property
        def graph(self) -> Graph: ...
        def op(self, op: str, *inputs: str) -> str: ...
        def add_const(self, value: Any, dtype: str | None = None, name: str = "") -> str: ...
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

    def add_sequence(self, elements: Sequence[str], dtype: str = "", stacked: str = "") -> str:
        """A constant that stands for a sequence; only importer functions that are registered for
        it ever see it. Tensors tell their element type."""
        some = stacked or next(iter(elements), "")
        name = self.add_const(np.zeros(0, np.float32), name="sequence")
        kind = self.graph.tensors[some].dtype if some else dtype
        self.sequences[name] = TensorSequence(list(elements), kind, stacked)
        return name

    def sequence_type(self, name: str) -> str:
        return self.sequences[name].dtype

    def no_sequence(self, output: str, tensor: str) -> str:
        """The tensor of an output of the model. Errors: ModelError if that is a sequence."""
        if tensor in self.sequences:
            raise ModelError(f"output '{output}' is a sequence of tensors, which no engine "
                             "returns: end the model before it (output_tensors in the YAML)")
        return tensor

    def check_sequences(self, function: Any, inputs: Sequence[str]) -> None:
        """Errors: Unsupported for a sequence that reaches a function for tensors."""
        found = next((i for i in inputs if i in self.sequences), None)
        if found is not None and function not in _TAKES:
            raise Unsupported("its operand is a sequence of tensors",
                              "join or pick them before (ConcatFromSequence, SequenceAt)")

    @contextmanager
    def inside(self, name: str) -> Iterator[Frame]:
        """Until it ends, nodes are added to a graph of their own. Tensors of the graph around it
        that they read become inputs of that graph (Frame.captured)."""
        unfolded, self._unfolded = self._unfolded, set()
        graph = Graph(name)
        graph.subgraphs = self.graph.subgraphs
        frame = Frame(graph, {"": ""})
        self.frames.append(frame)
        around, self._inference = self._inference, Inference(graph)
        self._map = frame.map
        try:
            yield frame
        finally:
            self.frames.pop()
            self._inference, self._map = around, self.frames[-1].map
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
            if tensor in self.sequences:
                raise Unsupported("a sequence of tensors leaves its branch or loop",
                                  "join the tensors inside (ConcatFromSequence)")
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
        if outside in self.sequences:
            return self._capture_sequence(depth, self.sequences[outside])
        name = frame.graph.fresh(outside)
        if tensor.is_const:
            frame.graph.add_tensor(replace(tensor, name=name))
        else:
            inner = frame.graph.add_input(name, tensor.dtype, tensor.shape)
            inner.quant, inner.unsigned = tensor.quant, tensor.unsigned
            frame.captured[outside] = name
        if outside in self._placeholders:
            self._placeholders.add(name)
        return name

    def _capture_sequence(self, depth: int, found: TensorSequence) -> str:
        name = self.frames[depth].graph.add_const("sequence", np.zeros(0, np.float32))
        parts = [self._capture(depth, x) for x in found.elements]
        stacked = self._capture(depth, found.stacked) if found.stacked else ""
        self.sequences[name] = TensorSequence(parts, found.dtype, stacked)
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
