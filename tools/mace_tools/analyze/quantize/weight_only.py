"""Stores the weights of layers as int8 or int4, while activations stay floats.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from mace_tools.analyze.quantize import gptq, layer_errors, weights
from mace_tools.analyze.quantize.calibration import observe
from mace_tools.analyze.quantize.input_statistics import MAX_TAPS, Moments
from mace_tools.analyze.quantize.layer_errors import Error
from mace_tools.analyze.quantize.prepare import clone
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.config.quantization_options import WEIGHTS_ONLY
from mace_tools.graph.extract import Arrays
from mace_tools.graph.ir import Graph, Node, Tensor
from mace_tools.graph.quantized_weights import (
    BLOCK,
    along,
    parts_of,
    rows_of,
    store,
    store_blocks,
)
from mace_tools.graph.run_io import own_outputs
from mace_tools.support.errors import MaceError

BITS = dict(zip(WEIGHTS_ONLY, ("i8", "i4")))
# The operand of each op that the engine reads as quantized values. MatMul with a constant matrix
# has become FullyConnected.
OPERANDS = {"FullyConnected": 1, "Gather": 0}
# Weights of which int4 keep less get 8 bits.
MIN_DB = 20.0
_MIN_DB_OF_SCALES = 60.0  # what scales of fp16 keep, if they are not too small or too large
_MAX_MEASURED = 8  # samples on which outputs are compared
_RATIOS = np.linspace(1.0, 0.7, 13)
_MAX_SCALE = 65504.0  # of fp16
# How strongly weights are held to their own values while they are rounded, in mean squares of the
# inputs.
_DAMPINGS = (0.01, 0.1, 1.0, 10.0)


@dataclass
class Stored:
    """What became of a weight. `nodes`: those that read it."""

    kind: str  # i8 or i4
    error: Error
    elements: int
    nodes: list[str]


@dataclass
class MadeStored:
    """`left_out`: weights that stay in float32, with the reason. `kept`: those that the source has
    quantized. `outputs`: what is known of their errors."""

    graph: Graph
    weights: dict[str, Stored]
    left_out: dict[str, str]
    is_dynamic: bool = False
    kept: list[str] = field(default_factory=list)
    outputs: dict[str, Error] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)


def inputs_of(graph: Graph, runs: Runs, samples: Sequence[Arrays]) -> dict[str, np.ndarray]:
    """The mean products of the inputs of each FullyConnected, by its weight's name. Errors:
    MaceError for inputs that are not finite; RunFailedError."""
    by_tensor: dict[str, list[Moments]] = {}
    found: dict[str, Moments] = {}
    names = [n for n in _weights(graph) if len(graph.consumers(n)) == 1]
    for node in graph.nodes:
        if node.op != "FullyConnected" or node.inputs[1] not in names \
                or graph.tensors[node.inputs[0]].is_const:
            continue
        one = Moments(node, rows_of(graph.tensors[node.inputs[1]].data).shape)
        if one.taps <= MAX_TAPS:
            found[node.inputs[1]] = one
            by_tensor.setdefault(node.inputs[0], []).append(one)
    if by_tensor:
        observe(graph, runs, samples, list(by_tensor), moments=by_tensor)
    seen = {name: one.second() for name, one in found.items()}
    return {name: second[0] for name, second in seen.items() if second is not None}


def store_weights(graph: Graph, kind: str, float_nodes: tuple[str, ...] = (),
                  seen: Mapping[str, np.ndarray] = MappingProxyType({}),
                  dynamic: bool = False) -> MadeStored:
    """`kind` is a key of BITS. `seen`: what inputs_of found, if there are samples. `dynamic`: the
    layers quantize their inputs while the model runs. Branches and bodies of loops are quantized,
    too. The graph stays as it is. Errors: MaceError if there is no such weight, or one has values
    that are not finite."""
    new = clone(graph)
    new.subgraphs = {name: clone(part) for name, part in graph.subgraphs.items()}
    made = MadeStored(new, {}, {}, dynamic)
    num_dynamic = 0
    for prefix, part in (("", new), *((f"{name}/", p) for name, p in new.subgraphs.items())):
        part.subgraphs = new.subgraphs
        num_dynamic += _store_part(part, prefix, kind, float_nodes,
                                   seen if part is new else {}, made)
    if not made.weights and not num_dynamic:
        raise MaceError(f"{graph.name}: no weight can be stored quantized: the model has no "
                        f"{' or '.join(OPERANDS)} with a constant matrix of floats of its own")
    return made


def _store_part(graph: Graph, prefix: str, kind: str, float_nodes: tuple[str, ...],
                seen: Mapping[str, np.ndarray], made: MadeStored) -> int:
    """Stores the weights of the model, or of one of its subgraphs, which has the prefix. Returns
    how many layers have become dynamic."""
    num_dynamic = 0
    for name in _weights(graph):
        tensor, readers = graph.tensors[name], graph.consumers(name)
        why = _why_not(graph, tensor, readers, float_nodes)
        if why and tensor.packed is None:
            made.left_out[prefix + name] = why
            continue
        layers = [n for n in readers
                  if made.is_dynamic and n.op == "FullyConnected" and not why]
        for node in layers:
            node.attrs["dynamic"] = 1
        num_dynamic += len(layers)
        if tensor.packed is not None:
            made.kept.append(prefix + name)
            continue
        before = tensor.data
        if not np.isfinite(before).all():
            raise MaceError(f"{readers[0]}: its weight '{name}' has NaN or infinite elements, for "
                            "which no quantized value stands; leave the node out with float_nodes")
        used, error = _store_source_blocks(tensor) or _store(tensor, BITS[kind], seen.get(name))
        made.weights[prefix + name] = Stored(used, error, before.size, [n.name for n in readers])
    return num_dynamic


def measured(graph: Graph, made: MadeStored, runs: Runs, samples: Sequence[Arrays]
             ) -> dict[str, Error]:
    """The errors of the outputs on some of the samples. Errors: RunFailedError."""
    some = samples[:_MAX_MEASURED]
    ends = [o for o in own_outputs(graph) if graph.tensors[o].dtype == "f32"]
    right = layer_errors.reference(graph, runs, some, ends)
    return layer_errors.outputs(made.graph, runs, some, right)


def _weights(graph: Graph) -> list[str]:
    """The constants that layers read as their weights, in order."""
    names = (n.inputs[OPERANDS[n.op]] for n in graph.nodes if n.op in OPERANDS)
    return list(dict.fromkeys(n for n in names if n and graph.tensors[n].is_const
                              and graph.tensors[n].dtype == "f32"))


def _why_not(graph: Graph, tensor: Tensor, readers: list[Node],
             float_nodes: tuple[str, ...]) -> str:
    """Why a weight stays in float32; empty: it does not."""
    if any(n.name in float_nodes for n in readers):
        return "as asked"
    if tensor.data.ndim < 2 or not tensor.data.size:
        return "it is no matrix"
    others = [n for n in readers if not _takes(n, tensor.name)]
    if others or tensor.name in graph.outputs:
        return "something else reads it as floats" + (f": {others[0]}" if others else "")
    return ""


def _takes(node: Node, name: str) -> bool:
    """Whether the node reads the constant only as quantized values."""
    place = OPERANDS.get(node.op)
    if place is None or node.inputs.count(name) != 1 or node.inputs[place] != name:
        return False
    return node.op != "Gather" or node.attr("axis") == 0


def _store_source_blocks(tensor: Tensor) -> tuple[str, Error] | None:
    """Keeps the quantized values that the source has, and rounds their scales."""
    before = tensor.data
    if tensor.source_blocks is None or not store_blocks(tensor, _MIN_DB_OF_SCALES):
        return None
    error = Error()
    error.add(rows_of(np.asarray(tensor.data)), rows_of(before))
    return tensor.stored[:2], error


def _store(tensor: Tensor, kind: str, products: np.ndarray | None) -> tuple[str, Error]:
    """Stores a weight, and returns as what, and its error. `products`: the mean products of its
    inputs."""
    rows = rows_of(tensor.data)
    if kind == "i4":
        quantized, scales = blocks_of_4_bits(rows)
        error = _error(rows, quantized, scales)
        if error.sqnr_db >= MIN_DB:
            if products is not None:
                quantized, scales, error = _for_inputs(rows, (quantized, scales, error), products)
            store(tensor, "i4", quantized, scales)
            return "i4", error
    scales, quantized = _rows_of_8_bits(rows)
    error = _error(rows, quantized, scales)
    store(tensor, "i8", quantized, scales)
    return "i8", error


def _rows_of_8_bits(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scales of the rows, and their int8 values."""
    found = []
    for part in parts_of(rows):
        scales = weights.scales(rows[part], 0)
        found.append((scales, weights.quantized(rows[part], np.where(scales > 0, scales, 1), 0)[0]))
    return np.concatenate([s for s, _ in found]), np.concatenate([q for _, q in found])


