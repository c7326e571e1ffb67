"""Pad: inference, and evaluation in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.ops.common.checks import require
from mace_tools.convert.ops.common.values import ints
from mace_tools.convert.ops.common.view import Type, View


def infer(v: View) -> Type:
    x, pads = v.shape(), v.ints(1, "paddings")
    if x is None or pads is None:
        return v.dtype(), None if x is None else (None,) * len(x)
    require(len(pads) == 2 * len(x), f"{len(pads)} paddings for rank {len(x)}")
    for k, d in enumerate(x):
        if d is not None:
            _check_pads(d, pads[2 * k], pads[2 * k + 1], str(v.attr("pad_type")))
    return v.dtype(), tuple(None if d is None else d + pads[2 * k] + pads[2 * k + 1]
                            for k, d in enumerate(x))


def _check_pads(extent: int, before: int, after: int, kind: str) -> None:
    most = {"CONSTANT": 2**58, "EDGE": 2**58 if extent else 0, "SYMMETRIC": extent,
            "REFLECT": max(extent - 1, 0)}[kind]
    require(max(before, after) <= most and min(before, 0) + min(after, 0) >= -extent,
            f"paddings {before} and {after} are out of range for extent {extent} with {kind}")


_PAD_MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric", "EDGE": "edge"}


def evaluate(xs, attrs):
    pairs = np.reshape(ints(xs, 1, attrs, "paddings"), (-1, 2))
    kind = attrs["pad_type"]
    if kind == "CONSTANT":
        grown = np.pad(xs[0], np.maximum(pairs, 0), constant_values=attrs["constant_value"])
        return grown[tuple(slice(max(-before, 0), size - max(-after, 0))  # what is negative cuts
                           for (before, after), size in zip(pairs, grown.shape))]
    return np.pad(xs[0], pairs, _PAD_MODES[kind])
