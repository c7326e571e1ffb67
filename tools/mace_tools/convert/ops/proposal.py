"""Proposal: inference.

SPDX-License-Identifier: Apache-2.0
"""

import math
from random import Random

from mace_tools.convert.ops.common.checks import fits, require
from mace_tools.convert.ops.common.view import Type, View

RANDOM_SHAPES = (lambda x: x, lambda x: (*x[:-1], 2 * x[-1]), lambda x: (3,))


def random_shape(dice: Random) -> tuple[int, ...]:
    """Scores for 2 or 4 anchors, which would hardly be drawn by chance."""
    return 1, dice.randint(1, 4), dice.randint(1, 4), dice.choice((4, 8))


def infer(v: View) -> Type:
    positive = ("feat_stride", "base_size", "pre_nms_top_n", "post_nms_top_n")
    scales, ratios = v.attr("scales"), v.attr("ratios")
    require(all(v.attr(name) > 0 for name in positive) and v.attr("min_size") >= 0
            and bool(scales) and bool(ratios) and min(scales) > 0 and min(ratios) > 0,
            "sizes, scales and ratios must all be given and positive")
    anchors = len(scales) * len(ratios)
    x = v.shape(0)
    require(fits(x, (1, None, None, 2 * anchors)), f"scores must be [1,H,W,{2 * anchors}]")
    _, h, w, _ = x or (None,) * 4
    require(fits(v.shape(1), (1, h, w, 4 * anchors)), f"deltas must be [1,H,W,{4 * anchors}]")
    info = v.shape(2)
    require(info is None or None in info or math.prod(info) == 3, "im_info must have 3 elements")
    return "f32", (v.attr("post_nms_top_n"), 5)
