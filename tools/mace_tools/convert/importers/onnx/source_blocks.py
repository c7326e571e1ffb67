"""Blocks of weights of other sizes and bits as blocks of the engine.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode
from mace_tools.graph.quantized_weights import BLOCK
from mace_tools.graph.source_blocks import SourceBlocks


def found(b: Builder, n: SourceNode, block: int, values: np.ndarray, scales: np.ndarray,
          zeros: np.ndarray) -> SourceBlocks | None:
    """(values - zeros) * scales, with values [rows, depth], and scales and zeros [rows, blocks]. If
    there are no such blocks, a note has the reason."""
    depth = values.shape[1]
    if block % BLOCK and depth > block:
        return none(b, n, f"their blocks are of {block} elements, those of the engine of {BLOCK}")
    each, count = -(-block // BLOCK), -(-depth // BLOCK)
    scales, zeros = (np.repeat(t.astype(np.float32), each, 1)[:, :count] for t in (scales, zeros))
    if _lie_in(values, -8, 7):  # int4
        values, zeros = values + 8, zeros + 8
    whole = values - np.repeat(zeros, BLOCK, 1)[:, :depth]
    if _lie_in(whole, -8, 7):
        return SourceBlocks("i4", whole.astype(np.int8), scales)
    if _lie_in(values, 0, 15):
        return SourceBlocks("i4z", values.astype(np.int8), scales, zeros)
    if _lie_in(whole, -128, 127):
        return SourceBlocks("i8b", whole.astype(np.int8), scales)
    return none(b, n, "the engine has neither 8-bit blocks with zero points nor blocks of floats")


def _lie_in(values: np.ndarray, low: int, high: int) -> bool:
    """Whether all are whole numbers of a range."""
    return bool(((values >= low) & (values <= high) & (values == np.rint(values))).all())


def none(b: Builder, n: SourceNode, reason: str) -> None:
    note = f"weights of {n.op.rsplit('.', 1)[-1]} became float32: {reason}"
    if note not in b.graph.notes:
        b.graph.notes.append(note)
