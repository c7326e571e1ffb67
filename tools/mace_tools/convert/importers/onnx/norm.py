"""Normalization.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.layout import to_first, to_last
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode

FLOAT = 1  # TensorProto.FLOAT, the type in which moments are computed


@registry.op("BatchNormalization")
def batch_norm(b: Builder, n: SourceNode) -> str:
    used = [o for o in n.outputs[1:] if o]
    if n.flag("training_mode", 0) or (used and b.opset >= 14):
        raise Unsupported("BatchNormalization in training mode", "export for inference")
    n.only("is_test", 1, "export for inference")
    n.only("spatial", 1, "export with opset 9 or newer, which has no such mode")
    y = b.op("BatchNorm", to_last(b, n.inputs[0]), *n.inputs[1:5],
             epsilon=float(n.attr("epsilon", 1e-5)))
    return to_first(b, y)


@registry.op("InstanceNormalization")
def instance_norm(b: Builder, n: SourceNode) -> str:
    y = b.op("InstanceNorm", to_last(b, n.inputs[0]), *n.inputs[1:3],
             epsilon=float(n.attr("epsilon", 1e-5)))
    return to_first(b, y)


@registry.op("LRN")
def lrn(b: Builder, n: SourceNode) -> str:
    size = n.attr("size")
    if size < 1:
        raise ValueError(f"size {size}, which must be at least 1")
    attrs = {"bias": float(n.attr("bias", 1.0)), "alpha": float(n.attr("alpha", 1e-4)) / size,
             "beta": float(n.attr("beta", 0.75))}
    attrs.update({"depth_radius": size // 2} if size % 2 else {"size": size})
    return to_first(b, b.op("LocalResponseNorm", to_last(b, n.inputs[0]), **attrs))


@registry.op("LpNormalization")
def lp_norm(b: Builder, n: SourceNode) -> str:
    return b.op("LpNorm", n.inputs[0], p=n.attr("p", 2), axis=n.attr("axis", -1))


@registry.op("LayerNormalization")
def layer_norm(b: Builder, n: SourceNode) -> list[str]:
    x, axis, epsilon = n.inputs[0], n.attr("axis", -1), float(n.attr("epsilon", 1e-5))
    n.only("stash_type", FLOAT, "export with the mean and the deviation in float32")
    x_shape = b.shape(x)
    rest = None if not x_shape else x_shape[axis % len(x_shape) :]
    if all(b.shape(i) == rest for i in n.inputs[1:] if i):
        y = b.op("LayerNorm", *n.inputs, axis=axis, epsilon=epsilon)
    else:  # scale and offset are broadcast to x, which LayerNorm does not do
        y = b.op("LayerNorm", x, axis=axis, epsilon=epsilon)
        for operand, kind in zip(n.inputs[1:], ("PROD", "SUM")):
            y = b.op("Eltwise", y, operand, type=kind) if operand else y
    if not [o for o in n.outputs[1:] if o]:
        return [y]
    mean, var = moments(b, x, list(range(axis % b.rank(x), b.rank(x))))
    var = b.op("Eltwise", var, b.add_const(np.float32(epsilon)), type="SUM")
    return [y, mean, b.op("Unary", var, type="RSQRT")]


@registry.op("MeanVarianceNormalization")
def mean_variance(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    mean, var = moments(b, x, n.attr("axes", [0, 2, 3]))
    deviation = b.op("Unary", var, type="SQRT")
    deviation = b.op("Eltwise", deviation, b.add_const(np.float32(1e-9)), type="SUM")
    return b.op("Eltwise", b.op("Eltwise", x, mean, type="SUB"), deviation, type="DIV")


def moments(b: Builder, x: str, axes: list[int]) -> tuple[str, str]:
    """Mean and variance along axes, which keep extent 1."""
    mean = b.op("Reduce", x, reduce_type="MEAN", axis=axes, keepdims=1)
    squares = b.op("Eltwise", x, mean, type="SQR_DIFF")
    return mean, b.op("Reduce", squares, reduce_type="MEAN", axis=axes, keepdims=1)
