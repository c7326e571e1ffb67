"""The block formats of GGUF: values of few bits that share a scale.

SPDX-License-Identifier: Apache-2.0

Each function has the bytes of blocks [n, bytes], and returns their values [n, values] as float32.
Scales are fp16; products and sums are those of float32, in the order of the definitions.
Source: the format's definition at github.com/ggml-org/ggml (docs/gguf.md).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mace_tools.graph.quantized_weights import ALIGNMENT


@dataclass(frozen=True)
class Kind:
    """A block: how many values in how many bytes."""

    values: int
    bytes: int
    dequantize: Callable[[np.ndarray], np.ndarray]


def _fp16(raw: np.ndarray, at: int) -> np.ndarray:
    """A number of each block, [n, 1]."""
    return np.ascontiguousarray(raw[:, at : at + 2]).view("<f2").astype(np.float32)


def _nibbles(q: np.ndarray) -> np.ndarray:
    """The low halves of 16 bytes, then their high halves."""
    return np.concatenate([q & 15, q >> 4], 1)


def _fifth_bits(raw: np.ndarray, at: int) -> np.ndarray:
    """Bit e of the word at `at`, as 16 or 0 of value e."""
    word = np.ascontiguousarray(raw[:, at : at + 4]).view("<u4")
    return ((word >> np.arange(32, dtype=np.uint32) & 1) << 4).astype(np.uint8)


def q8_0(raw: np.ndarray) -> np.ndarray:
    return _fp16(raw, 0) * raw[:, 2:].view(np.int8).astype(np.float32)


def q4_0(raw: np.ndarray) -> np.ndarray:
    return _fp16(raw, 0) * (_nibbles(raw[:, 2:]).astype(np.float32) - 8)


def q4_1(raw: np.ndarray) -> np.ndarray:
    return _fp16(raw, 0) * _nibbles(raw[:, 4:]).astype(np.float32) + _fp16(raw, 2)


def q5_0(raw: np.ndarray) -> np.ndarray:
    values = (_nibbles(raw[:, 6:]) | _fifth_bits(raw, 2)).astype(np.float32) - 16
    return _fp16(raw, 0) * values


def q5_1(raw: np.ndarray) -> np.ndarray:
    values = (_nibbles(raw[:, 8:]) | _fifth_bits(raw, 4)).astype(np.float32)
    return _fp16(raw, 0) * values + _fp16(raw, 2)


def _six_bits(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales and minima [n, 8] of 12 bytes, 6 bits each."""
    low, mid, high = s[:, :4], s[:, 4:8], s[:, 8:]
    scales = np.concatenate([low & 63, (high & 15) | (low >> 6 << 4)], 1)
    minima = np.concatenate([mid & 63, (high >> 4) | (mid >> 6 << 4)], 1)
    return scales.astype(np.float32), minima.astype(np.float32)


def _groups(raw: np.ndarray, values: np.ndarray) -> np.ndarray:
    """values [n, 8, 32] scaled as Q4_K and Q5_K scale them."""
    scales, minima = _six_bits(raw[:, 4:16])
    scales, minima = _fp16(raw, 0) * scales, _fp16(raw, 2) * minima
    return (scales[..., None] * values.astype(np.float32) - minima[..., None]).reshape(-1, 256)


def _pairs_of_groups(q: np.ndarray) -> np.ndarray:
    """128 bytes as [n, 8, 32]: of each 32 bytes the low halves, then the high ones."""
    q = q.reshape(len(q), 4, 1, 32)
    return np.concatenate([q & 15, q >> 4], 2).reshape(len(q), 8, 32)


def with_offsets(kind: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of Q4_1 or Q4_K: values 0 to 15 [rows, values], and float32 scales and offsets [rows, values
    / 32]: element = scale * value + offset."""
    raw = np.ascontiguousarray(rows).reshape(-1, KINDS[kind].bytes)
    if kind == "Q4_1":
        values, scales, offsets = _nibbles(raw[:, 4:]), _fp16(raw, 0), _fp16(raw, 2)
    else:
        values = _pairs_of_groups(raw[:, 16:])
        scales, minima = _six_bits(raw[:, 4:16])
        scales, offsets = _fp16(raw, 0) * scales, -_fp16(raw, 2) * minima
    count = len(rows)
    return (values.reshape(count, -1), scales.reshape(count, -1), offsets.reshape(count, -1))


def q4_k(raw: np.ndarray) -> np.ndarray:
    return _groups(raw, _pairs_of_groups(raw[:, 16:]))


def q5_k(raw: np.ndarray) -> np.ndarray:
    bits = raw[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[None, :, None] & 1
    return _groups(raw, _pairs_of_groups(raw[:, 48:]) | bits << 4)


def q6_k(raw: np.ndarray) -> np.ndarray:
    low = raw[:, :128].reshape(-1, 2, 1, 64)
    low = np.concatenate([low & 15, low >> 4], 2).reshape(-1, 2, 4, 32)
    high = raw[:, 128:192].reshape(-1, 2, 1, 32) >> np.arange(0, 8, 2, dtype=np.uint8)[:, None] & 3
    values = (low | high << 4).reshape(-1, 16, 16).astype(np.float32) - 32
    scales = _fp16(raw, 208) * raw[:, 192:208].view(np.int8).astype(np.float32)
    return (scales[..., None] * values).reshape(-1, 256)


KINDS = {
    "Q4_0": Kind(32, 18, q4_0), "Q4_1": Kind(32, 20, q4_1), "Q5_0": Kind(32, 22, q5_0),
    "Q5_1": Kind(32, 24, q5_1), "Q8_0": Kind(32, 34, q8_0), "Q4_K": Kind(256, 144, q4_k),
    "Q5_K": Kind(256, 176, q5_k), "Q6_K": Kind(256, 210, q6_k),
}


def dequantized(kind: str, rows: np.ndarray) -> np.ndarray:
    """The values of rows of blocks [rows, bytes], as [rows, values]."""
    block = KINDS[kind]
    flat = np.ascontiguousarray(rows).reshape(-1, block.bytes)
    return block.dequantize(flat).reshape(len(rows), -1)


def packed(kind: str, rows: np.ndarray) -> np.ndarray:
    """Q4_0 as the bytes of i4, and Q8_0 as those of i8b (quantized_weights.pack): values lie in
    blocks as they do here, and scales behind all of them."""
    flat = np.ascontiguousarray(rows).reshape(-1, KINDS[kind].bytes)
    values, scales = flat[:, 2:].reshape(-1), flat[:, :2].reshape(-1)
    return np.concatenate([values, np.zeros(-values.size % ALIGNMENT, np.uint8), scales])
