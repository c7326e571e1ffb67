"""The converter's graph: nodes in the engine's vocabulary and the tensors between them.

SPDX-License-Identifier: Apache-2.0

A tensor is known by its name. It is a graph input, a constant (`data` is set) or the output of
exactly one node. Node.inputs may hold "" for an optional input that is not given. Change edges
only through the methods of Graph, which keep the producer and consumer index.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np

from mace_tools.graph import op_schema
from mace_tools.graph.attributes import Attr, clean_attrs
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.source_blocks import SourceBlocks
from mace_tools.graph.states import State

Shape = tuple[Union[int, None], ...]

# Element types by the engine's names, with the NumPy type that holds them.
NUMPY = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "bool": np.dtype(np.bool_),
}
_NAMES = {v: k for k, v in NUMPY.items()}
# Types that the engine does not have, and those that replace them.
_WIDENED = {
    np.dtype(np.float64): "f32",
    np.dtype(np.uint16): "i32",
    np.dtype(np.uint32): "i64",
    np.dtype(np.uint64): "i64",
}


def dtype_name(dtype: Any) -> str:
    """The engine's name of a NumPy type; of the nearest one if the engine does not have it."""
    dtype = np.dtype(dtype)
    name = _NAMES.get(dtype) or _WIDENED.get(dtype)
    if name is None:
        raise ValueError(f"element type {dtype} has no counterpart in the engine")
    return name


@dataclass
class Quant:
    """real = scale * (stored - zero_point), per tensor or along `axis`."""

    scale: np.ndarray
    zero_point: np.ndarray
    axis: int | None = None


@dataclass
class Tensor:
    """A value of the graph; shape None: rank unknown, entry None: extent unknown."""

    name: str
    dtype: str = "f32"
    shape: Shape | None = None
    data: np.ndarray | None = None
    data_format: str = "NONE"  # NONE | NHWC | NCHW; of graph inputs and outputs
    quant: Quant | None = None
    # Of a float32 constant: f16 or bf16 where its matrices are written as such; i8 or i4 where it
    # is written as the quantized values in `packed` (quantized_weights.py); "" where the settings
    # of the whole model decide.
    stored: str = ""
    packed: np.ndarray | None = None
    # How these quantized values stand for floats, if no scales follow them.
    packed_quant: Quant | None = None
    # Of a dequantized float32 constant: the quantization of its int8 values, int32 of a bias.
    source_quant: Quant | None = None
    source_blocks: SourceBlocks | None = None  # the same of a weight in blocks
    unsigned: str = ""  # the type of its numbers, if that is wider unsigned (importers/unsigned.py)

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def is_const(self) -> bool:
        return self.data is not None

    @property
    def static_shape(self) -> tuple[int, ...] | None:
        """The shape if every extent is known."""
        is_known = self.shape is not None and None not in self.shape
        return self.shape if is_known else None  # type: ignore[return-value]


@dataclass(eq=False)
class Node:
    """One operator, with attributes as in the engine's op files (mace/ops)."""

    name: str
    op: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Attr] = field(default_factory=dict)
    # Of a custom op, which the app computes: element types and shapes of the outputs, as far as the
    # source states them. None: an op of the engine.
    types: list[tuple[str, Shape | None]] | None = None

    @property
    def is_custom(self) -> bool:
        return self.types is not None

    def attr(self, name: str) -> Any:
        """An attribute, or its default if the node does not give it."""
        if name in self.attrs:
            return self.attrs[name]
        return op_schema.all_ops()[self.op].default(name)

    def has_input(self, i: int) -> bool:
        return i < len(self.inputs) and self.inputs[i] != ""

    def __str__(self) -> str:
        return f"{self.op} '{self.name}'"


