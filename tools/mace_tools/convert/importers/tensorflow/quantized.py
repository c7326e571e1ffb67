"""TensorFlow's quantized operators, between which quantized tensors go with their ranges.

SPDX-License-Identifier: Apache-2.0

Source: the operators in TensorFlow's API documentation (tf.raw_ops), and "How to Quantize Neural
Networks with TensorFlow" there. What tools of TensorFlow 1 (graph_transforms, quantize_nodes) made
of a model in float32 computes with these.

A quantized tensor becomes the dequantized values. Where its range is constant,
as in graphs with frozen ranges, these are quantized, so that layers compute on quantized values as
the source does. Where the range is computed in each run, they are not rounded, which is nearer to
the model in float32; the weights are still those of the source.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import scalar
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.dequantize import (
    added,
    dequantized_constant,
    dequantized_operand,
    kept,
    known_range,
    rounded,
    shift_of,
)
from mace_tools.convert.importers.tensorflow.quantized_tensors import TYPES, quantized_range
from mace_tools.graph.ir import Quant
from mace_tools.support.errors import ModelError, Unsupported

# By operator: the one that does the same with floats, how many operands are quantized, and
# whether the result has 32 bits.
_COUNTERPARTS = {
    "QuantizedConv2D": ("Conv2D", 2, True),
    "QuantizedMatMul": ("MatMul", 2, True),
    "QuantizedMul": ("Mul", 2, True),
    "QuantizedAdd": ("AddV2", 2, True),
    "QuantizedBiasAdd": ("BiasAdd", 2, True),
    "QuantizedRelu": ("Relu", 1, False),
    "QuantizedRelu6": ("Relu6", 1, False),
    "QuantizedMaxPool": ("MaxPool", 1, False),
    "QuantizedAvgPool": ("AvgPool", 1, False),
}
# Products of quantized values, and sums, whose range TensorFlow takes this many times as large.
_PRODUCTS = ("QuantizedConv2D", "QuantizedMatMul", "QuantizedMul")
_ROOM_OF_SUMS = 1 << 14
_BITS_32 = float(1 << 31)
_STEPS = 255


@registry.op("QuantizeV2")
def quantize(b: Builder, n: SourceNode) -> list[str]:
    x, low, high = n.inputs
    n.only("axis", -1)
    mode, kind = _mode(n), n.attr("T").name
    if kind not in ("quint8", "qint8"):
        raise Unsupported(f"quantized values of type {kind}", "quantize to quint8 or qint8")
    ties = {"HALF_AWAY_FROM_ZERO": "AWAY", "HALF_TO_EVEN": "EVEN"}[
        n.attr("round_mode", "HALF_AWAY_FROM_ZERO")]
    given = known_range(b, low, high)
    minimum = n.attr("ensure_minimum_range", 0.01)
    narrow = n.attr("narrow_range", False)
    if given is None:
        _note_computed(b)
        return [b.op("Identity", x), low, high]
    if mode == "SCALED":
        scale = _scale_of_scaled(n, kind, *given, narrow)
        if narrow and kind == "qint8":
            x = b.op("Clip", x, min=float(-127 * scale[0]), max=float(127 * scale[0]))
        return [rounded(b, x, Quant(scale, _zeros(kind)), ties), low, high]
    # TensorFlow makes a range hold 0, and makes it no smaller than this.
    least, most = given
    reach = np.float32(max(1, abs(least), abs(most)) * minimum)
    least = min(np.float32(0), least)
    most = max(np.float32(0), most, least + reach)
    found = quantized_range(n, kind, least, most)
    if mode == "MIN_COMBINED" or kind == "quint8":  # these count from the end of the range
        x = added(b, x, -found.lead)
    ends = [b.add_const(np.float32(v), name="range") for v in (least, most)]
    return [rounded(b, x, found.quant, ties), *ends]


@registry.op("Dequantize")
def dequantize(b: Builder, n: SourceNode) -> str:
    x, low, high = n.inputs
    n.only("axis", -1)
    mode, kind, narrow = _mode(n), n.attr("T").name, n.attr("narrow_range")
    if n.attr("dtype") is not None and n.attr("dtype").name != "float":
        raise Unsupported(f"a result of type {n.attr('dtype').name}", "cast it afterwards")
    given = known_range(b, low, high)
    if mode == "SCALED":
        if b.const(x) is None or given is None:
            return x
        return dequantized_constant(b, n, x, Quant(
            _scale_of_scaled(n, kind, *given, bool(narrow)), _zeros(kind)))
    in_float = dequantized_operand(b, n, x, low, high, kind)
    if given is None or kind == "qint32":
        return in_float
    found = quantized_range(n, kind, *given)
    return added(b, in_float, found.lead if mode == "MIN_COMBINED" else found.shift)


@registry.op(*_COUNTERPARTS)
def counterpart(b: Builder, n: SourceNode) -> list[str]:
    op, operands, is_wide = _COUNTERPARTS[n.op]
    n.only("padding_list", [])
    _check_result(n, is_wide)
    ranges = n.inputs[operands:]
    kinds = _kinds(n, operands)
    floats = [dequantized_operand(b, n, x, *ranges[2 * k:2 * k + 2], kinds[k])
              for k, x in enumerate(n.inputs[:operands])]
    y = _plain(b, n, op, floats)
    if n.op in _PRODUCTS:
        return [y, *_range_of_products(b, n, ranges, kinds)]
    if is_wide:
        for k, kind in enumerate(kinds):
            y = added(b, y, shift_of(b, n, *ranges[2 * k:2 * k + 2], kind))
        return [y, *_range_of_sums(b, ranges)]
    return [kept(b, n, y, *ranges, kinds[0]), *ranges]


@registry.op("QuantizedReluX")
def relu_x(b: Builder, n: SourceNode) -> list[str]:
    x, most, low, high = n.inputs
    _check_result(n, False)
    (kind,) = _kinds(n, 1)
    in_float = b.op("Activation", dequantized_operand(b, n, x, low, high, kind), activation="RELU")
    return [kept(b, n, b.op("Eltwise", in_float, most, type="MIN"), low, high, kind), low, high]


@registry.op("QuantizedReshape", "QuantizedResizeBilinear")
def with_shape(b: Builder, n: SourceNode) -> list[str]:
    x, shape, low, high = n.inputs
    (kind,) = _kinds(n, 1)
    in_float = dequantized_operand(b, n, x, low, high, kind)
    y = _plain(b, n, n.op.removeprefix("Quantized"), [in_float, shape])
    return [y if n.op == "QuantizedReshape" else kept(b, n, y, low, high, kind), low, high]


@registry.op("QuantizedConcat")
def concat(b: Builder, n: SourceNode) -> list[str]:
    count = n.attr("N")
    (kind,) = _kinds(n, 1)
    axis, parts = n.inputs[0], n.inputs[1:1 + count]
    lows, highs = n.inputs[1 + count:1 + 2 * count], n.inputs[1 + 2 * count:]
    floats = [dequantized_operand(b, n, *of, kind) for of in zip(parts, lows, highs)]
    low, high = _all(b, "MIN", [*lows, _zero(b)]), _all(b, "MAX", highs)
    given = [known_range(b, *pair) for pair in zip(lows, highs)]
    known = [g for g in given if g is not None]
    if kind == "qint32" or len(known) < count:
        return [_plain(b, n, "Concat", [axis, *floats]), low, high]
    ends = np.float32(min(0, *(g[0] for g in known))), np.float32(max(g[1] for g in known))
    for k, own in enumerate(known):
        if own != ends:  # quantized values of the common range are copied
            floats[k] = added(b, floats[k], quantized_range(n, kind, *own).shift)
    y = _plain(b, n, "Concat", [axis, *floats])
    return [rounded(b, y, quantized_range(n, kind, *ends).quant, "AWAY"), low, high]


@registry.op("QuantizeDownAndShrinkRange", "RequantizationRange")
def down(b: Builder, n: SourceNode) -> list[str]:
    """From the smallest number in the tensor, or 0, to the largest."""
    x, low, high = n.inputs
    _check_result(n, False)
    _kinds(n, 1)
    in_float = dequantized_operand(b, n, x, low, high, "qint32")
    _note_computed(b)
    least, most = (b.op("Reduce", in_float, reduce_type=kind, axis=[], keepdims=0)
                   for kind in ("MIN", "MAX"))
    ends = [b.op("Eltwise", least, _zero(b), type="MIN"), most]
    return [in_float, *ends] if n.op == "QuantizeDownAndShrinkRange" else ends


@registry.op("Requantize")
def requantize(b: Builder, n: SourceNode) -> list[str]:
    x, low, high, least, most = n.inputs
    _kinds(n, 1)
    in_float, kind = dequantized_operand(b, n, x, low, high, "qint32"), n.attr("out_type").name
    given = known_range(b, least, most)
    if given is not None and kind == "quint8":  # which counts from the end of the range
        in_float = added(b, in_float, -quantized_range(n, kind, *given).lead)
    return [kept(b, n, in_float, least, most, kind), least, most]


def _note_computed(b: Builder) -> None:
    note = ("the source computes ranges of quantized values in each run: there the engine computes "
            "with the numbers themselves, and does not quantize them; TensorFlow's transform "
            "freeze_requantization_ranges makes the ranges constant")
    notes = b.frames[0].graph.notes
    if note not in notes:
        notes.append(note)


def _plain(b: Builder, n: SourceNode, op: str, inputs: Sequence[str]) -> str:
    """What a float operator makes of these, with the attributes of the node."""
    result = registry.functions()[op](b, replace(n, op=op, inputs=list(inputs)))
    assert isinstance(result, str)
    return result


def _kinds(n: SourceNode, operands: int) -> list[str]:
    """The types of the operands' quantized values. Errors: ModelError if the node does not say
    them."""
    named = [n.attr(key) for key in ("T1", "T2", "Tinput", "Tfilter", "T")]
    kinds = [t.name for t in named if t is not None]
    if n.op == "QuantizedMatMul":
        kinds = [n.attr("T1").name, n.attr("T2").name]
    if len(kinds) < operands or any(k not in TYPES for k in kinds[:operands]):
        raise ModelError(f"TensorFlow {n.op} '{n.name}': the types of its operands are {kinds}; "
                         f"{operands} of quint8, qint8 and qint32 are needed")
    return kinds[:operands]


def _check_result(n: SourceNode, is_wide: bool) -> None:
    given = n.attr("out_type", n.attr("Toutput"))
    if given is not None and (given.name == "qint32") != is_wide:
        raise Unsupported(f"a result of type {given.name}", "requantize it afterwards")


def _zeros(kind: str) -> np.ndarray:
    """The zero point, less 128 for quint8, of quantized values that are symmetric or begin at 0."""
    return np.array([0 if kind == "qint8" else -128], np.int64)


def _mode(n: SourceNode) -> str:
    mode = n.attr("mode", "MIN_COMBINED")
    if mode not in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        raise Unsupported(f"mode {mode}", "use MIN_COMBINED, MIN_FIRST or SCALED")
    return mode


def _scale_of_scaled(n: SourceNode, kind: str, low: np.float32, high: np.float32, narrow: bool
                     ) -> np.ndarray:
    """The step of the mode SCALED: that of the end of the range which needs the larger one."""
    if kind == "qint8":
        step = max(low / (-127 if narrow else -128), high / 127)
    else:
        step = high / _STEPS
    if not (np.isfinite(step) and step > 0):
        raise ModelError(f"TensorFlow {n.op} '{n.name}': its range {low} to {high} gives steps of "
                         f"{step}, which must be above 0 and finite: quantize the model again")
    return np.array([step], np.float32)


def _zero(b: Builder) -> str:
    return b.add_const(np.float32(0), name="zero")


def _all(b: Builder, kind: str, values: Sequence[str]) -> str:
    result = values[0]
    for value in values[1:]:
        result = b.op("Eltwise", result, value, type=kind)
    return result


def _range_of_products(b: Builder, n: SourceNode, ranges: Sequence[str], kinds: Sequence[str]
                       ) -> list[str]:
    """The numbers that 32 bits hold, at the product of the operands' steps."""
    if "qint32" in kinds:
        raise Unsupported("products of int32", "quantize the operands to 8 bits")
    widths = [b.op("Eltwise", high, low, type="SUB")
              for low, high in (ranges[:2], ranges[2:4])]
    product = b.op("Eltwise", *widths, type="PROD")
    return [b.op("Eltwise", product, scalar(b, end / _STEPS**2, product), type="PROD")
            for end in (-_BITS_32, _BITS_32 - 1)]


def _range_of_sums(b: Builder, ranges: Sequence[str]) -> list[str]:
    """Many times the largest magnitude of the operands' ranges, so that sums fit."""
    magnitudes = [b.op("Unary", end, type="ABS") for end in ranges]
    most = _all(b, "MAX", magnitudes)
    return [b.op("Eltwise", most, scalar(b, sign * _ROOM_OF_SUMS, most), type="PROD")
            for sign in (-1, 1)]

