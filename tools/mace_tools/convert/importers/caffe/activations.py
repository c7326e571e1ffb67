"""Functions of each element.

SPDX-License-Identifier: Apache-2.0
"""

import math

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.support.errors import ModelError

_PLAIN = {"Sigmoid": "SIGMOID", "TanH": "TANH", "BNLL": "SOFTPLUS"}


@registry.op(*_PLAIN)
def plain(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    return b.op("Activation", n.bottoms[0], activation=_PLAIN[n.op])


@registry.op("ReLU")
def relu(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    slope = n.attr("negative_slope")
    if slope == 0:
        return b.op("Activation", n.bottoms[0], activation="RELU")
    return b.op("Activation", n.bottoms[0], activation="LEAKYRELU",
                activation_coefficient=float(slope))


@registry.op("ReLU6")
def relu6(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    return b.op("Clip", n.bottoms[0], min=0.0, max=6.0)


@registry.op("ELU")
def elu(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    return b.op("Activation", n.bottoms[0], activation="ELU",
                activation_coefficient=float(n.attr("alpha")))


@registry.op("PReLU")
def prelu(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    x, rank = n.bottoms[0], b.rank(n.bottoms[0])
    if rank < 2:
        raise ModelError(f"PReLU '{n.name}' reads a blob with {rank} axes; it needs two")
    channels = b.extents(x)[1]
    shared = n.attr("channel_shared")
    size = 1 if shared else channels
    if n.blobs and n.blobs[0].array.size == 1:  # stored with four axes, or without any
        slope = n.check_weights([None])[0].reshape(1)
        if size not in (1, None):
            slope = n.check_weights([(size,)])[0]
    else:
        slope = n.check_weights([None if size is None else (size,)])[0]
    return b.op("PRelu", x, b.add_const(slope.reshape(-1, *[1] * (rank - 2)), name="slope"))


@registry.op("AbsVal")
def abs_val(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    return b.op("Unary", n.bottoms[0], type="ABS")


@registry.op("Power")
def power(b: Builder, n: Layer) -> str:
    """(shift + scale x)^power"""
    n.check_bottoms()
    y = _affine(b, n.bottoms[0], n.attr("scale"), n.attr("shift"))
    exponent = n.attr("power")
    if exponent == 1:
        return y if y != n.bottoms[0] else b.op("Identity", y)
    if exponent == 2:
        return b.op("Unary", y, type="SQUARE")
    if exponent == 0.5:
        return b.op("Unary", y, type="SQRT")
    return b.op("Eltwise", y, _scalar(b, exponent), type="POW")


@registry.op("Exp")
def exp(b: Builder, n: Layer) -> str:
    """base^(shift + scale x); a base of -1 stands for e."""
    n.check_bottoms()
    log = _log_of_base(n)
    y = _affine(b, n.bottoms[0], n.attr("scale") * log, n.attr("shift") * log)
    return b.op("Unary", y, type="EXP")


@registry.op("Log")
def log(b: Builder, n: Layer) -> str:
    """The logarithm of shift + scale x to a base, of which -1 stands for e."""
    n.check_bottoms()
    log_base = _log_of_base(n)
    if log_base == 0:
        raise ModelError(f"Log '{n.name}': there is no logarithm to the base 1")
    y = b.op("Unary", _affine(b, n.bottoms[0], n.attr("scale"), n.attr("shift")), type="LOG")
    return y if log_base == 1 else b.op("Eltwise", y, _scalar(b, 1 / log_base), type="PROD")


def _log_of_base(n: Layer) -> float:
    base = n.attr("base")
    if base != -1 and not base > 0:
        raise ModelError(f"{n.op} '{n.name}': base is {base:g}, it must be positive, or -1 for e")
    return 1.0 if base == -1 else math.log(base)


@registry.op("Clip")
def clip(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    low, high = float(n.needed("min")), float(n.needed("max"))
    if low > high:
        raise ModelError(f"Clip '{n.name}': min {low:g} is above max {high:g}")
    return b.op("Clip", n.bottoms[0], min=low, max=high)


@registry.op("Threshold")
def threshold(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    above = b.op("Compare", n.bottoms[0], _scalar(b, n.attr("threshold")), type="GREATER")
    return b.op("Cast", above, to="f32")


@registry.op("Swish")
def swish(b: Builder, n: Layer) -> str:
    """x sigmoid(beta x)"""
    n.check_bottoms()
    x = n.bottoms[0]
    gate = b.op("Activation", _affine(b, x, n.attr("beta"), 0), activation="SIGMOID")
    return b.op("Eltwise", x, gate, type="PROD")


@registry.op("Softmax")
def softmax(b: Builder, n: Layer) -> str:
    n.check_bottoms()
    return b.op("Softmax", n.bottoms[0], axis=n.axis(b))


@registry.op("Dropout")
def dropout(b: Builder, n: Layer) -> str:
    """What is dropped in training is scaled there, so that nothing is left to do."""
    n.check_bottoms()
    return b.op("Identity", n.bottoms[0])


def _affine(b: Builder, x: str, scale: float, shift: float) -> str:
    y = x if scale == 1 else b.op("Eltwise", x, _scalar(b, scale), type="PROD")
    return y if shift == 0 else b.op("Eltwise", y, _scalar(b, shift), type="SUM")


def _scalar(b: Builder, value: float) -> str:
    if not math.isfinite(value):
        raise Unsupported(f"one of its numbers is {value}")
    return b.add_const(np.float32(value), name="number")
