"""Quantize: inference.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    return str(v.attr("to")), v.shape()
