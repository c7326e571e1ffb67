"""Quantizes a graph, from the samples to the quantized graph and its errors.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mace_tools.analyze.quantize import accuracy_search, layer_errors, range_file, ranges
from mace_tools.analyze.quantize.calibration import floats, observe
from mace_tools.analyze.quantize.candidates import HEAVY, candidates, keeps_scale
from mace_tools.analyze.quantize.cross_layer_equalization import equalize, pairs
from mace_tools.analyze.quantize.first_last_layers import first_layers, last_layers, store_weights
from mace_tools.analyze.quantize.input_statistics import MAX_TAPS, Moments
from mace_tools.analyze.quantize.layer_errors import Error
from mace_tools.analyze.quantize.prepare import clone, split_activations
from mace_tools.analyze.quantize.quantize_graph import Assigned, Ranges, Weights, assign
from mace_tools.analyze.quantize.ranges import Range
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.analyze.quantize.scales import is_layer
from mace_tools.config.problems import did_you_mean
from mace_tools.config.quantization_options import Choices
from mace_tools.convert.importers.request import some
from mace_tools.graph import op_schema
from mace_tools.graph.extract import Arrays
from mace_tools.graph.ir import Graph, Node
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError

_MAX_MEASURED = 8  # samples of which the error of every layer is measured
_MAX_EQUALIZED = 16  # samples that show the ranges of channels
_AVERAGE = op_schema.numbers("Pooling", "pooling_type")["AVERAGE"]
_NARROW_PART = 0.6
_NARROW = "a mean whose range is a small part of its operand's, of which it would have the scale"
# Of the common range, the share of an operand's below which too few of its steps are left: of a
# Concat before other layers, whose float form costs time, and of one whose result only ends leave.
_MIXED_PART, _MIXED_END_PART = 1 / 16, 1 / 2
_MIXED = "operands whose ranges differ, of which the small ones would lose their order"
_FIRST = "first layers, which multiply little for each pixel"
_LAST = "last layers, with weights stored quantized"
# Layers of which the covariance of inputs is measured.
MEASURED = ("Conv2d", "DepthwiseConv2d", "FullyConnected")


@dataclass
class Made:
    """A quantized graph. `floats`: the graph that it was made of, with layers equalized.
    `left_out`: the nodes in float32, with the reason."""

    floats: Graph
    assigned: Assigned
    found: Ranges
    errors: dict[str, Error]
    outputs: dict[str, Error]
    left_out: dict[str, str] = field(default_factory=dict)
    equalized: int = 0
    trials: int = 0
    doubts: list[str] = field(default_factory=list)

    @property
    def graph(self) -> Graph:
        return self.assigned.graph


def quantize(graph: Graph, samples: Sequence[Arrays], runs: Runs, choices: Choices,
             console: Console) -> Made:
    """The graph stays as it is. Errors: MaceError."""
    source, left = _begun(graph, choices)
    nodes = candidates(source, left)
    equalized = 0
    if choices.equalize and pairs(source):
        some_samples = samples[:_MAX_EQUALIZED]
        between = [first.outputs[0] for first, _ in pairs(source)]
        with console.steps("equalizing", len(some_samples)) as step:
            seen = observe(source, runs, some_samples, between, lambda: step("samples"))
        equalized = equalize(source, seen)
        source.prune()
        source.topo_sort()
    found = _calibrate(source, samples, runs, choices, console, nodes)
    nodes = _with_fitting_ranges(source, nodes, found, left)
    made = assign(source, nodes, found)
    measured = samples[:_MAX_MEASURED]
    trials = 0
    if choices.accuracy_budget is not None:
        kept = _keep(source, nodes, found, runs, measured, choices, console)
        trials = kept.trials
        left |= {n: f"for the budget: alone it costs {c:.3g}" for n, c in kept.costs.items()}
        names = {n.name for n in nodes} - set(kept.costs)
        nodes = candidates(source, [n.name for n in source.nodes if n.name not in names])
        if not nodes:
            raise MaceError(accuracy_search.cannot(choices.accuracy_budget, kept.all_quantized))
        made = assign(source, nodes, found)
    _finish(source, made, nodes, left)
    with console.steps("measuring", 1) as step:
        step("the error of every layer")
        errors = layer_errors.layers(source, made, runs, measured)
    ends = {o: errors[o] for o in source.outputs if o in errors}
    return Made(source, made, found, errors, ends, left, equalized, trials)


def quantize_by_file(graph: Graph, path: Path, inputs: Mapping[str, Range], choices: Choices
                     ) -> Made:
    """With the ranges of a file, and of `inputs` that it lacks. Nothing runs, so that no errors are
    measured. The graph stays as it is. Errors: MaceError."""
    given = range_file.read(path)
    source, left = _begun(graph, choices)
    chosen = range_file.ranges_of(source, given, inputs, path)
    nodes = candidates(source, left)
    lacking = range_file.without(source, nodes, chosen)
    left |= {name: f"the range file has no range of {tensor}" for name, tensor in lacking.items()}
    found = Ranges(chosen, {}, correct_bias=False)
    nodes = _with_fitting_ranges(source, candidates(source, left), found, left)
    if not nodes:
        raise MaceError(f"{graph.name}: no layer is left for int8: "
                        f"{range_file.words(lacking)}" if lacking else _nothing(source, choices))
    made = assign(source, nodes, found)
    _finish(source, made, nodes, left)
    return Made(source, made, found, {}, {}, left,
                doubts=[range_file.words(lacking)] if lacking else [])


def _begun(graph: Graph, choices: Choices) -> tuple[Graph, dict[str, str]]:
    """A copy to work on, and the nodes that stay in float32, with the reason. Errors: MaceError."""
    if any(tensor.quant is not None for tensor in graph.tensors.values()):
        raise MaceError(f"{graph.name}: the model is quantized already; give its float form, or "
                        "leave out what is to quantize it")
    source = clone(graph)
    split_activations(source)
    _check_names(source, choices)
    nodes = candidates(source, choices.float_nodes)
    if not nodes:
        raise MaceError(_nothing(source, choices))
    left = dict.fromkeys(choices.float_nodes, "as asked")
    if choices.float_ends:
        left |= _ends(source, nodes)
    return source, left


def _with_fitting_ranges(graph: Graph, nodes: Sequence[Node], found: Ranges, left: dict[str, str]
                         ) -> list[Node]:
    """Those whose operands' ranges go together; the others are added to `left`."""
    left |= dict.fromkeys(_narrowing(graph, nodes, found), _NARROW)
    left |= dict.fromkeys(_mixing(graph, nodes, found), _MIXED)
    return candidates(graph, left)


