"""Quantized tensors in TensorFlow's graphs: their ranges, and what may read them.

SPDX-License-Identifier: Apache-2.0

Source: "How to Quantize Neural Networks with TensorFlow" in TensorFlow's documentation.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from mace_tools.convert.importers.source import SourceModel, SourceNode
from mace_tools.graph.ir import Quant
from mace_tools.support.errors import ModelError

# By type: the smallest quantized value and the number of steps between quantized values.
_TYPES = {"quint8": (0, 255), "qint8": (-128, 255), "qint32": (-(1 << 31), (1 << 32) - 1)}
TYPES = tuple(_TYPES)
_END = "end the model behind its Dequantize (output_tensors in the YAML)"
_MAKERS = ("QuantizeV2", "QuantizedConv2D", "QuantizedMatMul", "QuantizedMul", "QuantizedAdd",
           "QuantizedBiasAdd", "QuantizedRelu", "QuantizedRelu6", "QuantizedReluX",
           "QuantizedMaxPool", "QuantizedAvgPool", "QuantizedConcat", "QuantizedReshape",
           "QuantizedResizeBilinear", "QuantizeDownAndShrinkRange", "Requantize")
# Operators that know the ranges of the quantized values that they read.
READERS = (*_MAKERS, "RequantizationRange", "Dequantize")
# What only moves elements moves quantized values.
_MOVES = ("Identity", "StopGradient", "PreventGradient", "Snapshot", "Reshape", "Squeeze",
          "ExpandDims", "Transpose", "Slice", "StridedSlice")


@dataclass
class QuantizedRange:
    """How quantized values of a type, those of quint8 less 128, stand for the numbers of a
    range."""

    quant: Quant
    # TensorFlow's operators take the quantized 0 as a whole number. So the smallest quantized value
    # stands for another number than the least of the range, which is so much larger.
    lead: float
    # Dequantize with the mode MIN_FIRST, sums, and QuantizedConcat find the quantized 0 in another
    # way, which may differ where it is halfway between two quantized values: to them, numbers are
    # so much larger.
    shift: float


def quantized_range(n: SourceNode, kind: str, low: np.float32, high: np.float32) -> QuantizedRange:
    """Errors: ModelError for ranges that cannot be."""
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ModelError(f"TensorFlow {n.op} '{n.name}': its range is {low} to {high}; the least "
                         "number is less than the largest, and both are finite: quantize the model "
                         "again")
    least, steps = _TYPES[kind]
    width = float(high) - float(low)
    scale, inverse = np.float32(width / steps), np.float32(steps / width)
    below, by_scale = (int(np.sign(v) * np.floor(np.abs(v) + np.float32(0.5)))
                       for v in (low * inverse, low / scale))
    zero = (-128 if kind == "quint8" else least) - below
    return QuantizedRange(Quant(np.array([scale]), np.array([zero], np.int64)),
                          float(low - below * scale), float((by_scale - below) * scale))


def checked(model: SourceModel) -> SourceModel:
    """Notes which tensors hold quantized values, and marks what is computed from these as if they
    were numbers."""
    readers: dict[str, list[SourceNode]] = {}
    for node in model.nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node)
    left = deque(node.outputs[0] for node in model.nodes
                 if node.op in _MAKERS or node.op == "Const" and node.inputs)
    model.quantized.update(left)
    while left:
        name = left.popleft()
        for node in readers.get(name, ()):
            for out in node.outputs if node.op not in READERS else ():
                if node.op not in _MOVES:
                    model.unusable[out] = (f"numbers of the quantized values '{name}', whose range "
                                           f"it does not read", _END)
                elif out not in model.quantized:
                    model.quantized.add(out)
                    left.append(out)
    return model