def _for_inputs(rows: np.ndarray, plain: tuple[np.ndarray, np.ndarray, Error],
                products: np.ndarray) -> tuple[np.ndarray, np.ndarray, Error]:
    """Of the plainly rounded values, and those that were rounded for such inputs, the ones with
    which the product with the inputs changes least, among those of which the weights keep
    MIN_DB."""
    def change(quantized: np.ndarray, scales: np.ndarray) -> float:
        error = quantized * along(quantized, scales) - rows
        return float(np.einsum("ok,kl,ol->", error, products, error, optimize=True))

    best, least = plain, change(*plain[:2])
    for scales in (blocks_of_4_bits(rows, np.diagonal(products))[1], plain[1]):
        wide = along(rows, scales).astype(np.float64)
        steps = np.where(wide == 0, 1, wide)[None]
        for damping in _DAMPINGS:
            found = gptq.solve(rows[None].astype(np.float64), steps, products[None], (-8, 7),
                                   damping)[0]
            quantized = np.where(wide == 0, 0, found).astype(np.int8)
            error = _error(rows, quantized, scales)
            if error.sqnr_db >= MIN_DB and change(quantized, scales) < least:
                best, least = (quantized, scales, error), change(quantized, scales)
    return best


def _error(rows: np.ndarray, quantized: np.ndarray, scales: np.ndarray) -> Error:
    error = Error()
    for part in parts_of(rows):
        error.add(quantized[part] * along(quantized[part], scales[part]), rows[part])
    return error


