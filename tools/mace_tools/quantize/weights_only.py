"""Stores the weights of layers as codes of 8 or 4 bits, while activations stay floats.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mace_tools.errors import MaceError
from mace_tools.ir import Graph, Node, Tensor
from mace_tools.quantize import weights
from mace_tools.quantize.choices import WEIGHTS_ONLY
from mace_tools.quantize.measure import Error
from mace_tools.quantize.prepare import clone
from mace_tools.stored_codes import BLOCK, along, rows_of, store

BITS = dict(zip(WEIGHTS_ONLY, ("i8", "i4")))
# The operand of each op that the engine reads as codes. MatMul with a constant matrix has become
# FullyConnected.
OPERANDS = {"FullyConnected": 1, "Gather": 0}
# Weights of which codes of 4 bits keep less get 8 bits.
LEAST_DB = 20.0
_RATIOS = np.linspace(1.0, 0.7, 13)
_MOST_SCALE = 65504.0  # of fp16


@dataclass
class Stored:
    """What became of a weight. `nodes`: those that read it."""

    kind: str  # i8 or i4
    error: Error
    elements: int
    nodes: list[str]


@dataclass
class MadeStored:
    """`left_out`: weights that stay floats, with the reason."""

    graph: Graph
    weights: dict[str, Stored]
    left_out: dict[str, str]


def store_weights(graph: Graph, kind: str, float_nodes: tuple[str, ...] = ()) -> MadeStored:
    """`kind` is a key of BITS. The graph stays as it is. Errors: MaceError if there is no such
    weight, or one has values that are not finite."""
    new = clone(graph)
    found: dict[str, Stored] = {}
    left: dict[str, str] = {}
    for name in _weights(new):
        tensor, readers = new.tensors[name], new.consumers(name)
        why = _why_not(new, tensor, readers, float_nodes)
        if why:
            left[name] = why
            continue
        before = tensor.data
        if not np.isfinite(before).all():
            raise MaceError(f"{readers[0]}: its weight '{name}' has NaN or infinite elements, for "
                            "which codes cannot stand; leave the node out with float_nodes")
        used, error = _store(tensor, BITS[kind])
        found[name] = Stored(used, error, before.size, [n.name for n in readers])
    if not found:
        raise MaceError(f"{graph.name}: no weight can be stored as codes: the model has no "
                        f"{' or '.join(OPERANDS)} with a constant matrix of floats of its own")
    return MadeStored(new, found, left)


def _weights(graph: Graph) -> list[str]:
    """The constants that layers read as their weights, in order."""
    names = (n.inputs[OPERANDS[n.op]] for n in graph.nodes if n.op in OPERANDS)
    return list(dict.fromkeys(n for n in names if n and graph.tensors[n].is_const
                              and graph.tensors[n].dtype == "f32"))


def _why_not(graph: Graph, tensor: Tensor, readers: list[Node],
             float_nodes: tuple[str, ...]) -> str:
    """Why a weight stays in floats; empty: it does not."""
    if any(n.name in float_nodes for n in readers):
        return "as asked"
    if tensor.packed is not None:
        return "it is stored as codes already"
    if tensor.data.ndim < 2 or not tensor.data.size:
        return "it is no matrix"
    others = [n for n in readers if not _takes(n, tensor.name)]
    if others or tensor.name in graph.outputs:
        return "something else reads it as floats" + (f": {others[0]}" if others else "")
    return ""


def _takes(node: Node, name: str) -> bool:
    """Whether the node reads the constant only as codes."""
    place = OPERANDS.get(node.op)
    if place is None or node.inputs.count(name) != 1 or node.inputs[place] != name:
        return False
    return node.op != "Gather" or node.attr("axis") == 0


def _store(tensor: Tensor, kind: str) -> tuple[str, Error]:
    """Stores a weight, and returns as what, and its error."""
    rows = rows_of(tensor.data)
    if kind == "i4":
        codes, scales = blocks_of_4_bits(rows)
        error = _error(rows, codes, scales)
        if error.sqnr_db >= LEAST_DB:
            store(tensor, "i4", codes, scales)
            return "i4", error
    scales = weights.scales(rows, 0)
    codes, _ = weights.codes(rows, np.where(scales > 0, scales, 1), 0)
    error = _error(rows, codes, scales)
    store(tensor, "i8", codes, scales)
    return "i8", error


def _error(rows: np.ndarray, codes: np.ndarray, scales: np.ndarray) -> Error:
    error = Error()
    error.add(codes * along(codes, scales), rows)
    return error


def blocks_of_4_bits(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes from -8 to 7 and fp16 scales of blocks of BLOCK elements, with the least squared error.
    Scales may be negative, so that the largest magnitude of a block can have the code -8."""
    depth = rows.shape[1]
    blocks = np.pad(rows.astype(np.float32), ((0, 0), (0, -depth % BLOCK))
                    ).reshape(len(rows), -1, BLOCK)
    peak = np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2)[..., 0]
    best = np.zeros(peak.shape, np.float16)
    least = np.full(peak.shape, np.inf, np.float32)
    for divisor in (-8.0, 7.0):
        for ratio in _RATIOS:
            scale = np.clip(peak * (ratio / divisor), -_MOST_SCALE, _MOST_SCALE).astype(np.float16)
            error = np.square(_codes(blocks, scale) * scale.astype(np.float32)[..., None] - blocks
                              ).sum(2)
            better = error < least
            best[better], least[better] = scale[better], error[better]
    codes = _codes(blocks, best).reshape(len(rows), -1)[:, :depth]
    return codes.astype(np.int8), best


def _codes(blocks: np.ndarray, scale: np.ndarray) -> np.ndarray:
    wide = scale.astype(np.float32)[..., None]
    units = np.divide(blocks, wide, out=np.zeros_like(blocks), where=wide != 0)
    return np.clip(np.rint(units), -8, 7)
