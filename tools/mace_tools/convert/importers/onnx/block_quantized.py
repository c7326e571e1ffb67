"""Operators of the domain com.microsoft whose weights have few bits, with a scale for each block.

SPDX-License-Identifier: Apache-2.0

Their weights become floats when the model is converted, and in the end the quantized values again,
where the engine has such blocks (passes/store_quantized_weights.py).
Source: docs/ContribOperators.md of ONNX Runtime.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry, source_blocks
from mace_tools.convert.importers.onnx.scales import AGAIN
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError, Unsupported

PACKED = (2, 4, 8)

registry.without_meaning(
    "how coarsely its activations may be rounded; they are not", "accuracy_level",
    ops=["com.microsoft.MatMulNBits"],
)


@registry.op("com.microsoft.MatMulNBits")
def matmul_n_bits(b: Builder, n: SourceNode) -> str:
    """A * W', with W as floats"""
    x, weights, scales, zeros, groups, bias = [*n.inputs, *[""] * 3][:6]
    n.only("weight_prepacked", 0, "export the model for the CPU")
    rows, columns, block = n.attr("N"), n.attr("K"), n.attr("block_size")
    if min(rows, columns, block) < 1:
        raise ModelError(f"{n.op} '{n.name}': N is {rows}, K {columns} and block_size {block}; "
                         f"they are above 0; {AGAIN}")
    packed, found = _constant(b, weights, "weights"), None
    if packed.size == 0:  # the projection is left out
        floats = np.zeros((rows, columns), np.float32)
    else:
        bits, count = _bits(n), -(-columns // block)
        values = _unpacked(packed, bits).reshape(-1)
        values = _shaped(n, weights, values, (rows, count * block))[:, :columns]
        group = np.arange(columns) // block
        if groups:
            group = _constant(b, groups, "group indices").reshape(-1)[:columns]
        scale = _shaped(n, scales, _constant(b, scales, "scales"), (rows, count))
        zero = _zeros(b, n, zeros, bits, (rows, count))
        floats = (values - zero[:, group]) * scale.astype(np.float32)[:, group]
        is_plain = not groups or np.array_equal(group, np.arange(columns) // block)
        found = source_blocks.found(b, n, block, values, scale, zero) if is_plain else (
            source_blocks.none(b, n, "their columns have groups of their own (g_idx)"))
    w = b.add_const(floats, b.dtype(x), "weights")
    b.set_source_blocks(w, found)
    y = b.op("MatMul", x, w, transpose_b=1)
    return b.op("Eltwise", y, bias, type="SUM") if bias else y


def _zeros(b: Builder, n: SourceNode, zeros: str, bits: int, shape: tuple[int, int]) -> np.ndarray:
    """The zero points: floats, or packed like the weights, each row in whole bytes."""
    if not zeros:
        return np.full(shape, 1 << (bits - 1), np.float32)
    data = _constant(b, zeros, "zero points")
    if data.dtype != np.uint8:
        return _shaped(n, zeros, data, shape).astype(np.float32)
    each = -(-shape[1] * bits // 8)
    return _unpacked(_shaped(n, zeros, data, (shape[0], each)), bits)[:, : shape[1]]


@registry.op("com.microsoft.GatherBlockQuantized")
def gather_block_quantized(b: Builder, n: SourceNode) -> str:
    """Gather from the weights as floats"""
    data, indices, scales, zeros = [*n.inputs, ""][:4]
    kind = b.source_type(0) or b.dtype(data)
    values, scale = _constant(b, data, "weights"), _constant(b, scales, "scales")
    zero = _constant(b, zeros, "zero points") if zeros else np.float32(0)
    bits = _bits(n)
    if kind == "u8":
        values = _unpacked(values, bits)
        zero = _unpacked(zero, bits) if zeros else np.float32(1 << (bits - 1))
    rank, block = values.ndim, n.attr("block_size", 128)
    axis, along = n.attr("gather_axis", 0), n.attr("quantize_axis", 1)
    if not (-rank <= axis < rank and -rank <= along < rank) or block < 0:
        raise ModelError(f"{n.op} '{n.name}': gather_axis is {axis}, quantize_axis {along} and "
                         f"block_size {block}, for weights of {rank} dimensions; {AGAIN}")
    axis, along = axis % rank, along % rank
    group = np.arange(values.shape[along]) // (block or values.shape[along])
    shape = [1 if d == 1 and k != along else values.shape[k] for k, d in enumerate(scale.shape)]
    shape[along] = int(group[-1]) + 1
    scale = _shaped(n, scales, scale, tuple(shape)).astype(np.float32)
    if zeros:
        cut = tuple(slice(d) for d in shape)  # behind the zero points a byte may have more bits
        zero = _shaped(n, zeros, zero[cut], tuple(shape)).astype(np.float32)
    values = values.astype(np.float32)
    floats = (values - (zero.take(group, along) if zeros else zero)) * scale.take(group, along)
    w = b.add_const(floats, b.dtype(scales), "weights")
    if rank == 2 and (axis, along) == (0, 1):
        blocks = (len(values), shape[1])
        b.set_source_blocks(w, source_blocks.found(
            b, n, block or values.shape[1], values, np.broadcast_to(scale, blocks),
            np.broadcast_to(zero, blocks)))
    return b.op("Gather", w, indices, axis=axis)


def _bits(n: SourceNode) -> int:
    bits = n.attr("bits", 4)
    if bits not in PACKED:
        raise Unsupported(f"weights of {bits} bits", "use 2, 4 or 8 bits")
    return int(bits)


def _constant(b: Builder, name: str, what: str) -> np.ndarray:
    data = b.const(name)
    if data is None:
        raise Unsupported(f"its {what} '{name}' are computed while the model runs",
                          f"make the {what} constants of the source model")
    return data


def _unpacked(data: np.ndarray, bits: int) -> np.ndarray:
    """The values of bytes as floats along the last dimension, those of the low bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    parts = data[..., None] >> shifts & np.uint8((1 << bits) - 1)
    return parts.reshape(*data.shape[:-1], -1).astype(np.float32)


def _shaped(n: SourceNode, name: str, data: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if data.size != np.prod(shape):
        raise ModelError(f"{n.op} '{n.name}': '{name}' has {data.size} elements, and it needs "
                         f"{list(shape)}; {AGAIN}")
    return data.reshape(shape)
