"""Ops that move pixels between blocks and channels or batches.

SPDX-License-Identifier: Apache-2.0
"""

import math

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.view import Type, View


def times(extent: int | None, factor: int) -> int | None:
    return None if extent is None else extent * factor


def batch_blocks(v: View) -> Type:
    x, block, to_batch = v.shape(), v.attr("block_shape"), v.node.op == "SpaceToBatchNd"
    edges = v.attr("paddings" if to_batch else "crops")
    require(len(edges) == 2 * len(block) and min((*block, 1)) >= 1 and min(edges, default=0) >= 0,
            f"block_shape {block} and edges {edges} must hold one and two numbers for an axis")
    require(len(block) >= 1 and (x is None or len(block) < len(x)), f"block_shape {block} for {x}")
    if x is None:
        return v.dtype(), None
    count, out = math.prod(block), list(x)
    out[0] = times(x[0], count) if to_batch else _divided(x[0], count)
    for k, b in enumerate(block):
        d, both = x[k + 1], edges[2 * k] + edges[2 * k + 1]
        if d is None:
            continue
        out[k + 1] = _divided(d + both, b) if to_batch else d * b - both
        require(out[k + 1] >= 0, f"crops {edges} are larger than {d * b}")
    return v.dtype(), tuple(out)


def _divided(extent: int | None, count: int) -> int | None:
    require(extent is None or extent % count == 0, f"blocks of {count} do not divide {extent}")
    return None if extent is None else extent // count
