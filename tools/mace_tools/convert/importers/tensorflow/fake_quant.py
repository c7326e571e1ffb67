"""FakeQuant: floats rounded to the dequantized values of a range.

SPDX-License-Identifier: Apache-2.0

Source: the definitions of tf.quantization.fake_quant_with_min_max_vars and its relatives.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.graph.ir import Quant
from mace_tools.graph.quantization import along
from mace_tools.support.errors import ModelError, Unsupported

_BITS = 8


@registry.op("FakeQuantWithMinMaxArgs")
def fake_quant_args(b: Builder, n: SourceNode) -> str:
    """A range that attributes give, moved so that 0 has a code"""
    return _rounded(b, n, np.float32(n.attr("min", -6.0)), np.float32(n.attr("max", 6.0)))


@registry.op("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_vars(b: Builder, n: SourceNode) -> str:
    """A constant range, or one for each index of the last axis of a constant, moved so that 0 has a
    code"""
    least, most = (b.const(name) for name in n.inputs[1:3])
    if least is None or most is None:
        which = n.inputs[1 if least is None else 2]
        raise Unsupported(f"its range '{which}' is computed while the model runs",
                          "freeze the model after training, so that its ranges are "
                          "constants")
    return _rounded(b, n, least, most)


def _rounded(b: Builder, n: SourceNode, least: np.ndarray, most: np.ndarray) -> str:
    x, bits, narrow = n.inputs[0], n.attr("num_bits", _BITS), bool(n.attr("narrow_range", False))
    if not 2 <= bits <= 16:
        raise ModelError(f"TensorFlow {n.op} '{n.name}': num_bits is {bits}; TensorFlow takes 2 to "
                         "16")
    data = b.const(x)
    quant, first, last = _nudged(b, n, least, most, int(narrow), (1 << bits) - 1)
    lows, highs = ((c - quant.zero_point) * quant.scale for c in (first, last))
    b.rounds_floats()
    if data is not None:
        rank = data.ndim
        scale, low, high = (along(v.astype(np.float32), quant.axis, rank)
                            for v in (quant.scale, lows, highs))
        units = np.floor((np.clip(data, low, high) - low) * (np.float32(1) / scale) + 0.5)
        keeps = Quant(quant.scale, quant.zero_point - 128, quant.axis) if bits <= _BITS else None
        return b.add_dequantized((units * scale + low).astype(np.float32), keeps, "rounded")
    if quant.axis is not None or bits > _BITS:
        what = f"{bits} bits" if bits > _BITS else "a range for each channel"
        raise Unsupported(f"{what} of a computed tensor",
                          "train with 8 bits, and one range for each activation")
    if first > 0 or last < 255:  # quantized values of fewer bits saturate within those of 8
        x = b.op("Clip", x, min=float(lows[0]), max=float(highs[0]))
    quantized = b.op("Quantize", x, to="i8")
    b.set_quant(quantized, Quant(quant.scale, quant.zero_point - 128))
    return b.op("Dequantize", quantized)


def _nudged(b: Builder, n: SourceNode, least: np.ndarray, most: np.ndarray, first: int,
            last: int) -> tuple[Quant, int, int]:
    """Scales and zero points of the quantized values from `first` to `last`, of which one stands
    for 0.

    Errors: ModelError for ranges that cannot be."""
    low, high = (np.asarray(v, np.float32).reshape(-1) for v in (least, most))
    where = f"TensorFlow {n.op} '{n.name}'"
    good = np.isfinite(low) & np.isfinite(high) & (low < high) if low.shape == high.shape else None
    if good is None or not good.all():
        at = 0 if good is None else int(np.argmin(good))
        raise ModelError(f"{where}: its range is {low[at]} to {high[at]}, of {low.size} minima and "
                         f"{high.size} maxima; a minimum is less than its maximum, and both are "
                         "finite: calibrate or train the model again")
    scale = (high - low) / np.float32(last - first)
    # Rounded half away from zero; what lies outside of the quantized values is cut.
    zero = np.clip(np.floor(first - low / scale + np.float32(0.5)), first, last).astype(np.int64)
    if low.size == 1:
        return Quant(scale, zero), first, last
    rank, extents = b.rank(n.inputs[0]), b.extents(n.inputs[0])
    if extents[-1] != low.size:
        raise ModelError(f"{where}: it has {low.size} ranges, and the last axis of its operand has "
                         f"the extent {extents[-1]}")
    return Quant(scale, zero, rank - 1), first, last
