"""Shape and type inference for the engine's ops, as far as the source model tells.

SPDX-License-Identifier: Apache-2.0

The engine infers everything again when it plans; this serves importers and passes, so unknown
extents (None) and unknown ranks are allowed everywhere. The rule of an op is `infer` in its file in
ops/.
"""

import math
from dataclasses import dataclass

import numpy as np

from mace_tools.convert import ops
from mace_tools.convert.ops.common.view import Type, View
from mace_tools.convert.reference import evaluate
from mace_tools.graph import op_schema
from mace_tools.graph.ir import NUMPY, Graph, Node, Tensor
from mace_tools.support.errors import ModelError

MAX_VALUE_ELEMENTS = 4096
MAX_ELEMENTS = 1 << 58  # of a tensor, in the engine


@dataclass(frozen=True)
class Inference:
    """Infers what the nodes of a graph compute."""

    graph: Graph

    def node(self, node: Node) -> None:
        """Sets dtype and shape of a node's outputs, and their contents if they are known.

        Errors: ModelError for operands that contradict each other."""
        function = None if node.is_custom else getattr(ops.find(node.op), "infer", None)
        if node.types is not None:
            types: list[Type] = list(node.types)
        elif function is None or not _is_complete(node):
            given = [self.graph.tensors[i].dtype for i in node.inputs if i]
            types = [(given[0] if given else "f32", None)] * len(node.outputs)
        else:
            try:
                result = function(View(self.graph, node))
            except (ArithmeticError, LookupError, TypeError, ValueError) as e:
                shapes = ", ".join(f"{i} {_show(self.graph.tensors[i])}" for i in node.inputs if i)
                raise ModelError(f"{node}: {e}; inputs: {shapes}") from e
            types = result if isinstance(result, list) else [result]
        for name, (dtype, shape) in zip(node.outputs, types):
            if shape is not None and len(shape) > op_schema.max_rank():
                raise ModelError(f"{node}: its output would have {len(shape)} dimensions, the "
                                 f"engine's tensors have at most {op_schema.max_rank()}")
            if shape is not None and math.prod(d for d in shape if d is not None) > MAX_ELEMENTS:
                raise ModelError(f"{node}: its output would have the shape {list(shape)}, which is "
                                 f"more elements than 2^58, the most that a tensor may have")
            tensor = self.graph.tensors[name]
            tensor.dtype = dtype
            tensor.shape = None if shape is None else tuple(shape)
            if tensor.quant is None and node.inputs and _moves_values(node):
                found = next((q for q in (self.graph.tensors[n].quant for n in node.inputs if n)
                              if q is not None), None)
                # Where the axis of several scales goes is not known here.
                tensor.quant = found if found is None or found.axis is None else None
        if function is not None and _is_complete(node):
            self._propagate_value(node)

    def _propagate_value(self, node: Node) -> None:
        """Evaluates shape arithmetic: Shape of a known shape, and small integers computed from
        it."""
        outs = [self.graph.tensors[o] for o in node.outputs]
        if node.op == "Shape":
            shape = self.graph.tensors[node.inputs[0]].static_shape
            if shape is not None:
                part = shape[node.attr("start") : node.attr("end")]
                self.graph.values[node.outputs[0]] = np.array(part, NUMPY[node.attr("output_type")])
            return
        operands = []
        for name in node.inputs:
            value = None
            if name:
                value = self.graph.const(name)
                value = self.graph.values.get(name) if value is None else value
                if value is None or value.size > MAX_VALUE_ELEMENTS:
                    return
            operands.append(value)
        for out in outs:
            size = 0 if out.static_shape is None else int(np.prod(out.static_shape))
            if out.static_shape is None or size > MAX_VALUE_ELEMENTS or out.dtype not in NUMPY:
                return
        results = evaluate(node, operands)
        if results is not None:
            self.graph.values.update(zip(node.outputs, results))


def infer_node(graph: Graph, node: Node) -> None:
    """As Inference.node."""
    Inference(graph).node(node)


def infer_graph(graph: Graph) -> None:
    """Infers all nodes, which must be sorted."""
    graph.values.clear()
    inference = Inference(graph)
    for node in graph.nodes:
        inference.node(node)


def _moves_values(node: Node) -> bool:
    """Whether the outputs have the scale of input 0: their elements are its own, or means of
    them."""
    op = op_schema.all_ops().get(node.op)
    moves = op is not None and op.on_quantized == "moves" or node.op == "Resize"
    return moves and node.inputs[0] != ""


def _is_complete(node: Node) -> bool:
    """Whether the required operands are present; op_support.py reports nodes that lack one."""
    return all(node.has_input(i) for i in range(op_schema.all_ops()[node.op].min_inputs))


def _show(t: Tensor) -> str:
    dims = "?" if t.shape is None else ",".join("?" if d is None else str(d) for d in t.shape)
    return f"{t.dtype}[{dims}]"
