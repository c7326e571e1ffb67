"""Weights of floats stored as int8 or int4: their bytes in a model file, and the floats for
which they stand. mace/graph/stored_weight.h has the layout.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from mace_tools.graph.ir import Quant, Tensor

ALIGNMENT = 64
BLOCK = 32  # elements that share a scale in int4
# What the model file calls each.
STORED_TYPES = {"i8": "DT_INT8", "i4": "DT_UINT8"}


def rows_of(array: np.ndarray) -> np.ndarray:
    """The slices along the first axis, one a row."""
    return array.reshape(array.shape[0], -1)


def store(tensor: Tensor, stored: str, quantized: np.ndarray, scales: np.ndarray) -> None:
    """Makes a constant one that is written quantized. i8: int8 values [rows, depth] and float32
    scales [rows]; i4: int8 values from -8 to 7 and float16 scales [rows, blocks]."""
    values = quantized.astype(np.float32) * along(quantized, scales)
    tensor.data = np.ascontiguousarray(values).reshape(tensor.data.shape)
    tensor.stored = stored
    tensor.packed = _bytes(stored, quantized, scales)


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


def _bytes(stored: str, quantized: np.ndarray, scales: np.ndarray) -> np.ndarray:
    raw = quantized.astype(np.int8).tobytes() if stored == "i8" else _pairs(quantized).tobytes()
    raw += bytes(-len(raw) % ALIGNMENT)
    raw += scales.astype("<f4" if stored == "i8" else "<f2").tobytes()
    return np.frombuffer(raw, np.uint8)


def _pairs(quantized: np.ndarray) -> np.ndarray:
    """Byte i of a block: element i in the low half, 16 + i in the high one, each plus 8."""
    padded = np.pad(quantized.astype(np.int16), ((0, 0), (0, -quantized.shape[1] % BLOCK))) + 8
    blocks = padded.reshape(len(quantized), -1, 2, BLOCK // 2).astype(np.uint8)
    return blocks[:, :, 0] | blocks[:, :, 1] << 4