class Graph:
    """Nodes, tensors, and an index of producers and consumers."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.tensors: dict[str, Tensor] = {}
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.states: dict[str, State] = {}  # by tensor, see states.py
        self.open_dims: dict[str, OpenDims] = {}  # by graph input
        # Contents of computed tensors as far as the present input shapes fix them (filled by
        # shape_inference.py, small integers only): for decisions, never to be written to the model.
        self.values: dict[str, np.ndarray] = {}
        # By tensor: the source model's tensor whose value it has, and the order of its axes there
        # (axis k is axis order[k] of the source's). Passes keep it: a fused node has the origin of
        # what it ends with, and a tensor without counterpart in the source has none.
        self.origins: dict[str, tuple[str, list[int]]] = {}
        # By name: the branches of Ifs and the bodies of Loops, each after those that it uses. All
        # graphs of a model share them.
        self.subgraphs: dict[str, Graph] = {}
        self.notes: list[str] = []  # notes for the user about the model
        # Nodes of the source whose meaning was settled by the present input shapes; where there are
        # any, the model is for these shapes only.
        self.shape_dependent: list[str] = []
        # Whether quantized values are a rounding of the floats in which the source computes, so
        # that a node between Dequantize and Quantize may compute on quantized values instead.
        self.rounds_floats = False
        self._producer: dict[str, Node] = {}
        self._consumers: dict[str, list[Node]] = {}

    # --- tensors ---

    def fresh(self, base: str) -> str:
        """A tensor name that is not taken, `base` if possible."""
        name, n = base, 0
        while name in self.tensors or name == "":
            n += 1
            name = f"{base or 'tensor'}_{n}"
        return name

    def add_tensor(self, tensor: Tensor) -> Tensor:
        if not tensor.name or tensor.name in self.tensors:
            raise ValueError(f"tensor name '{tensor.name}' is empty or taken")
        self.tensors[tensor.name] = tensor
        return tensor

    def add_input(self, name: str, dtype: str, shape: Shape | None, fmt: str = "NONE") -> Tensor:
        self.inputs.append(name)
        return self.add_tensor(Tensor(name, dtype, shape, data_format=fmt))

    def add_const(self, base: str, value: Any, dtype: str | None = None, like: str = "") -> str:
        """Adds a constant and returns its name (`base`, made unique); it is stored in the type of
        the constant `like`, from which it is computed."""
        array = np.asarray(value)
        dtype = dtype or dtype_name(array.dtype)
        array = np.ascontiguousarray(array.astype(NUMPY[dtype], copy=False)).reshape(array.shape)
        name = self.fresh(base)
        stored = self.tensors[like].stored if like and self.tensors[like].packed is None else ""
        quant = self.tensors[like].quant if like else None
        if quant is not None and quant.axis is not None:
            raise ValueError(f"'{like}' has scales along an axis, which '{name}' may not have")
        self.add_tensor(Tensor(name, dtype, tuple(array.shape), array, quant=quant, stored=stored))
        return name

    def const(self, name: str) -> np.ndarray | None:
        """The contents of a constant, None for anything else."""
        return self.tensors[name].data if name in self.tensors else None

    def shape(self, name: str) -> Shape | None:
        return self.tensors[name].shape

    def rank(self, name: str) -> int | None:
        return self.tensors[name].rank

    def is_quantized(self, node: Node) -> bool:
        """Whether the node reads or makes a quantized tensor."""
        return any(self.tensors[n].quant is not None for n in (*node.inputs, *node.outputs) if n)

    # --- nodes ---

    def add(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str] | None = None,
        name: str = "",
        **attrs: Any,
    ) -> Node:
        """Appends a node; its output tensors are created unless they exist."""
        if outputs is None:
            outputs = [self.fresh(name or f"{op}_out")]
        node = Node(name or outputs[0], op, list(inputs), list(outputs), clean_attrs(attrs))
        for out in node.outputs:
            if out in self._producer or (out in self.tensors and self.tensors[out].is_const):
                raise ValueError(f"{node}: output '{out}' is produced already")
            if out not in self.tensors:
                self.add_tensor(Tensor(out))
        self.nodes.append(node)
        for out in node.outputs:
            self._producer[out] = node
        for i in set(node.inputs) - {""}:
            self._consumers.setdefault(i, []).append(node)
        return node

    def remove(self, node: Node) -> None:
        """Removes a node; its output tensors stay until `prune`."""
        self.nodes.remove(node)
        for out in node.outputs:
            self._producer.pop(out, None)
        for i in set(node.inputs) - {""}:
            self._consumers[i].remove(node)

    def set_inputs(self, node: Node, inputs: Sequence[str]) -> None:
        for i in set(node.inputs) - {""}:
            self._consumers[i].remove(node)
        node.inputs = list(inputs)
        for i in set(node.inputs) - {""}:
            self._consumers.setdefault(i, []).append(node)

    def set_output(self, node: Node, index: int, name: str) -> None:
        """Makes `node` the producer of `name` instead of its output `index`."""
        self._producer.pop(node.outputs[index], None)
        if name in self._producer:
            raise ValueError(f"{node}: output '{name}' is produced already")
        if name not in self.tensors:
            old = self.tensors[node.outputs[index]]
            self.add_tensor(replace(old, name=name))
        node.outputs[index] = name
        self._producer[name] = node

    def rename(self, old: str, new: str) -> None:
        """Renames a tensor everywhere. The new name must not be taken."""
        if old == new:
            return
        tensor = self.tensors.pop(old)
        tensor.name = new
        self.add_tensor(tensor)
        for node in self.nodes:
            node.inputs = [new if i == old else i for i in node.inputs]
            node.outputs = [new if o == old else o for o in node.outputs]
        for index in (self._producer, self._consumers, self.values, self.origins):
            if old in index:
                index[new] = index.pop(old)  # type: ignore[index]
        self.inputs = [new if i == old else i for i in self.inputs]
        self.outputs = [new if o == old else o for o in self.outputs]
        self.states = {new if n == old else n: s for n, s in self.states.items()}
        for state in self.states.values():
            state.next = new if state.next == old else state.next

    def producer(self, name: str) -> Node | None:
        return self._producer.get(name)

    def consumers(self, name: str) -> list[Node]:
        """The nodes that read a tensor, each once."""
        return list(self._consumers.get(name, ()))

    def only_consumer(self, name: str) -> Node | None:
        """The only node that reads a tensor, unless it is a graph output; else None."""
        readers = self._consumers.get(name, ())
        if len(readers) != 1 or name in self.outputs:
            return None
        return readers[0] if readers[0].inputs.count(name) == 1 else None

    def replace_uses(self, old: str, new: str) -> None:
        """Makes all readers of `old` read `new`. A graph output keeps its name: callers that
        replace one must also use `rename_output`, see `bypass`."""
        for node in self.consumers(old):
            self.set_inputs(node, [new if i == old else i for i in node.inputs])

    def bypass(self, node: Node, source: str, output: int = 0, fused: bool = False) -> bool:
        """Removes a node whose output equals `source`, keeping graph output names. `fused`: it does
        so because the node that computes `source` now does the work of both.

        Returns False and changes nothing if both names are visible from outside."""
        out = node.outputs[output]
        if out not in self.outputs:
            if fused or out in self.origins:
                self.move_origin(out, source)
            self.remove(node)
            self.replace_uses(out, source)
            return True
        maker = self._producer.get(source)
        if maker is None or source in self.outputs:
            return False
        self.remove(node)
        self.set_output(maker, maker.outputs.index(source), out)
        self.replace_uses(source, out)
        return True

    def move_origin(self, old: str, new: str) -> None:
        """Makes `new` the tensor with the value that `old` had in the source model, if any."""
        self.origins.pop(new, None)
        if old in self.origins:
            self.origins[new] = self.origins.pop(old)

    def set_origin(self, name: str, like: str, perm: Sequence[int]) -> None:
        """Gives the tensor `name`, which is Transpose(like, perm), an origin if `like` has one."""
        found = self.origins.get(like)
        if found is not None and len(found[1]) == len(perm):
            self.origins[name] = (found[0], [found[1][p] for p in perm])

    def inputs_of(self, name: str) -> list[str]:
        """The graph inputs that a tensor is computed from, in their order."""
        seen, stack = {name}, [name]
        while stack:
            maker = self._producer.get(stack.pop())
            for i in maker.inputs if maker is not None else ():
                if i and i not in seen:
                    seen.add(i)
                    stack.append(i)
        return [i for i in self.inputs if i in seen]

    # --- whole graph ---

    def topo_sort(self) -> None:
        """Sorts nodes so that each comes after those that it reads, keeping the order if possible.

        Errors: ValueError naming a node on a cycle."""
        waiting: dict[Node, int] = {}
        for node in self.nodes:
            waiting[node] = len({self._producer[i] for i in node.inputs if i in self._producer})
        position = {node: k for k, node in enumerate(self.nodes)}
        ready = [position[n] for n, k in waiting.items() if k == 0]
        heapq.heapify(ready)
        ordered: list[Node] = []
        while ready:
            node = self.nodes[heapq.heappop(ready)]
            ordered.append(node)
            readers = {c for out in node.outputs for c in self._consumers.get(out, ())}
            for reader in readers:
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    heapq.heappush(ready, position[reader])
        if len(ordered) != len(self.nodes):
            left = next(n for n in self.nodes if n not in set(ordered))
            raise ValueError(f"{left} is part of a cycle")
        self.nodes = ordered

    def prune(self) -> None:
        """Removes nodes that no graph output needs, and tensors that nothing uses."""
        needed, stack = set(), list(self.outputs)
        while stack:
            node = self._producer.get(stack.pop())
            if node is not None and node not in needed:
                needed.add(node)
                stack.extend(i for i in node.inputs if i)
        for node in [n for n in self.nodes if n not in needed]:
            self.remove(node)
        named = set(self.inputs) | set(self.outputs)
        for node in self.nodes:
            named.update(node.inputs, node.outputs)
        self.tensors = {n: t for n, t in self.tensors.items() if n in named}

    def validate(self) -> None:
        """Errors: ValueError naming the node or tensor that breaks a rule of the graph."""
        seen = set(self.inputs) | {n for n, t in self.tensors.items() if t.is_const}
        for node in self.nodes:
            for i in node.inputs:
                if i and i not in seen:
                    raise ValueError(f"{node}: input '{i}' is not there yet")
            for out in node.outputs:
                if out in seen:
                    raise ValueError(f"{node}: output '{out}' is produced twice")
                seen.add(out)
        for out in self.outputs:
            if out not in seen:
                raise ValueError(f"graph output '{out}' is produced by no node")
