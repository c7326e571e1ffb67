"""LSTM and RNN over sequences or single steps, and SVDF, with their state in variable tensors.

SPDX-License-Identifier: Apache-2.0

Operands as the kernels of TFLite number them; gates are i, f, g and o there, and i, o, f and g in
the engine.
"""

from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.operands import reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.activations import activated
from mace_tools.convert.importers.tflite.flat import ACTIVATIONS
from mace_tools.convert.importers.tflite.integer_lstm import integer_lstm
from mace_tools.convert.importers.tflite.integer_svdf import integer_svdf, is_integer
from mace_tools.convert.importers.tflite.windows import operand

_KINDS = {"NONE": ("NOOP", 0.0), "RELU": ("RELU", 0.0), "RELU6": ("RELUX", 6.0),
          "TANH": ("TANH", 0.0)}
_BASIC = 1  # LSTMKernelType


def _kind(n: SourceNode) -> tuple[str, float]:
    name = ACTIVATIONS.get(n.attr("FusedActivationFunction", 0), "?")
    if name not in _KINDS:
        raise Unsupported(f"fused activation {name}", f"use one of {', '.join(_KINDS)}")
    return _KINDS[name]


def _weight(b: Builder, n: SourceNode, i: int) -> np.ndarray | None:
    """The contents of a constant operand; None if it is absent."""
    name = operand(n, i)
    if not name:
        return None
    data = b.const(name)
    if data is None or b.quant(name) is not None or data.dtype not in (np.float32, np.float16):
        raise Unsupported(f"its weight '{name}' is computed or no float",
                          "use the float model, with constant weights")
    return data.astype(np.float32)


class _Cell:
    """The weights of one direction of an LSTM, whose operands begin at `first`."""

    def __init__(self, b: Builder, n: SourceNode, first: int, norm: int | None) -> None:
        def weights(i: int, count: int = 4) -> list[np.ndarray | None]:
            return [_weight(b, n, first + i + k) for k in range(count)]

        self.coupled = not operand(n, first)
        self.w = self._gates(weights(0), -1)
        self.r = self._gates(weights(4), -1)
        self.bias = self._gates(weights(11), -1)
        peepholes = weights(8, 3)  # i, f, o
        self.peepholes = None
        if peepholes[2] is not None:
            i = peepholes[0] if not self.coupled else -_present(peepholes[1])
            self.peepholes = np.concatenate([_present(i), peepholes[2], _present(peepholes[1])])
        self.projection, self.projection_bias = weights(15, 2)
        norms = [] if norm is None else [_weight(b, n, norm + k) for k in range(4)]
        self.norm = self._gates(norms, 1) if norms and norms[1] is not None else None

    def _gates(self, parts: list[np.ndarray | None], sign: int) -> np.ndarray:
        """i, f, g, o in the engine's order. Where the input gate is 1 - f, the engine computes it
        as the sigmoid of what f is one of, negated, and f as 1 - i."""
        i, f, g, o = parts
        if self.coupled:
            i = sign * _present(f)
        return np.concatenate([_present(p) for p in (i, o, f, g)])


def _present(part: np.ndarray | None) -> np.ndarray:
    if part is None:
        raise ValueError("a weight of the gates is absent")
    return part


def _stacked(b: Builder, arrays: list[np.ndarray | None], name: str) -> str:
    """One constant of the arrays of all directions; "" if they are absent."""
    if all(a is None for a in arrays):
        return ""
    return b.add_const(np.stack([_present(a) for a in arrays]), "f32", name)


def _with_zeros(bias: np.ndarray) -> np.ndarray:
    """The biases of w and those of r, which TFLite does not have."""
    return np.concatenate([bias, np.zeros_like(bias)])


class _States:
    """The state tensors [batch, elements] of all directions, as an operand and as results."""

    def __init__(self, b: Builder, names: list[str], time_major: bool) -> None:
        self.b, self.names = b, names
        self.axis = 0 if time_major else 1  # of the directions

    def operand(self) -> str:
        parts = [self.b.op("ExpandDims", name, axis=[self.axis]) for name in self.names]
        return parts[0] if len(parts) == 1 else self.b.op("Concat", *parts, axis=self.axis)

    def assign(self, last: str) -> None:
        for name, part in zip(self.names, _split(self.b, last, len(self.names), self.axis)):
            self.b.assign(name, part)


