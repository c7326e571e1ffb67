"""Inference of ops whose result has the shape of their first input.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import axis_of, check_vector, require
from mace_tools.convert.ops.common.view import Type, View


def as_input(v: View) -> Type:
    return v.dtype(), v.shape()


def along_axis(v: View) -> Type:
    if v.shape() is not None:
        axis_of(v.attr("axis"), len(v.shape()))
    return as_input(v)


def per_channel(v: View) -> Type:
    x = v.shape()
    least = 2 if v.node.op == "InstanceNorm" else 1
    require(x is None or len(x) >= least, f"x must have {least} dimensions")
    for i in range(1, len(v.node.inputs)):
        check_vector(v, i, None if x is None else x[-1])
    return as_input(v)
