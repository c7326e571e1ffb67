"""Rewrites a graph of floats so that the chosen nodes compute in int8.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mace_tools.analyze.quantize import bias_correction, gptq, weights
from mace_tools.analyze.quantize.calibration import Observed
from mace_tools.analyze.quantize.input_statistics import Moments
from mace_tools.analyze.quantize.prepare import clone
from mace_tools.analyze.quantize.ranges import MAX, MIN, Range
from mace_tools.analyze.quantize.scales import Scales, is_layer
from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph.ir import Graph, Node, Quant, Tensor


@dataclass
class Weights:
    """Scales and quantized values of weights, which do not depend on which nodes are in float32.
    `moments`: of the inputs of layers, by the layers' names."""

    moments: Mapping[str, Moments] = field(default_factory=dict)
    by_name: dict[tuple[str, int | None], np.ndarray] = field(default_factory=dict)
    _quantized: dict[tuple[str, bytes], np.ndarray] = field(default_factory=dict)

    def scales(self, tensor: Tensor, axis: int | None) -> np.ndarray:
        key = (tensor.name, axis)
        if key not in self.by_name:
            self.by_name[key] = weights.scales(tensor.data, axis)
        return self.by_name[key]

    def quantized(self, node: Node, data: np.ndarray, scale: np.ndarray, axis: int | None
              ) -> tuple[np.ndarray, Quant]:
        """The quantized values and their quantization parameters."""
        plain, quant = weights.quantized(data, scale, axis)
        seen = self.moments.get(node.name)
        covariance = None if seen is None else seen.covariance()
        if covariance is None:
            return plain, quant
        key = (node.name, scale.tobytes())
        if key not in self._quantized:
            self._quantized[key] = gptq.quantized(node, data, scale, covariance)
        return self._quantized[key], quant


@dataclass(frozen=True)
class Ranges:
    """What calibration found: the range and the observations of each tensor."""

    chosen: Mapping[str, Range]
    observed: Mapping[str, Observed]
    correct_bias: bool
    weights: Weights = field(default_factory=Weights)


@dataclass(frozen=True)
class Assigned:
    """The new graph. `quantized`: of tensors of the old graph, the quantized tensors in the new
    one."""

    graph: Graph
    quantized: dict[str, str]


def assign(graph: Graph, nodes: Sequence[Node], found: Ranges) -> Assigned:
    """`nodes` are the nodes of `graph`, in its order, that are to compute on quantized values. The
    graph stays as it is."""
    new, names = clone(graph), {node.name for node in nodes}
    chosen = [n for n in new.nodes if n.name in names]
    scales = Scales(new, chosen, found.chosen)
    work = _Rewrite(new, chosen, scales, found)
    for node in chosen:
        work.node(node)
    work.back_to_floats()
    new.prune()
    new.topo_sort()
    infer_graph(new)
    new.validate()
    return Assigned(new, {k: v for k, v in work.quantized.items() if v in new.tensors})


class _Rewrite:
    def __init__(self, graph: Graph, nodes: Sequence[Node], scales: Scales, found: Ranges) -> None:
        self.graph, self.scales, self.found = graph, scales, found
        self.nodes = set(nodes)
        self.quantized: dict[str, str] = {}
        self._again: dict[tuple[str, float, int], str] = {}

    def node(self, node: Node) -> None:
        """Makes a node read and compute quantized values. Its operands come before it."""
        g = self.graph
        inputs = list(node.inputs)
        layer = is_layer(g, node)
        for k, name in enumerate(node.inputs):
            if not name or g.tensors[name].dtype != "f32" or (layer and k > 0):
                continue
            wanted = self.scales.of(name, node)
            inputs[k] = self._constant(name, wanted) if g.tensors[name].is_const \
                else self._operand(name, wanted)
        if layer:
            self._weights(node, inputs, float(self.scales.of(node.inputs[0], node).scale[0]))
        g.set_inputs(node, inputs)
        for k, out in enumerate(list(node.outputs)):
            q = self._new(out, self.scales.of(out))
            g.set_output(node, k, q)
            self.quantized[out] = q

    def back_to_floats(self) -> None:
        """Gives those who read floats, and the caller, what was computed quantized."""
        g = self.graph
        for name, q in self.quantized.items():
            if g.producer(name) is None and name not in g.inputs \
                    and (g.consumers(name) or name in g.outputs):
                g.add("Dequantize", [q], [name], g.fresh(f"{name}/float"))

    def _operand(self, name: str, wanted: Quant) -> str:
        """The tensor's quantized values, which are made where it has floats or other quantized
        values."""
        g = self.graph
        source = self.quantized.get(name, name)
        if g.tensors[source].quant is not None and _equal(g.tensors[source].quant, wanted):
            return source
        key = (name, float(wanted.scale[0]), int(wanted.zero_point[0]))
        if key not in self._again:
            made = self._new(name, wanted)
            g.add("Quantize", [source], [made], made, to="i8")
            self._again[key] = made
            if name not in self.quantized:
                self.quantized[name] = made
        return self._again[key]

    def _new(self, name: str, quant: Quant) -> str:
        old = self.graph.tensors[name]
        made = self.graph.fresh(f"{name}/quantized")
        self.graph.add_tensor(Tensor(made, "i8", old.shape, quant=quant))
        return made

    def _constant(self, name: str, quant: Quant) -> str:
        data = self.graph.tensors[name].data
        made = self.graph.fresh(f"{name}/quantized")
        found = np.rint(data / quant.scale[0]) + quant.zero_point[0]
        self.graph.add_tensor(Tensor(made, "i8", tuple(data.shape),
                                     np.clip(found, MIN, MAX).astype(np.int8), quant=quant))
        return made

    def _weights(self, node: Node, inputs: list[str], x_scale: float) -> None:
        g = self.graph
        tensor = g.tensors[node.inputs[1]]
        given = g.tensors[node.inputs[2]].data if node.has_input(2) else None
        axis = weights.axis_of(node, tensor.data.shape)
        scale = weights.fitting_bias(self.found.weights.scales(tensor, axis), x_scale, given)
        q, quant = self.found.weights.quantized(node, tensor.data, scale, axis)
        inputs[1] = g.fresh(f"{tensor.name}/quantized")
        g.add_tensor(Tensor(inputs[1], "i8", tuple(q.shape), q, quant=quant))
        shift = self._shift(node, tensor.data, q, quant)
        if given is None and shift is None:
            return
        total = (0.0 if given is None else given) - (0.0 if shift is None else shift)
        total = np.asarray(total, np.float64)
        name = node.inputs[2] if node.has_input(2) else f"{node.name}/bias"
        made = g.add_const(g.fresh(f"{name}/quantized"),
                           weights.quantized_bias(total, x_scale, scale))
        inputs[2:] = [made]

    def _shift(self, node: Node, w: np.ndarray, q: np.ndarray, quant: Quant
               ) -> np.ndarray | None:
        """What rounding the weights adds to each output on average."""
        seen = self.found.weights.moments.get(node.name) if self.found.correct_bias else None
        mean = None if seen is None else seen.mean()
        if mean is None:
            return None
        shape = [1] * w.ndim
        if quant.axis is not None:
            shape[quant.axis] = -1
        error = q.astype(np.float64) * quant.scale.reshape(shape) - w
        return bias_correction.shift(node, error, mean)


def _equal(a: Quant, b: Quant) -> bool:
    return (a.axis == b.axis and np.array_equal(a.scale, b.scale)
            and np.array_equal(a.zero_point, b.zero_point))