def _split(b: Builder, x: str, count: int, axis: int) -> list[str]:
    """The parts of a tensor along an axis of `count` directions, without the axis."""
    if count == 1:
        return [b.op("Squeeze", x, axis=[axis])]
    return b.ops("Unstack", [x], count, axis=axis)


def _results(b: Builder, n: SourceNode, y: str, count: int, time_major: bool) -> list[str]:
    parts = _split(b, y, count, 1 if time_major else 2)
    if count == 2 and n.attr("MergeOutputs", False):
        return [b.op("Concat", *parts, axis=2)]
    return parts


def _lstm(b: Builder, n: SourceNode, x: str, cells: list[_Cell], states: list[str],
          time_major: bool) -> str:
    """All steps [T,D,B,P], or [B,T,D,P]; `states` has h and c of each direction."""
    kind, limit = _kind(n)
    if kind == "NOOP":
        raise Unsupported("no fused activation, for which kernels of TFLite read memory that they "
                          "did not write", "use TANH, RELU or RELU6")
    attrs: dict[str, Any] = {
        "direction": "BIDIRECTIONAL" if len(cells) == 2 else "FORWARD",
        "batch_major": not time_major, "cell_activation": kind, "output_activation": kind,
        "cell_clip": n.attr("CellClip", 0.0), "input_forget": cells[0].coupled}
    clip = n.attr("ProjClip", 0.0)
    if cells[0].projection is not None:
        attrs["projection_clip"] = clip
    if limit:
        attrs["activation_alpha"] = [0.0, limit, limit]
    if len({cell.coupled for cell in cells}) == 2:
        raise Unsupported("an input gate in one direction only", "split the directions")
    hs = _States(b, states[0::2], time_major)
    cs = _States(b, states[1::2], time_major)
    operands = [
        x, _stacked(b, [c.w for c in cells], "w"), _stacked(b, [c.r for c in cells], "r"),
        _stacked(b, [_with_zeros(c.bias) for c in cells], "bias"), "", hs.operand(), cs.operand(),
        _stacked(b, [c.peepholes for c in cells], "peepholes"),
        _stacked(b, [c.projection for c in cells], "projection"),
        _stacked(b, [c.projection_bias for c in cells], "projection_bias"),
        _stacked(b, [c.norm for c in cells], "norm")]
    y, h, c = b.ops("Lstm", operands, 3, **attrs)
    hs.assign(h)
    cs.assign(c)
    return y


@registry.op("UNIDIRECTIONAL_SEQUENCE_LSTM")
def unidirectional_lstm(b: Builder, n: SourceNode) -> list[str]:
    if is_integer(b, n):
        return integer_lstm(b, n)
    time_major = n.attr("TimeMajor", False)
    if n.attr("DiagonalRecurrentTensors", False):
        raise Unsupported("recurrent weights given by their diagonals",
                          "convert the model with full recurrent weights")
    y = _lstm(b, n, n.inputs[0], [_Cell(b, n, 1, 20)], n.inputs[18:20], time_major)
    return _results(b, n, y, 1, time_major)


@registry.op("BIDIRECTIONAL_SEQUENCE_LSTM")
def bidirectional_lstm(b: Builder, n: SourceNode) -> list[str]:
    time_major = n.attr("TimeMajor", True)
    _refuse_second_input(n, range(39, 48))
    cells = [_Cell(b, n, 1, None), _Cell(b, n, 18, None)]
    y = _lstm(b, n, n.inputs[0], cells, n.inputs[35:39], time_major)
    return _results(b, n, y, 2, time_major)


@registry.op("LSTM")
def lstm(b: Builder, n: SourceNode) -> list[str]:
    if n.attr("KernelType", 0) == _BASIC:
        return _basic_lstm(b, n)
    x = b.op("ExpandDims", n.inputs[0], axis=[0])
    y = _lstm(b, n, x, [_Cell(b, n, 1, 20)], n.inputs[18:20], True)
    return [b.op("Squeeze", y, axis=[0, 1])]


