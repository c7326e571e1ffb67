"""PsroiAlign: inference.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.ops.common.checks import fits, require
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    g, dim = v.attr("group_size"), v.attr("output_dim")
    x, rois = v.shape(0), v.shape(1)
    require(g >= 1 and dim >= 1 and v.attr("spatial_scale") > 0, "attributes must be positive")
    require(fits(x, (None, None, None, dim * g * g)), f"x must have {dim * g * g} channels")
    require(fits(rois, (None, 5)), "rois must be [n,5]")
    return "f32", (None if rois is None else rois[0], g, g, dim)
