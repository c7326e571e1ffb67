"""The activation that most TFLite operators can apply to their result.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.flat import ACTIVATIONS

_FUSED: dict[str, dict[str, Any]] = {
    "NONE": {},
    "RELU": {"activation": "RELU"},
    "RELU6": {"activation": "RELUX", "max_limit": 6.0},
    "TANH": {"activation": "TANH"},
}
# Engine ops that apply an activation themselves.
_TAKERS = ("Conv2d", "DepthwiseConv2d", "Deconv2d", "Eltwise", "FullyConnected", "Pooling")


def fused(b: Builder, n: SourceNode, op: str, *inputs: str, **attrs: Any) -> str:
    """An engine op followed by the node's activation; a single node if the op can apply it."""
    kind = ACTIVATIONS.get(n.attr("FusedActivationFunction", 0), "?")
    if kind == "RELU_N1_TO_1":
        return b.op("Clip", _inner(b, n, op, *inputs, **attrs), min=-1.0, max=1.0)
    if kind not in _FUSED:
        raise Unsupported(f"fused activation {kind}", "make the activation an operator of its own")
    if op in _TAKERS:
        return b.op(op, *inputs, **attrs, **_FUSED[kind])
    if not _FUSED[kind]:
        return b.op(op, *inputs, **attrs)
    return b.op("Activation", _inner(b, n, op, *inputs, **attrs), **_FUSED[kind])


def _inner(b: Builder, n: SourceNode, op: str, *inputs: str, **attrs: Any) -> str:
    """The engine op in front of an activation: its quantized values are those of the node's
    output."""
    y = b.op(op, *inputs, **attrs)
    b.set_quant(y, b.model.info[n.outputs[0]].quant)
    return y


def activated(b: Builder, n: SourceNode, x: str) -> str:
    """The node's activation by itself."""
    return fused(b, n, "Identity", x)


_SINGLE: dict[str, dict[str, Any]] = {
    "RELU": {"activation": "RELU"},
    "RELU6": {"activation": "RELUX", "max_limit": 6.0},
    "RELU_0_TO_1": {"activation": "RELUX", "max_limit": 1.0},
    "TANH": {"activation": "TANH"},
    "LOGISTIC": {"activation": "SIGMOID"},
    "ELU": {"activation": "ELU", "activation_coefficient": 1.0},
    "HARD_SWISH": {"activation": "HARDSWISH"},
}


@registry.op(*_SINGLE)
def activation(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], **_SINGLE[n.op])


@registry.op("RELU_N1_TO_1")
def relu_n1_to_1(b: Builder, n: SourceNode) -> str:
    return b.op("Clip", n.inputs[0], min=-1.0, max=1.0)


@registry.op("LEAKY_RELU")
def leaky_relu(b: Builder, n: SourceNode) -> str:
    return b.op("Activation", n.inputs[0], activation="LEAKYRELU",
                activation_coefficient=n.attr("Alpha", 0.0))


@registry.op("PRELU")
def prelu(b: Builder, n: SourceNode) -> str:
    return b.op("PRelu", *n.inputs[:2])


@registry.op("GELU")
def gelu(b: Builder, n: SourceNode) -> str:
    kind = "GELU_TANH" if n.attr("Approximate", False) else "GELU"
    return b.op("Activation", n.inputs[0], activation=kind)
