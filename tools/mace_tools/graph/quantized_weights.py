"""Weights of floats stored as int8 or int4: their bytes in a model file, and the floats for
which they stand. mace/graph/stored_weight.h has the layout.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import xxhash
from numpy.lib.mixins import NDArrayOperatorsMixin

from mace_tools.graph.ir import Quant, Tensor

ALIGNMENT = 64
_PART_ELEMENTS = 4 << 20
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


class PackedFloats(NDArrayOperatorsMixin):
    """The float32 array for which a packed weight stands. It takes no memory: the floats are
    computed whenever they are read."""

    dtype = np.dtype(np.float32)

    def __init__(self, shape: tuple[int, ...], stored: str, packed: np.ndarray) -> None:
        self.shape, self._stored, self._packed = shape, stored, packed

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return 4 * self.size

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        floats = unpack(self._stored, self._packed, self.shape)
        return floats if dtype is None else floats.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        arrays = (np.asarray(x) if isinstance(x, PackedFloats) else x for x in inputs)
        return getattr(ufunc, method)(*arrays, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(self)[index]

    def __getattr__(self, name: str) -> Any:
        """Everything else that arrays have."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


def store(tensor: Tensor, stored: str, quantized: np.ndarray, scales: np.ndarray,
          zeros: np.ndarray | None = None) -> None:
    """Makes a constant one that is written quantized. Values are [rows, depth] and scales float16
    [rows, blocks], except where it says otherwise. i8: int8 values and float32 scales [rows]; i8b:
    int8 values; i4: values from -8 to 7; i4z: values from 0 to 15, and zero points as scales."""
    store_packed(tensor, stored, pack(stored, quantized, scales, zeros))


def store_blocks(tensor: Tensor, min_db: float = math.inf) -> bool:
    """Makes a constant the blocks of its source, if their scales as fp16 keep such a
    signal-to-noise ratio, by default each float as it is. REQUIRES: tensor.data and
    tensor.source_blocks."""
    source = tensor.source_blocks
    assert source is not None and tensor.data is not None
    with np.errstate(over="ignore"):
        scales, zeros = (None if t is None else t.astype(np.float16)
                         for t in (source.scales, source.zeros))
    packed = pack(source.stored, source.values, cast(np.ndarray, scales), zeros)
    floats = unpack(source.stored, packed, tensor.data.shape)
    if tensor.stored == "f16":  # as an fp16 model has them, where they may be rounded
        floats = floats.astype(np.float16).astype(np.float32)
    noise = float(np.square(floats - tensor.data, dtype=np.float64).sum())
    signal = float(np.square(tensor.data, dtype=np.float64).sum())
    if noise != 0 and not signal >= noise * 10 ** (min_db / 10):
        return False
    store_packed(tensor, source.stored, packed)
    return True


def store_packed(tensor: Tensor, stored: str, packed: np.ndarray) -> None:
    """The same of bytes as `pack` makes them."""
    shape = cast(tuple[int, ...], tensor.shape)
    tensor.data = cast(np.ndarray, PackedFloats(shape, stored, packed))
    tensor.stored, tensor.packed = stored, packed


def parts_of(rows: np.ndarray) -> list[slice]:
    """Rows that are worked on at a time, so that what is computed beside them stays small."""
    count = max(_PART_ELEMENTS // max(rows.shape[1], 1), 1)
    return [slice(first, first + count) for first in range(0, len(rows), count)]


def store_quantized(tensor: Tensor, quantized: np.ndarray, quant: Quant) -> None:
    """Makes a float32 constant that has these very values one that is written as int8 values, with
    any quantization."""
    tensor.stored = "i8"
    tensor.packed = np.ascontiguousarray(quantized.astype(np.int8)).reshape(-1).view(np.uint8)
    tensor.packed_quant = quant


def digest(tensor: Tensor) -> bytes:
    """Of the contents of a constant, which differ if their digests do. REQUIRES: tensor.data."""
    data = tensor.data if tensor.packed is None or tensor.packed_quant is not None \
        else tensor.packed
    assert data is not None
    return xxhash.xxh3_128_digest(np.ascontiguousarray(data).reshape(-1).view(np.uint8))


def along(quantized: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The scale of each quantized value, as float32."""
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


def layout(stored: str, shape: Sequence[int]) -> list[tuple[int, int, str]]:
    """Offset, bytes and type of elements of what `pack` makes: the values, two a byte in int4,
    then the scales, and the zero points if there are any."""
    rows, depth = shape[0], math.prod(shape[1:])
    blocks = rows * -(-depth // BLOCK)
    size = {"i8": rows * depth, "i8b": BLOCK * blocks}.get(stored, BLOCK // 2 * blocks)
    after = -(-size // ALIGNMENT) * ALIGNMENT
    if stored == "i8":
        return [(0, size, "i1"), (after, 4 * rows, "<f4")]
    ends = (after, after + 2 * blocks)[: 2 if stored == "i4z" else 1]
    return [(0, size, "i1" if stored == "i8b" else "u1"), *((at, 2 * blocks, "<f2") for at in ends)]


def unpack(stored: str, packed: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The floats of what `pack` made."""
    rows, depth = shape[0], math.prod(shape[1:])
    raw, *rest = (packed[at : at + size].view(kind)
                  for at, size, kind in layout(stored, shape))
    raw = raw.reshape(rows, len(raw) // max(rows, 1))
    blocks = (rows, -(-depth // BLOCK))
    scales, *zeros = rest if stored == "i8" else (t.reshape(blocks) for t in rest)
    floats = np.empty((rows, depth), np.float32)
    for part in parts_of(floats):
        values = floats[part]
        values[:] = _values(stored, raw[part])[:, :depth]
        with np.errstate(invalid="ignore", over="ignore"):
            if zeros:
                values -= along(values, zeros[0][part])
            values *= along(values, scales[part])
    return floats.reshape(shape)


def _values(stored: str, raw: np.ndarray) -> np.ndarray:
    """The quantized values of rows of bytes."""
    if stored in ("i8", "i8b"):
        return raw
    pairs = raw.reshape(len(raw), -1, 1, BLOCK // 2)
    values = np.concatenate([pairs & 15, pairs >> 4], 2).reshape(len(raw), -1)
    return values if stored == "i4z" else values.view(np.int8) - np.int8(8)


def _pairs(values: np.ndarray) -> np.ndarray:
    """Byte i of a block: element i in the low half, 16 + i in the high one."""
    blocks = values.reshape(len(values), -1, 2, BLOCK // 2).view(np.uint8)
    return blocks[:, :, 0] | blocks[:, :, 1] << 4
