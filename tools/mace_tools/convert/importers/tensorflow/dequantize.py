"""The dequantized values, as operands and results of TensorFlow's quantized operators.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import scalar
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow.quantized_tensors import quantized_range
from mace_tools.graph.ir import Quant
from mace_tools.graph.quantization import along
from mace_tools.support.errors import Unsupported


def known_range(b: Builder, low: str, high: str) -> tuple[np.float32, np.float32] | None:
    """A range of constants; None if it is computed."""
    ends = b.const(low), b.const(high)
    if ends[0] is None or ends[1] is None:
        return None
    if ends[0].size != 1 or ends[1].size != 1:
        raise Unsupported("a range for each channel", "quantize with one range for each tensor")
    return np.float32(ends[0].item()), np.float32(ends[1].item())


def dequantized_operand(b: Builder, n: SourceNode, x: str, low: str, high: str, kind: str) -> str:
    """The dequantized values of an operand: itself, unless it is a quantized constant.

    Errors: Unsupported if it is and its range is computed."""
    if b.dtype(x) == "f32":
        return x
    given = known_range(b, low, high)
    if given is None:
        raise Unsupported(f"its constant '{x}' has a range that is computed while the model runs",
                          "freeze the graph again, so that the range is a constant")
    return dequantized_constant(b, n, x, quantized_range(n, kind, *given).quant)


def dequantized_constant(b: Builder, n: SourceNode, x: str, quant: Quant) -> str:
    quantized = b.const(x)
    if quantized is None:
        raise Unsupported(f"its operand '{x}' holds quantized values that are no constant",
                          "begin the model before its QuantizeV2 (input_tensors)")
    shift = 128 if quantized.dtype == np.uint8 else 0
    zero, rank = quant.zero_point + shift, quantized.ndim
    value = (quantized.astype(np.int64) - along(zero, None, rank)) * along(quant.scale, None, rank)
    is_quantized = quantized.dtype != np.int32 and -128 <= quant.zero_point[0] <= 127
    return b.add_dequantized(value.astype(np.float32), quant if is_quantized else None, "floats")


def rounded(b: Builder, x: str, quant: Quant, ties: str) -> str:
    """The numbers that are nearest to x among the dequantized values."""
    if not -128 <= quant.zero_point[0] <= 127:
        raise Unsupported("its range does not hold 0", "quantize with ranges that hold 0")
    b.rounds_floats()
    quantized = b.op("Quantize", x, to="i8", rounding=ties)
    b.set_quant(quantized, quant)
    return b.op("Dequantize", quantized)


def kept(b: Builder, n: SourceNode, y: str, low: str, high: str, kind: str) -> str:
    """A result that is int8 of this range."""
    given = known_range(b, low, high)
    if given is None or kind == "qint32":
        return y
    return rounded(b, y, quantized_range(n, kind, *given).quant, "AWAY")


def shift_of(b: Builder, n: SourceNode, low: str, high: str, kind: str) -> float:
    """See QuantizedRange: sums find the quantized 0 as Dequantize does."""
    given = known_range(b, low, high)
    return 0.0 if given is None or kind == "qint32" else quantized_range(n, kind, *given).shift


def added(b: Builder, x: str, value: float) -> str:
    """x and a number; as a bias where that is possible, of the layer before it if there is one."""
    if value == 0:
        return x
    maker = b.graph.producer(x)
    if maker is not None and maker.op == "BiasAdd":
        bias = b.const(maker.inputs[1])
        if bias is not None:
            total = b.add_const((bias + np.float32(value)).astype(np.float32), name="bias")
            return b.op("BiasAdd", maker.inputs[0], total)
    shape = b.shape(x)
    if shape and shape[-1] is not None:
        return b.op("BiasAdd", x, b.add_const(np.full(shape[-1], value, np.float32), name="bias"))
    return b.op("Eltwise", x, scalar(b, value, x), type="SUM")
