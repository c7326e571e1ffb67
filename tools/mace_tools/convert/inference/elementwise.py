"""Inference of ops whose result has the shape of an operand or of their broadcast.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.convert.inference import Type, View, rule
from mace_tools.convert.inference.checks import (
    axes_of,
    axis_of,
    broadcast,
    check_elements,
    check_single,
    check_vector,
    fits,
    require,
    same,
)
from mace_tools.graph.ir import NUMPY

_FLOATS = ("f32", "f16", "bf16")


@rule("Activation", "Identity")
def as_input(v: View) -> Type:
    return v.dtype(), v.shape()


@rule("Clip")
def clip(v: View) -> Type:
    check_single(v, 1)
    check_single(v, 2)
    return as_input(v)


@rule("Cumsum", "Hardmax", "LpNorm", "Softmax")
def along_axis(v: View) -> Type:
    if v.shape() is not None:
        axis_of(v.attr("axis"), len(v.shape()))
    return as_input(v)


@rule("BatchNorm", "BiasAdd", "InstanceNorm")
def per_channel(v: View) -> Type:
    x = v.shape()
    least = 2 if v.node.op == "InstanceNorm" else 1
    require(x is None or len(x) >= least, f"x must have {least} dimensions")
    for i in range(1, len(v.node.inputs)):
        check_vector(v, i, None if x is None else x[-1])
    return as_input(v)


@rule("LayerNorm")
def layer_norm(v: View) -> Type:
    x = v.shape()
    if x is not None:
        rest = x[axis_of(v.attr("axis"), len(x)) :]
        for i in (1, 2):
            require(not v.has(i) or fits(v.shape(i), rest), f"operand {i} must be {rest}")
    return as_input(v)


@rule("LocalResponseNorm")
def local_response_norm(v: View) -> Type:
    require(v.shape() != (), "x must have a dimension")
    require(v.attr("depth_radius") >= 0 and v.attr("size") >= 0, "a negative size")
    return as_input(v)


@rule("ChannelShuffle")
def channel_shuffle(v: View) -> Type:
    x, group = v.shape(), v.attr("group")
    require(x != () and group >= 1, f"group {group} must be 1 or larger, x must have a dimension")
    require(not x or x[-1] is None or x[-1] % group == 0, f"group {group} does not divide {x}")
    return as_input(v)


@rule("PRelu")
def p_relu(v: View) -> Type:
    x, alpha = v.shape(0), v.shape(1)
    if x is not None and alpha is not None:
        require(len(alpha) <= len(x) and all(
            a == 1 or same(a, d) for a, d in zip(reversed(alpha), reversed(x))),
            f"alpha {alpha} does not broadcast to x {x}")
    return as_input(v)


@rule("Reverse")
def reverse(v: View) -> Type:
    if v.shape() is not None:
        axes_of(v.attr("axis"), len(v.shape()))
    return as_input(v)


@rule("ReverseSequence")
def reverse_sequence(v: View) -> Type:
    x = v.shape()
    if x is not None:
        _, batch = axes_of([v.attr("seq_axis"), v.attr("batch_axis")], len(x))
        check_vector(v, 1, x[batch])
    return as_input(v)


@rule("ScatterNd")
def scatter_nd(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    require(idx != (), "idx must have a dimension")
    if x is not None and idx is not None and idx[-1] is not None:
        require(idx[-1] <= len(x), f"idx {idx} does not index the axes of {x}")
        require(fits(v.shape(2), (*idx[:-1], *x[idx[-1] :])), "updates of another shape")
    return as_input(v)


@rule("ScatterElements")
def scatter_elements(v: View) -> Type:
    x, idx = v.shape(0), v.shape(1)
    if x is not None:
        check_elements(x, idx, axis_of(v.attr("axis"), len(x)))
    require(fits(v.shape(2), idx), "updates of another shape")
    return as_input(v)


@rule("Bitwise")
def bitwise(v: View) -> Type:
    return v.dtype(), broadcast(v.shape(0), v.shape(1))


@rule("Bitcast")
def bitcast(v: View) -> Type:
    to = str(v.attr("to"))
    size = 2 if to == "bf16" else NUMPY[to].itemsize  # NumPy has no bf16
    require(to != "bool" and size == NUMPY[v.dtype()].itemsize,
            f"the bits of {v.dtype()} are no elements of {to}")
    return to, v.shape()


@rule("Unary")
def unary(v: View) -> Type:
    is_test = str(v.attr("type")).startswith("IS_")
    return "bool" if is_test else v.dtype(), v.shape()


@rule("Cast")
def cast(v: View) -> Type:
    return str(v.attr("to")), v.shape()


@rule("Quantize")
def quantize(v: View) -> Type:
    return str(v.attr("to")), v.shape()


@rule("Dequantize")
def dequantize(v: View) -> Type:
    return "f32", v.shape()


@rule("Eltwise")
def eltwise(v: View) -> Type:
    require(v.attr("activation") == "NOOP" or v.dtype() in _FLOATS or v.tensor(0).quant is not None,
            "its activation needs floats")
    return v.dtype(), broadcast(v.shape(0), v.shape(1))


@rule("Compare")
def compare(v: View) -> Type:
    return "bool", broadcast(v.shape(0), v.shape(1))


@rule("Logical")
def logical(v: View) -> Type:
    is_not = v.attr("type") == "NOT"
    require(v.has(1) != is_not, "NOT takes one input, the others take two")
    return "bool", v.shape() if is_not else broadcast(v.shape(0), v.shape(1))


@rule("Select")
def select(v: View) -> Type:
    return v.dtype(1), broadcast(v.shape(0), broadcast(v.shape(1), v.shape(2)))