def blocks_of_4_bits(rows: np.ndarray, importance: np.ndarray | None = None
                     ) -> tuple[np.ndarray, np.ndarray]:
    """Quantized values from -8 to 7 and fp16 scales of blocks of BLOCK elements, with the least
    squared error, to which the columns add as much as their `importance`. Scales may be negative,
    so that the largest magnitude of a block can have the value -8."""
    found = [_blocks_of_4_bits(rows[part], importance) for part in parts_of(rows)]
    if len(found) == 1:
        return found[0]
    return np.concatenate([q for q, _ in found]), np.concatenate([s for _, s in found])


def _blocks_of_4_bits(rows: np.ndarray, importance: np.ndarray | None
                      ) -> tuple[np.ndarray, np.ndarray]:
    depth = rows.shape[1]
    factors = np.ones(depth) if importance is None else importance
    factors = np.pad(factors.astype(np.float32), (0, -depth % BLOCK)).reshape(-1, BLOCK)
    blocks = np.pad(rows.astype(np.float32), ((0, 0), (0, -depth % BLOCK))
                    ).reshape(len(rows), -1, BLOCK)
    peak = np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2)[..., 0]
    best = np.zeros(peak.shape, np.float16)
    least = np.full(peak.shape, np.inf, np.float32)
    for divisor in (-8.0, 7.0):
        for ratio in _RATIOS:
            scale = np.clip(peak * (ratio / divisor), -_MAX_SCALE, _MAX_SCALE).astype(np.float16)
            wide = scale.astype(np.float32)[..., None]
            error = (np.square(_quantized(blocks, scale) * wide - blocks) * factors).sum(2)
            better = error < least
            best[better], least[better] = scale[better], error[better]
    quantized = _quantized(blocks, best).reshape(len(rows), -1)[:, :depth]
    return quantized.astype(np.int8), best


def _quantized(blocks: np.ndarray, scale: np.ndarray) -> np.ndarray:
    wide = scale.astype(np.float32)[..., None]
    units = np.divide(blocks, wide, out=np.zeros_like(blocks), where=wide != 0)
    return np.clip(np.rint(units), -8, 7)