def _finish(graph: Graph, made: Assigned, nodes: Sequence[Node], left: dict[str, str]) -> None:
    """Says why each other node is in float32, and stores the weights of last layers."""
    left |= {n.name: "the engine has no quantized kernel for it, or it is far from such layers"
             for n in graph.nodes if n not in set(nodes) and n.name not in left
             and _computes(graph, n)}
    store_weights(made.graph, [n for n, why in left.items() if why == _LAST])


def _ends(graph: Graph, nodes: Sequence[Node]) -> dict[str, str]:
    """First and last layers that stay in float32, with the reason; none if these are all."""
    first, last = first_layers(graph, nodes), last_layers(graph, nodes)
    if not candidates(graph, [*first, *last]):
        return {}
    return {**dict.fromkeys(first, _FIRST), **dict.fromkeys(last, _LAST)}


def _calibrate(graph: Graph, samples: Sequence[Arrays], runs: Runs, choices: Choices,
               console: Console, nodes: Sequence[Node]) -> Ranges:
    used = {n for node in nodes for n in (*node.inputs, *node.outputs)}
    tensors = [name for name in floats(graph) if name in used]
    moments = {n.name: Moments(n, graph.tensors[n.inputs[1]].data.shape) for n in nodes
               if n.op in MEASURED and is_layer(graph, n)}
    moments = {name: one for name, one in moments.items() if one.taps <= MAX_TAPS}
    by_tensor: dict[str, list[Moments]] = {}
    for node in nodes:
        if node.name in moments:
            by_tensor.setdefault(node.inputs[0], []).append(moments[node.name])
    with console.steps("calibrating", len(samples)) as step:
        seen = observe(graph, runs, samples, tensors, lambda: step("samples"), by_tensor)
    with console.steps("choosing ranges", len(tensors)) as step:
        chosen = {}
        for name in tensors:
            step(name)
            chosen[name] = ranges.choose(seen[name].histogram, choices)
    return Ranges(chosen, seen, choices.correct_bias, Weights(moments))


