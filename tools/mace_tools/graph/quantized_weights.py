"""Weights of floats stored as int8 or int4: their bytes in a model file, and the floats for
which they stand. mace/graph/stored_weight.h has the layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tempfile

import numpy as np

from mace_tools.graph.ir import Quant, Tensor

ALIGNMENT = 64
_PART_ELEMENTS = 4 << 20
_LARGE_BYTES = 64 << 20
BLOCK = 32  # elements that share a scale
# What the model file calls each: int8 with a scale for each row, or for each block; int4 in blocks,
# without and with zero points.
STORED_TYPES = {"i8": "DT_INT8", "i8b": "DT_INT8_BLOCKS", "i4": "DT_UINT8",
                "i4z": "DT_UINT4_BLOCKS"}
# Those that version 2 of the format does not have.
SINCE_VERSION_3 = ("i8b", "i4z")


def rows_of(array: np.ndarray) -> np.ndarray:
    """The slices along the first axis, one a row."""
    return array.reshape(array.shape[0], -1)


def store(tensor: Tensor, stored: str, quantized: np.ndarray, scales: np.ndarray,
          zeros: np.ndarray | None = None) -> None:
    """Makes a constant one that is written quantized. Values are [rows, depth] and scales float16
    [rows, blocks], except where it says otherwise. i8: int8 values and float32 scales [rows]; i8b:
    int8 values; i4: values from -8 to 7; i4z: values from 0 to 15, and zero points as scales."""
    floats = _space(quantized.shape)
    for part in parts_of(quantized):
        steps = quantized[part].astype(np.float32)
        if zeros is not None:
            steps -= along(steps, zeros[part])
        floats[part] = steps * along(steps, scales[part])
    tensor.data = floats.reshape(tensor.data.shape)
    tensor.stored = stored
    tensor.packed = pack(stored, quantized, scales, zeros)


def parts_of(rows: np.ndarray) -> list[slice]:
    """Rows that are worked on at a time, so that what is computed beside them stays small."""
    count = max(_PART_ELEMENTS // max(rows.shape[1], 1), 1)
    return [slice(first, first + count) for first in range(0, len(rows), count)]


def _space(shape: tuple[int, ...]) -> np.ndarray:
    """Space for floats; large ones are in a temporary file, from which they are read back."""
    if 4 * int(np.prod(shape)) < _LARGE_BYTES:
        return np.empty(shape, np.float32)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, np.float32, "w+", shape=shape)


def store_quantized(tensor: Tensor, quantized: np.ndarray, quant: Quant) -> None:
    """Makes a float32 constant that has these very values one that is written as int8 values, with
    any quantization."""
    tensor.stored = "i8"
    tensor.packed = np.ascontiguousarray(quantized.astype(np.int8)).reshape(-1).view(np.uint8)
    tensor.packed_quant = quant


def along(quantized: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The scale of each code, as float32."""
    if scales.ndim == 1:
        return scales.astype(np.float32)[:, None]
    return np.repeat(scales.astype(np.float32), BLOCK, 1)[:, :quantized.shape[1]]


def pack(stored: str, quantized: np.ndarray, scales: np.ndarray,
         zeros: np.ndarray | None = None) -> np.ndarray:
    """The bytes of a weight in a model file; operands as those of `store`."""
    values = quantized.astype(np.int8)
    if stored != "i8":
        values = np.pad(values, ((0, 0), (0, -quantized.shape[1] % BLOCK)))
    if stored in ("i4", "i4z"):
        values = _pairs(values if stored == "i4z" else values + np.int8(8))
    raw = values.tobytes()
    raw += bytes(-len(raw) % ALIGNMENT)
    raw += scales.astype("<f4" if stored == "i8" else "<f2").tobytes()
    if zeros is not None:
        raw += zeros.astype("<f2").tobytes()
    return np.frombuffer(raw, np.uint8)


def _pairs(values: np.ndarray) -> np.ndarray:
    """Byte i of a block: element i in the low half, 16 + i in the high one."""
    blocks = values.reshape(len(values), -1, 2, BLOCK // 2).view(np.uint8)
    return blocks[:, :, 0] | blocks[:, :, 1] << 4
