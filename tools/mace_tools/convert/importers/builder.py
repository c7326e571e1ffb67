"""Builder: importer functions use it to read operands and to make engine nodes.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mace_tools.convert.importers import unsigned
from mace_tools.convert.importers.frames import Frame, Frames
from mace_tools.convert.importers.node_maker import NodeMaker
from mace_tools.convert.importers.notes import retyped_notes
from mace_tools.convert.importers.origins import find_origins
from mace_tools.convert.importers.source import (
    Attributes,
    SourceGraph,
    SourceModel,
    SourceNode,
    ValueInfo,
)
from mace_tools.convert.passes.fold_constants import fold_if_small, fold_node
from mace_tools.convert.reference import evaluates
from mace_tools.convert.shape_inference import Inference
from mace_tools.graph.ir import Attr, Graph, Node, Quant, Shape, Tensor, dtype_name
from mace_tools.graph.quantized_weights import store_packed
from mace_tools.graph.source_blocks import SourceBlocks
from mace_tools.graph.states import State
from mace_tools.support.errors import ModelError, Unsupported

TO_NHWC = [0, 2, 3, 1]
TO_NCHW = [0, 3, 1, 2]


class Builder(NodeMaker, Frames):
    """Grows a Graph node by node, with shapes inferred as it goes."""

    def __init__(self, model: SourceModel) -> None:
        self.model = model
        self._inference = Inference(Graph(model.name))
        self.opset = model.opset
        self._map: dict[str, str] = {"": ""}  # source tensor -> engine tensor
        self.frames = [Frame(self.graph, self._map)]  # of the model, then of graphs within
        self.sequences = {}
        self._scope = ""
        self._source: list[str] = []  # operands of the current node, by their names in the source
        self._variables: dict[str, str] = {}  # those of the source, by what stands for them
        # Tensors that stand in for the outputs of refused nodes, and those computed from them.
        self._placeholders: set[str] = set()
        self._guessing = False
        self.missed = False  # the current node needed information that a placeholder lacks
        self._unfolded: set[str] = set()  # tensors that depend on constants only, not yet computed
        # Graphs that are attributes, as far as they are used, by the outputs of their nodes.
        self.inlined: dict[tuple[str, ...], list[SourceGraph]] = {}
        self.translate: Callable[[SourceNode], None] = lambda node: None  # set by Registry
        for name, info in model.inputs.items():
            four = info.shape is not None and len(info.shape) == 4
            fmt = model.data_format if four else "NONE"
            self.graph.add_input(name, info.dtype, info.shape, fmt).quant = info.quant
            self._map[name] = name

    # --- operands: all take engine tensor names, as importer functions see them ---

    def const(self, name: str) -> np.ndarray | None:
        """Contents of an operand that is a constant or made of constants; None if it is absent
        or computed at run time."""
        if name in self._unfolded:
            self._fold_all(name)
        return self._answer(name, self.graph.const(name)) if name else None

    def known(self, name: str) -> np.ndarray | None:
        """Contents as far as the current input shapes determine them (folded shape arithmetic).

        For decisions only: nothing in the graph must depend on them, or the
        converted model would not take inputs of another shape."""
        return self._answer(name, self.graph.values.get(name)) if name else None

    def shape(self, name: str) -> Shape | None:
        shape = self.graph.shape(name)
        self._answer(name, None if shape is None or None in shape else shape)
        return shape

    def extents(self, name: str) -> Shape:
        """The shape. Errors: Unsupported if not even the rank is known."""
        self.rank(name)
        return self.shape(name) or ()

    def rank(self, name: str) -> int:
        """The rank. Errors: Unsupported if it is unknown."""
        rank = self._answer(name, self.graph.rank(name))
        if rank is None:
            raise Unsupported(f"the rank of its input '{name}' is not known",
                              "give input_shapes for all model inputs")
        return rank

    def source_type(self, i: int) -> str:
        """The type of operand `i` of the current node in the source, if the engine does not have
        it; else ""."""
        return self.model.retyped.get(self._source[i], "")

    def quant(self, name: str) -> Quant | None:
        """How a tensor is quantized; None if it is not."""
        return self.graph.tensors[name].quant

    def set_quant(self, name: str, quant: Quant | None) -> None:
        self.graph.tensors[name].quant = quant

    def add_dequantized(self, value: np.ndarray, quant: Quant | None, name: str) -> str:
        """A float32 constant that stands for quantized values, see Tensor.source_quant."""
        added = self.add_const(value, "f32", name)
        self.graph.tensors[added].source_quant = quant
        return added

    def source_quant(self, name: str) -> Quant | None:
        """The quantized values for which a constant stands, see Tensor.source_quant."""
        return self.graph.tensors[name].source_quant

    def set_source_blocks(self, name: str, blocks: SourceBlocks | None) -> None:
        """The quantized values for which a float constant stands."""
        self.graph.tensors[name].source_blocks = blocks

    def rounds_floats(self) -> None:
        """Notes that quantized values are a rounding of the floats in which the source
        computes."""
        self.frames[0].graph.rounds_floats = True

    # --- making nodes ---

    def op(self, op: str, *inputs: str, **attrs: Any) -> str:
        """Adds a node with one output and returns the tensor."""
        return self.ops(op, inputs, 1, **attrs)[0]

    def ops(
        self, op: str, inputs: Sequence[str], num_outputs: int, **attrs: Any
    ) -> list[str]:
        """Adds a node, and others where the types of its operands or its attributes take them."""
        return unsigned.ops(self, op, inputs, num_outputs, attrs)

    def custom(
        self, op: str, inputs: Sequence[str], types: Sequence[tuple[str, Shape | None]],
        attrs: dict[str, Attr],
    ) -> list[str]:
        """Adds a node of a custom op, with outputs of these types, and returns the tensors."""
        base = self.graph.fresh(f"{self._scope}/{op}")
        outputs = [base] + [self.graph.fresh(f"{base}:{k}") for k in range(1, len(types))]
        node = self.graph.add(op, inputs, outputs, base)
        node.attrs, node.types = attrs, list(types)
        if self._guessing:
            self._placeholders.update(outputs)
        self._inference.node(node)
        return outputs

    def transpose(self, x: str, dims: Sequence[int]) -> str:
        return x if list(dims) == sorted(dims) else self.op("Transpose", x, dims=list(dims))

    def inline(self, node: SourceNode, graph: SourceGraph) -> list[str]:
        """Replaces the node by a graph that is one of its attributes; returns the outputs of the
        graph."""
        guessing = self._guessing
        self._translate_all(node, graph)
        results = [self._resolve(name, node) for name in graph.outputs]
        # Outputs that depend on a refused node of the graph are placeholders, too.
        self._guessing = guessing or not self._placeholders.isdisjoint(results)
        return results

    def _translate_all(self, node: SourceNode, graph: SourceGraph) -> None:
        scope, guessing, missed = self._scope, self._guessing, self.missed
        source = self._source
        used = self.inlined.setdefault(tuple(node.outputs), [])
        if graph not in used:
            used.append(graph)
        try:
            for inner in graph.nodes:
                self.translate(inner)
        finally:
            self._scope, self._guessing, self.missed = scope, guessing, missed
            self._source = source

    def tensors(self, names: Iterable[str]) -> Iterator[Tensor]:
        """The tensors of the graph among these, which may be sequences and absent operands, too."""
        found = (self.graph.tensors.get(name) for name in names)
        return (t for t in found if t is not None)

    def depends_on_shapes(self, node: str) -> None:
        """Notes that, because of a node, the graph is valid for the current input shapes only."""
        if node not in self.frames[0].graph.shape_dependent:
            self.frames[0].graph.shape_dependent.append(node)

    def inputs_of(self, name: str) -> list[str]:
        """The model inputs that a tensor is computed from."""
        return self.graph.inputs_of(name)

    # --- for Registry ---

    def fold(self, first: int) -> None:
        """Computes the outputs of all nodes from `first` on that depend on constants only."""
        for node in self.graph.nodes[first:]:
            given = [i for i in node.inputs if i]
            if all(self.graph.const(i) is not None for i in given):
                if fold_if_small(self.graph, node):
                    continue
            elif not all(self.graph.const(i) is not None or i in self._unfolded for i in given):
                continue
            if given and evaluates(node.op):
                self._unfolded.update(node.outputs)

    def localize(self, node: SourceNode) -> SourceNode:
        """The node with engine tensors as inputs, and attributes that record which of them were
        read."""
        self._scope, self._source = node.name, node.inputs
        self.opset = node.opset or self.model.opset
        self.missed = self._guessing = False
        inputs = [self._resolve(i, node) for i in node.inputs]
        self._guessing = not self._placeholders.isdisjoint(inputs)
        return replace(node, inputs=inputs, attrs=Attributes(node.attrs))

    def bind(self, node: SourceNode, results: list[str]) -> None:
        """Maps the node's outputs to these tensors, which get the names of the source."""
        if len(results) < len([o for o in node.outputs if o]):
            raise Unsupported(f"it has {len(node.outputs)} outputs, at most {len(results)} can be "
                              "converted")
        operands = [self._resolve(i, node) for i in node.inputs]
        renamed: dict[str, str] = {}
        for out, result in zip(node.outputs, results):
            if not out:
                continue
            tensor = unsigned.declared(self, node.op, out, operands, renamed.get(result, result))
            maker = self.graph.producer(tensor)
            own = maker is not None and tensor.startswith(f"{self._scope}/")
            if own and out not in self.graph.tensors:
                tensor = renamed[result] = self._rename(maker, tensor, out)
            self._map[out] = tensor
            self._check_info(out, tensor)
            if self._guessing:
                self._placeholders.add(tensor)

    @property
    def guessing(self) -> bool:
        """Whether the current node depends on a refused one."""
        return self._guessing

    def placeholder(self, node: SourceNode) -> None:
        """Makes placeholders for the outputs of a refused node, so that
        the nodes after it can be checked, too."""
        for out in filter(None, node.outputs):
            info = self.model.info.get(out) or ValueInfo()
            name = self.graph.fresh(out)
            self.graph.add_tensor(Tensor(name, info.dtype, info.shape))
            self._placeholders.add(name)
            self._map[out] = name

    def finish(self) -> Graph:
        """The graph with its outputs under the source's names."""
        for name in self.model.outputs:
            tensor = self.no_sequence(name, self._resolve(name, None))
            if tensor == name and self.graph.const(name) is not None:  # it gives up its name
                tensor = self.graph.fresh(f"{name}/constant")
                self.graph.rename(name, tensor)
                self._map.update({s: tensor for s, t in self._map.items() if t == name})
            constant = self.graph.const(tensor) is not None
            if tensor != name or constant:
                out = name if name not in self.graph.tensors else self.graph.fresh(name)
                node = self.graph.add("Identity", [tensor], [out], out)
                self._inference.node(node)
                tensor = out
            self.graph.outputs.append(tensor)
            t = self.graph.tensors[tensor]
            t.data_format = self.model.data_format if t.rank == 4 else "NONE"
            if t.rank is not None:
                self.graph.origins[tensor] = (name, list(range(t.rank)))
        self._finish_states()
        self.graph.prune()
        self.graph.validate()
        find_origins(self.graph, self._map)
        self.graph.notes += [*self.model.notes, *retyped_notes(self.model, self.graph, self._map)]
        return self.graph

    def is_state(self, operand: str) -> bool:
        """Whether an operand is a variable."""
        return operand in self._variables

    def assign(self, variable: str, value: str) -> None:
        """Makes `value` what a variable holds from now on. `variable` is the operand that was read
        as it.

        Errors: Unsupported if the operand is no variable."""
        name = self._variables.get(variable)
        if name is None:
            raise Unsupported(f"its state '{variable}' is no variable tensor, but the operator "
                              "changes it", "convert the model again with the state as a variable")
        value = self.op("Identity", value)  # which stands for no other
        self.graph.states[name].next = value
        self._map[name] = value
        self._variables[value] = name

    def _add_state(self, name: str) -> str:
        """The input of the graph that stands for a variable of the source."""
        data, graph = self.model.variables[name], self.frames[0].graph
        graph.add_input(name, dtype_name(data.dtype), data.shape)
        if name in self.model.info:
            graph.tensors[name].quant = self.model.info[name].quant
        graph.states[name] = State(name, data if data.any() else None)
        self._variables[name] = name
        return name

    def _finish_states(self) -> None:
        """Makes the next values of states the last outputs, each of a node of its own."""
        for name, value in self.model.next_values.items():
            if name in self.graph.states:
                self.graph.states[name].next = self._resolve(value, None)
        for name, state in self.graph.states.items():
            out = self.graph.fresh(f"{name}/next")
            self._inference.node(self.graph.add("Identity", [state.next], [out], out))
            state.next = out
            self.graph.outputs.append(out)

    def _resolve(self, name: str, node: SourceNode | None) -> str:
        tensor = self._resolve_in(len(self.frames) - 1, name, node)
        if self.model.retyped.get(name) in unsigned.HELD_AS:
            self.graph.tensors[tensor].unsigned = self.model.retyped[name]
        return tensor

    def _resolve_in(self, depth: int, name: str, node: SourceNode | None) -> str:
        graph, own = self.frames[depth].graph, self.frames[depth].map
        if name in own:
            return own[name]
        if depth > 0 and name not in self.model.constants:
            own[name] = self._capture(depth, self._resolve_in(depth - 1, name, node))
            return own[name]
        if depth == 0 and name in self.model.variables:
            own[name] = self._add_state(name)
            return name
        data = self.model.constants.get(name)
        if data is None:
            where = f"{node.op} '{node.name}'" if node else "the outputs"
            raise ModelError(f"{where}: tensor '{name}' comes from nowhere")
        if name in self.model.packed:
            added = graph.add_tensor(Tensor(graph.fresh(name), "f32", data.shape))
            store_packed(added, *self.model.packed[name])
            own[name] = added.name
            return added.name
        quant = self.model.info[name].quant if name in self.model.info else None
        own[name] = graph.add_const(name, data, dtype_name(data.dtype))
        graph.tensors[own[name]].quant = quant
        graph.tensors[own[name]].stored = self.model.stored.get(name, "")
        return own[name]

    def _fold_all(self, name: str) -> None:
        """Computes a tensor of `_unfolded`, and those on which it depends."""
        needed: set[Node] = set()
        stack = [name]
        while stack:
            node = self.graph.producer(stack.pop())
            if node is not None and node not in needed:
                needed.add(node)
                stack.extend(i for i in node.inputs if i)
        for node in [n for n in self.graph.nodes if n in needed]:
            if not fold_node(self.graph, node):
                return
            self._unfolded.difference_update(node.outputs)

    def _rename(self, maker: Node, tensor: str, out: str) -> str:
        index = maker.outputs.index(tensor)
        readers = self.graph.consumers(tensor)
        self.graph.set_output(maker, index, out)
        if maker.name == tensor:
            maker.name = out
        if readers:
            self.graph.replace_uses(tensor, out)
        value = self.graph.values.pop(tensor, None)
        if value is not None:
            self.graph.values[out] = value
        return out

    def _check_info(self, source: str, tensor: str) -> None:
        """Adds what the file states and inference does not know."""
        t: Tensor = self.graph.tensors[tensor]
        info = self.model.info.get(source)
        if info is None:
            return
        if t.quant is None and t.dtype == info.dtype:
            t.quant = info.quant
        if t.shape is None and info.shape is not None:
            t.shape = info.shape