def _basic_lstm(b: Builder, n: SourceNode) -> list[str]:
    """The kernel whose states are operands and results: gates i, g, f and o of one matrix for the
    input and h side by side."""
    x, h, _, _, c = n.inputs[:5]
    kind, _ = _kind(n)
    if kind != "TANH" or n.attr("CellClip", 0.0) or n.attr("ProjClip", 0.0):
        raise Unsupported("another activation than TANH, or clips, in the basic kernel",
                          "convert the model with the full kernel")
    weights, bias = _present(_weight(b, n, 2)), _present(_weight(b, n, 3))
    width = len(bias) // 4
    order = np.concatenate([np.arange(k * width, (k + 1) * width) for k in (0, 3, 2, 1)])
    inputs = weights.shape[1] - width
    y, _, cells = b.ops("Lstm", [
        b.op("ExpandDims", x, axis=[0]), b.add_const(weights[None, order, :inputs], name="w"),
        b.add_const(weights[None, order, inputs:], name="r"),
        b.add_const(_with_zeros(bias[order])[None], name="bias"), "",
        b.op("ExpandDims", h, axis=[0]), b.op("ExpandDims", c, axis=[0])], 3)
    # The last two results are the kernel's own memory, which nothing should read.
    h = b.op("Squeeze", y, axis=[0, 1])
    return [h, b.op("Squeeze", cells, axis=[0]), x, h][: len(n.outputs)]


def _refuse_second_input(n: SourceNode, operands: range) -> None:
    if any(operand(n, i) for i in operands):
        raise Unsupported("a second input", "convert the model with one input for each cell")


def _rnn(b: Builder, n: SourceNode, x: str, firsts: list[int], time_major: bool) -> str:
    """All steps; the operands of a direction are w, r, bias and the state."""
    kind, limit = _kind(n)
    weights = [[_present(_weight(b, n, first + k)) for k in range(3)] for first in firsts]
    states = _States(b, [n.inputs[first + 3] for first in firsts], time_major)
    ws, rs, biases = zip(*weights)
    attrs = {"activation_alpha": [limit]} if limit else {}
    y, h = b.ops("Rnn", [x, _stacked(b, list(ws), "w"), _stacked(b, list(rs), "r"),
                         _stacked(b, [_with_zeros(bias) for bias in biases], "bias"), "",
                         states.operand()], 2, cell_activation=kind, batch_major=not time_major,
                 direction="BIDIRECTIONAL" if len(firsts) == 2 else "FORWARD", **attrs)
    states.assign(h)
    return y


@registry.op("RNN")
def rnn(b: Builder, n: SourceNode) -> str:
    y = _rnn(b, n, b.op("ExpandDims", n.inputs[0], axis=[0]), [1], True)
    return b.op("Squeeze", y, axis=[0, 1])


@registry.op("UNIDIRECTIONAL_SEQUENCE_RNN")
def unidirectional_rnn(b: Builder, n: SourceNode) -> list[str]:
    time_major = n.attr("TimeMajor", False)
    return _results(b, n, _rnn(b, n, n.inputs[0], [1], time_major), 1, time_major)


@registry.op("BIDIRECTIONAL_SEQUENCE_RNN")
def bidirectional_rnn(b: Builder, n: SourceNode) -> list[str]:
    time_major = n.attr("TimeMajor", False)
    _refuse_second_input(n, range(9, 12))
    return _results(b, n, _rnn(b, n, n.inputs[0], [1, 5], time_major), 2, time_major)


@registry.op("SVDF")
def svdf(b: Builder, n: SourceNode) -> str:
    """Features of the input, remembered for some steps, and filtered over these; in int8 as the
    reference kernel computes them"""
    if is_integer(b, n):
        return integer_svdf(b, n)
    feature, time = _present(_weight(b, n, 1)), _present(_weight(b, n, 2))
    rank, (filters, steps) = n.attr("Rank", 0), time.shape
    if rank < 1 or filters % rank:
        raise ValueError(f"rank {rank} of {filters} filters")
    new = b.op("FullyConnected", n.inputs[0], b.add_const(feature, name="feature"))
    memory = reshape(b, new, [-1, filters, 1])
    if steps > 1:
        old = reshape(b, n.inputs[4], [-1, filters, steps])
        old = b.op("Slice", old, starts=[1], ends=[steps], axes=[2], steps=[1])
        memory = b.op("Concat", old, memory, axis=2)
    b.assign(n.inputs[4], reshape(b, memory, [-1, filters * steps]))
    y = b.op("Eltwise", memory, b.add_const(time, name="time"), type="PROD")
    y = reshape(b, y, [-1, filters // rank, rank * steps])
    y = b.op("Reduce", y, reduce_type="SUM", axis=[2], keepdims=0)
    if operand(n, 3):
        y = b.op("Eltwise", y, n.inputs[3], type="SUM")
    return activated(b, n, y)
