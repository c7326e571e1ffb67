"""SVDF in int8, as TensorFlow Lite's reference kernel computes it, by operators on integers.

SPDX-License-Identifier: Apache-2.0

The state is int16, and so are the weights of time. The kernel asks for the activation RELU and does
not apply it.
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.integer_products import product
from mace_tools.convert.importers.operands import reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite.fixed_point import (
    differences,
    limited,
    quantized,
    scale_of,
    scaled,
    wrapped,
)
from mace_tools.convert.importers.tflite.flat import ACTIVATIONS
from mace_tools.convert.importers.tflite.windows import operand

_MIN, _MAX = -(1 << 15), (1 << 15) - 1


def is_integer(b: Builder, n: SourceNode) -> bool:
    """Whether input, weights and output are quantized."""
    return b.quant(n.inputs[0]) is not None


def integer_svdf(b: Builder, n: SourceNode) -> str:
    """The output's quantized values. Errors: ValueError for what no kernel computes, Unsupported
    for what only this one does not."""
    x, state = n.inputs[0], n.inputs[4]
    out = b.model.info[n.outputs[0]]
    if (b.dtype(x), b.dtype(state), out.dtype) != ("i8", "i16", "i8") or out.quant is None:
        raise Unsupported(f"of {b.dtype(x)} with a state of {b.dtype(state)} and results of "
                          f"{out.dtype}", "use int8 with a state of int16")
    kind = ACTIVATIONS.get(n.attr("FusedActivationFunction", 0), "?")
    if kind != "RELU":
        raise Unsupported(f"fused activation {kind} on quantized tensors",
                          "use RELU, which is not applied")
    feature, time = (_weight(b, n, i, kinds) for i, kinds in ((1, ("i8",)), (2, ("i16", "i8"))))
    rank, (filters, steps) = n.attr("Rank", 0), time.shape
    if rank < 1 or filters % rank:
        raise ValueError(f"rank {rank} of {filters} filters")
    s_x, s_state = scale_of(b.quant(x), "its input", zero=True), scale_of(
        b.quant(state), "its state")
    s_feature, s_time = (scale_of(b.quant(n.inputs[i]), f"weight {i}") for i in (1, 2))
    s_y = scale_of(out.quant, "its output", zero=True)

    w = b.add_const(feature.T.astype(np.float32), "f32", "feature")
    sums = b.op("Cast", product(b, differences(b, x, "its input"), w), to="i64")
    new = limited(b, scaled(b, sums, s_x * s_feature / s_state), _MIN, _MAX)
    memory = quantized(b, reshape(b, new, [-1, filters, 1]), b.quant(state), "i16", "its state")
    if steps > 1:
        old = reshape(b, state, [-1, filters, steps])
        old = b.op("Slice", old, starts=[1], ends=[steps], axes=[2], steps=[1])
        memory = b.op("Concat", old, memory, axis=2)
    b.assign(state, reshape(b, memory, [-1, filters * steps]))
    products = b.op("Cast", differences(b, memory, "its state"), to="i64")
    y = b.op("Eltwise", products, b.add_const(time.astype(np.int64), name="time"), type="PROD")
    y = reshape(b, y, [-1, filters // rank, rank * steps])
    y = b.op("Reduce", y, reduce_type="SUM", axis=[2], keepdims=0)
    if operand(n, 3):
        bias = _weight(b, n, 3, ("i32",))
        y = b.op("Eltwise", y, b.add_const(bias.astype(np.int64), name="bias"), type="SUM")
    y = scaled(b, wrapped(b, y), s_state * s_time / s_y)
    return quantized(b, y, out.quant, "i8", "its output")


def _weight(b: Builder, n: SourceNode, i: int, kinds: tuple[str, ...]) -> np.ndarray:
    data = b.const(n.inputs[i])
    if data is None or b.dtype(n.inputs[i]) not in kinds:
        raise Unsupported(f"its weight '{n.inputs[i]}' is computed or {b.dtype(n.inputs[i])}",
                          f"use constants of {' or '.join(kinds)}")
    return data
