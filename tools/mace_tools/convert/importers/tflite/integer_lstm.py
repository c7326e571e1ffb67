"""UNIDIRECTIONAL_SEQUENCE_LSTM in int8 with cells of int16, as TensorFlow Lite's reference kernel
computes it.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite.fixed_point import scale_of
from mace_tools.convert.importers.tflite.flat import ACTIVATIONS
from mace_tools.convert.importers.tflite.windows import operand
from mace_tools.graph.ir import Quant
from mace_tools.graph.model_quantization import same_quant

_H, _C = 18, 19  # the operands that are states
_HIDDEN = 4  # of the intermediate tensors: h before a projection
_ORDER = (0, 3, 1, 2)  # i, f, g and o of TFLite as the engine's i, o, f and g
# Operands that the engine has no quantized kernel for, by the first of them.
_OTHERS = {
    9: ("peepholes", range(9, 12)), 16: ("a projection", range(16, 18)),
    20: ("layer normalization", range(20, 24))}
_FLOATS = "convert the source model with float activations"


def integer_lstm(b: Builder, n: SourceNode) -> list[str]:
    """The output's quantized values. Errors: ValueError for what no kernel computes, Unsupported
    for what only this one does not."""
    x, h, c = n.inputs[0], n.inputs[_H], n.inputs[_C]
    out = b.model.info[n.outputs[0]]
    kinds = (b.dtype(x), b.dtype(h), b.dtype(c), out.dtype)
    if kinds != ("i8", "i8", "i16", "i8"):
        raise Unsupported(f"of {kinds[0]} with states of {kinds[1]} and {kinds[2]}, and results of "
                          f"{kinds[3]}", "use int8 with cells of int16")
    _check(n)
    _check_scales(b, n, out.quant)
    w, r = (_gates(b, n, first) for first in (1, 5))
    bias = b.add_const(np.concatenate([_constant(b, n, 12 + k, "i32") for k in _ORDER]),
                       name="bias")
    y, last_h, last_c = b.ops(
        "QuantizedLstm", [x, w, r, bias, h, c], 3,
        batch_major=not n.attr("TimeMajor", False), cell_clip=n.attr("CellClip", 0.0))
    for name, like in ((y, h), (last_h, h), (last_c, c)):
        b.set_quant(name, b.quant(like))
    b.assign(h, last_h)
    b.assign(c, last_c)
    return [y]


def _check(n: SourceNode) -> None:
    if not operand(n, 1):
        raise Unsupported("coupled input and forget gates (CIFG) on quantized tensors", _FLOATS)
    for what, operands in _OTHERS.values():
        if any(operand(n, i) for i in operands):
            raise Unsupported(f"{what} on quantized tensors", _FLOATS)
    kind = ACTIVATIONS.get(n.attr("FusedActivationFunction", 0), "?")
    if kind != "TANH":
        raise Unsupported(f"fused activation {kind} on quantized tensors", "use TANH")
    if n.attr("DiagonalRecurrentTensors", False):
        raise Unsupported("recurrent weights given by their diagonals",
                          "convert the model with full recurrent weights")
    n.attr("ProjClip", 0.0)  # there is no projection


def _check_scales(b: Builder, n: SourceNode, out: Quant | None) -> None:
    """Whether all of h, y and what the kernel calls hidden are quantized values of the same
    numbers."""
    h = b.quant(n.inputs[_H])
    scale_of(b.quant(n.inputs[0]), "its input", zero=True)
    scale_of(h, f"its state '{n.inputs[_H]}'", zero=True)
    cells = scale_of(b.quant(n.inputs[_C]), f"its state '{n.inputs[_C]}'")
    if np.frexp(cells)[0] != 0.5 or not 2.0**-15 <= cells <= 2.0**-9:
        raise Unsupported(f"cells with the scale {cells:.6g}",
                          "use a power of 2 from 2^-15 to 2^-9, as TensorFlow's converter does")
    names = n.attr("Intermediates", [])
    hidden = b.model.info[names[_HIDDEN]].quant if len(names) > _HIDDEN else None
    for what, quant in (("its output", out), ("intermediate 4 (hidden)", hidden)):
        if quant is None or h is None or not same_quant(quant, h):
            raise Unsupported(f"{what} quantized otherwise than its state '{n.inputs[_H]}'",
                              "give both one scale and zero point, as TensorFlow's converter does")


def _gates(b: Builder, n: SourceNode, first: int) -> str:
    """Four weights as one, with a scale for each row."""
    parts, scales = [], []
    for k in _ORDER:
        part = _constant(b, n, first + k, "i8")
        scale = scale_of(b.quant(n.inputs[first + k]), f"weight '{n.inputs[first + k]}'")
        parts.append(part)
        scales.append(np.full(len(part), scale, np.float32))
    name = b.add_const(np.concatenate(parts), name="gates")
    scale = np.concatenate(scales)
    b.set_quant(name, Quant(scale, np.zeros(len(scale), np.int64), 0))
    return name


def _constant(b: Builder, n: SourceNode, i: int, kind: str) -> np.ndarray:
    name = operand(n, i)
    if not name:
        raise ValueError(f"its operand {i} is absent")
    data = b.const(name)
    if data is None or b.dtype(name) != kind:
        raise Unsupported(f"its weight '{name}' is computed or {b.dtype(name)}",
                          f"use constants of {kind}")
    return data
