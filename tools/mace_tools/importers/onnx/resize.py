"""Resize and Upsample.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceNode

_MODES = {"nearest": "NEAREST", "linear": "LINEAR", "bilinear": "LINEAR", "cubic": "CUBIC"}
_COORDINATES = {"half_pixel": "HALF_PIXEL", "asymmetric": "ASYMMETRIC",
                "align_corners": "ALIGN_CORNERS", "pytorch_half_pixel": "PYTORCH_HALF_PIXEL",
                "tf_half_pixel_for_nn": "TF_HALF_PIXEL_NN"}


@registry.op("Upsample")
def upsample(b: Builder, n: SourceNode) -> str:
    scales = n.attr("scales")
    if scales is None:
        scales = _constant(b, n.inputs[1], "scales")
    return _resize(b, n.inputs[0], [float(s) for s in scales], None, _old(n))


@registry.op("Resize")
def resize(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    if b.opset < 11:
        return _resize(b, x, _constant(b, n.inputs[1], "scales"), None, _old(n))
    attrs = {**_mode(n), "coordinate": _coordinate(n),
             "nearest_mode": n.attr("nearest_mode", "round_prefer_floor").upper(),
             "exclude_outside": n.attr("exclude_outside", 0),
             "cubic_coeff": float(n.attr("cubic_coeff_a", -0.75))}
    if attrs["mode"] != "CUBIC":
        del attrs["exclude_outside"], attrs["cubic_coeff"]
    if attrs["mode"] != "NEAREST":
        del attrs["nearest_mode"]
    sizes = n.inputs[3] if len(n.inputs) > 3 else ""
    if sizes:
        value = b.const(sizes)
        return _resize(b, x, None, sizes if value is None else value.tolist(), attrs)
    return _resize(b, x, _constant(b, n.inputs[2], "scales"), None, attrs)


def _old(n: SourceNode) -> dict[str, Any]:
    """What resizing meant before opset 11."""
    nearest = {"nearest_mode": "FLOOR"} if _mode(n)["mode"] == "NEAREST" else {}
    return {**_mode(n), "coordinate": "ASYMMETRIC", **nearest}


def _mode(n: SourceNode) -> dict[str, str]:
    mode = n.attr("mode", "nearest")
    if mode not in _MODES:
        raise Unsupported(f"resizing with mode '{mode}'", "use nearest, linear or cubic")
    return {"mode": _MODES[mode]}


def _coordinate(n: SourceNode) -> str:
    kind = n.attr("coordinate_transformation_mode", "half_pixel")
    if kind not in _COORDINATES:
        raise Unsupported(f"coordinate_transformation_mode '{kind}'",
                          f"use one of {', '.join(_COORDINATES)}")
    return _COORDINATES[kind]


def _constant(b: Builder, name: str, what: str) -> list[float]:
    value = b.const(name)
    if value is None:
        raise Unsupported(f"the {what} are computed", f"make the {what} constant, or use sizes")
    return [float(v) for v in value.reshape(-1)]


def _resize(
    b: Builder, x: str, scales: list[float] | None, sizes: list[int] | str | None,
    attrs: dict[str, Any],
) -> str:
    """Resizes two neighbouring axes: of [N, C, H, W] or, as some exporters write, [N, H, W, C]."""
    rank, shape = b.rank(x), b.shape(x)
    if rank != 4:
        raise Unsupported(f"resizing a tensor of rank {rank}", "the engine resizes rank 4")
    last = False
    if isinstance(sizes, list):
        changed = [k for k, s in enumerate(sizes) if s != shape[k]]
        last = 1 in changed and 3 not in changed
    elif scales is not None:
        changed = [k for k, s in enumerate(scales) if s != 1]
        last = 1 in changed and 3 not in changed
    else:
        changed = [2, 3]
    h = 1 if last else 2
    if any(k not in (h, h + 1) for k in changed):
        raise Unsupported(f"resizing axes {changed}", "the engine resizes height and width")
    x = x if last else b.transpose(x, [0, 2, 3, 1])
    if isinstance(sizes, str):
        hw = b.op("Slice", sizes, starts=[h], ends=[h + 2], axes=[0])
        y = b.op("Resize", x, b.op("Cast", hw, to="i32"), **attrs)
    elif sizes is not None:
        y = b.op("Resize", x, size=[int(s) for s in sizes[h : h + 2]], **attrs)
    else:
        y = b.op("Resize", x, scales=np.asarray(scales[h : h + 2], float), **attrs)
    return y if last else b.transpose(y, [0, 3, 1, 2])