def _narrowing(graph: Graph, nodes: Sequence[Node], found: Ranges) -> list[str]:
    """Means that use a small part of the range of what they are taken of: they would lose much of
    their accuracy with the same scale."""
    names = []
    for node in nodes:
        if node.op == "Pooling" and node.attr("pooling_type") == _AVERAGE:
            (x_low, x_high), (low, high) = (found.chosen[n] for n in (node.inputs[0],
                                                                      node.outputs[0]))
            if high - low < _NARROW_PART * (x_high - x_low):
                names.append(node.name)
    return names


def _mixing(graph: Graph, nodes: Sequence[Node], found: Ranges) -> list[str]:
    """Nodes whose operands would share one scale though their ranges differ, as where coordinates
    and scores end in one output."""
    names, followed = [], set()
    for node in reversed(graph.nodes):  # which are in the order of computing
        readers = [r for out in node.outputs for r in graph.consumers(out)]
        if any(r in followed or r.op in HEAVY for r in readers):
            followed.add(node)
        operands = {n for n in node.inputs if n in found.chosen}
        if node not in nodes or len(operands) < 2 or not keeps_scale(node):
            continue
        ranges_of = [found.chosen[n] for n in operands]
        common = max(h for _, h in ranges_of) - min(low for low, _ in ranges_of)
        part = _MIXED_PART if node in followed else _MIXED_END_PART
        if any(0 < high - low < part * common for low, high in ranges_of):
            names.append(node.name)
    return names


def _keep(graph: Graph, nodes: Sequence[Node], found: Ranges, runs: Runs,
          samples: Sequence[Arrays], choices: Choices, console: Console) -> accuracy_search.Kept:
    """The layers to leave in float32 for the budget."""
    names = [n.name for n in nodes]
    right = layer_errors.reference(graph, runs, samples, list(graph.outputs))

    def with_quantized(chosen: Sequence[str]) -> float:
        others = set(names) - set(chosen)
        some_nodes = candidates(graph, [n.name for n in graph.nodes if n.name in others
                                        or n.name not in names])
        if not some_nodes:
            return 1.0
        made = assign(graph, some_nodes, found)
        return layer_errors.worst(layer_errors.outputs(made.graph, runs, samples, right))

    layers = accuracy_search.units(graph, nodes)
    with console.steps("searching", len(layers) + 8) as step:
        return accuracy_search.search(
            layers, lambda left: with_quantized([n for n in names if n not in left]),
            with_quantized,
            choices.accuracy_budget or 0.0, step)


def _check_names(graph: Graph, choices: Choices) -> None:
    names = [n.name for n in graph.nodes]
    for name in choices.float_nodes:
        if name not in names:
            raise MaceError(f"float_nodes: the model has no node '{name}'"
                            f"{did_you_mean(name, names) or '.'} Its nodes: {some(names)}")


def _nothing(graph: Graph, choices: Choices) -> str:
    heavy = [str(n) for n in graph.nodes if n.op in HEAVY]
    if not heavy:
        return (f"{graph.name}: the model has no layer that int8 of 8 bits would make faster "
                f"({', '.join(HEAVY)})")
    why = "float_nodes names them all" if choices.float_nodes else \
        "their weights are computed, or the engine has no kernel for them"
    return f"{graph.name}: no layer can be computed in int8: {some(heavy)}; {why}"


def _computes(graph: Graph, node: Node) -> bool:
    """Whether the node computes floats while the model runs."""
    return any(graph.tensors[o].dtype == "f32" for o in node.outputs)
