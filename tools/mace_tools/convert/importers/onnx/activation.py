"""Activations and softmax.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.source import SourceNode

_PLAIN = {"Relu": "RELU", "Sigmoid": "SIGMOID", "Tanh": "TANH", "Softplus": "SOFTPLUS",
          "Softsign": "SOFTSIGN", "HardSwish": "HARDSWISH"}
SELU_ALPHA, SELU_GAMMA = 1.6732632423543772, 1.0507009873554805  # defaults of ONNX Selu


@registry.op(*_PLAIN)
def plain(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation=_PLAIN[n.op])


@registry.op("LeakyRelu")
def leaky_relu(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation="LEAKYRELU",
                activation_coefficient=float(n.attr("alpha", 0.01)))


@registry.op("Elu")
def elu(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation="ELU",
                activation_coefficient=float(n.attr("alpha", 1.0)))


@registry.op("Selu")
def selu(b: Builder, n: SourceNode) -> str:
    alpha, gamma = n.attr("alpha", SELU_ALPHA), n.attr("gamma", SELU_GAMMA)
    if math.isclose(alpha, SELU_ALPHA, rel_tol=1e-6) and math.isclose(gamma, SELU_GAMMA,
                                                                      rel_tol=1e-6):
        return b.op("Activation", n.inputs[0], activation="SELU")
    y = b.op("Activation", n.inputs[0], activation="ELU", activation_coefficient=float(alpha))
    return b.op("Eltwise", y, b.add_const(np.float32(gamma)), type="PROD")


@registry.op("Celu")
def celu(b: Builder, n: SourceNode) -> str:
    """alpha * elu(x / alpha), which is the definition for either sign of x."""
    alpha = b.add_const(np.float32(n.attr("alpha", 1.0)))
    y = b.op("Eltwise", n.inputs[0], alpha, type="DIV")
    y = b.op("Activation", y, activation="ELU", activation_coefficient=1.0)
    return b.op("Eltwise", y, alpha, type="PROD")


@registry.op("ThresholdedRelu")
def thresholded_relu(b: Builder, n: SourceNode) -> str:
    x, alpha = n.inputs[0], b.add_const(np.float32(n.attr("alpha", 1.0)))
    above = b.op("Compare", x, alpha, type="GREATER")
    return b.op("Select", above, x, b.add_const(np.float32(0)))


@registry.op("HardSigmoid")
def hard_sigmoid(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation="HARDSIGMOID",
                activation_coefficient=float(n.attr("alpha", 0.2)),
                hardsigmoid_beta=float(n.attr("beta", 0.5)))


@registry.op("Gelu")
def gelu(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    by_tanh = n.attr("approximate", "none") != "none"
    return b.op("Activation", x, activation="GELU_TANH" if by_tanh else "GELU")


@registry.op("Swish", "com.microsoft.QuickGelu")
def swish(b: Builder, n: SourceNode) -> str:
    """x * sigmoid(alpha * x)"""
    x, alpha = n.inputs[0], n.attr("alpha", 1.0 if n.op == "Swish" else 1.702)
    if alpha == 0:
        return b.op("Eltwise", x, b.add_const(np.float32(0.5)), type="PROD")
    return b.op("Activation", x, activation="SWISH", activation_coefficient=float(alpha))


@registry.op("SwiGLU")
def swiglu(b: Builder, n: SourceNode) -> str:
    """A * sigmoid(alpha * A) * B"""
    gate = SourceNode(n.name, "Swish", n.inputs[:1], [], n.attrs)
    return b.op("Eltwise", swish(b, gate), n.inputs[1], type="PROD")


@registry.op("com.microsoft.Gelu", "com.microsoft.BiasGelu", "com.microsoft.FastGelu")
def fused_gelu(b: Builder, n: SourceNode) -> str:
    """GELU of x, or of x + bias; FastGelu by tanh."""
    x = n.inputs[0]
    if len(n.inputs) > 1 and n.inputs[1]:
        x = b.op("Eltwise", x, n.inputs[1], type="SUM")
    by_tanh = n.op.endswith("FastGelu")
    return b.op("Activation", x, activation="GELU_TANH" if by_tanh else "GELU")


@registry.op("Mish")
def mish(b: Builder, n: SourceNode) -> str:
    gate = b.op("Activation", n.inputs[0], activation="SOFTPLUS")
    gate = b.op("Activation", gate, activation="TANH")
    return b.op("Eltwise", n.inputs[0], gate, type="PROD")


@registry.op("PRelu")
def prelu(b: Builder, n: SourceNode) -> str:
    x, slope = n.inputs
    if b.opset < 7 and b.rank(slope) == 1:  # one slope per channel
        slope = b.op("Reshape", slope, dim=[-1, *[1] * (b.rank(x) - 2)])
    return b.op("PRelu", x, slope)


@registry.op("Softmax", "LogSoftmax")
def softmax(b: Builder, n: SourceNode) -> str:
    return _along_axis(b, n, "Softmax", use_log=int(n.op == "LogSoftmax"))


@registry.op("Hardmax")
def hardmax(b: Builder, n: SourceNode) -> str:
    return _along_axis(b, n, "Hardmax")


def _along_axis(b: Builder, n: SourceNode, op: str, **attrs: int) -> str:
    x = n.inputs[0]
    if b.opset >= 13:
        return b.op(op, x, axis=n.attr("axis", -1), **attrs)
    rank = b.rank(x)
    axis = n.attr("axis", 1) % rank if rank else 0
    if all(d == 1 for d in b.extents(x)[axis + 1 :]):
        return b.op(op, x, axis=axis, **attrs)
    # Before opset 13 all axes from `axis` on count as one.
    flat = b.op(op, b.op("Flatten", x, axis=axis), axis=-1, **attrs)
    return b.op("Reshape", flat, b.op("Shape", x, output_type="i32"))
