"""Resize and Upsample.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.resize_matrix import by_matrices
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.convert.ops.common.resizing import Axis
from mace_tools.support.errors import ModelError

_MODES = {"nearest": "NEAREST", "linear": "LINEAR", "bilinear": "LINEAR", "cubic": "CUBIC"}
_COORDINATES = {"half_pixel": "HALF_PIXEL", "asymmetric": "ASYMMETRIC",
                "align_corners": "ALIGN_CORNERS", "pytorch_half_pixel": "PYTORCH_HALF_PIXEL",
                "tf_half_pixel_for_nn": "TF_HALF_PIXEL_NN",
                "half_pixel_symmetric": "HALF_PIXEL_SYMMETRIC",
                "tf_crop_and_resize": "TF_CROP_AND_RESIZE"}
_BY_MATRICES = ("HALF_PIXEL_SYMMETRIC", "TF_CROP_AND_RESIZE")


@registry.op("Upsample")
def upsample(b: Builder, n: SourceNode) -> str:
    scales = n.attr("scales")
    if n.attr("height_scale") is not None:  # opset 1
        scales = [1.0, 1.0, n.attr("height_scale"), n.attr("width_scale")]
    if scales is None:
        scales = _constant(b, n.inputs[1], "scales")
    return _resize(b, n.inputs[0], [float(s) for s in scales], None, _old(n))


@registry.op("Resize")
def resize(b: Builder, n: SourceNode) -> str:
    x = n.inputs[0]
    if b.opset < 11:
        return _before_11(b, n, _constant(b, n.inputs[1], "scales"))
    attrs = {**_mode(n), "coordinate": _coordinate(n),
             "nearest_mode": n.attr("nearest_mode", "round_prefer_floor").upper(),
             "exclude_outside": n.flag("exclude_outside", 0),
             "cubic_coeff": float(n.attr("cubic_coeff_a", -0.75))}
    antialias = bool(n.flag("antialias", 0)) and attrs["mode"] != "NEAREST"
    if attrs["mode"] != "CUBIC":
        del attrs["cubic_coeff"]
        if not antialias:  # the only neighbour inside has all of the weight anyway
            del attrs["exclude_outside"]
    if attrs["mode"] != "NEAREST":
        del attrs["nearest_mode"]
    scales, sizes = _wanted(b, n)
    policy = n.attr("keep_aspect_ratio_policy", "stretch")
    if isinstance(sizes, str):
        refused = {"antialias": antialias, "keep_aspect_ratio_policy": policy != "stretch",
                   attrs["coordinate"].lower(): attrs["coordinate"] in _BY_MATRICES}
        if any(refused.values()):
            raise Unsupported(f"{' and '.join(k for k in refused if refused[k])} with computed "
                              "sizes", "make the sizes constant")
        return _resize(b, x, None, sizes, attrs)
    needs_matrices = attrs["coordinate"] in _BY_MATRICES or not _fits_engine(b, x, scales, sizes)
    if policy == "stretch" and not antialias and not needs_matrices:
        return _resize(b, x, scales, sizes, attrs)
    axes = _resized_axes(b, n, scales, sizes, policy)
    if attrs["coordinate"] == "TF_CROP_AND_RESIZE":
        axes = _cropped(b, n, axes)
    if needs_matrices:
        return by_matrices(b, x, axes, attrs, antialias)
    ratios = scales is not None or all(a.out == a.extent * a.scale for a in axes.values())
    if not ratios or antialias and (b.dtype(x) == "u8" or any(a.scale < 1 for a in axes.values())):
        return by_matrices(b, x, axes, attrs, antialias)
    if sizes is not None:
        sizes = [axes[k].out if k in axes else None for k in range(b.rank(x))]
    return _resize(b, x, scales, sizes, attrs)


def _before_11(b: Builder, n: SourceNode, scales: list[float]) -> str:
    """As ONNX Runtime does: the nearest element is rounded up where an axis shrinks, and down where
    it grows."""
    x, attrs = n.inputs[0], _old(n)
    if attrs["mode"] == "NEAREST" and min(scales) < 1:
        up = {**attrs, "nearest_mode": "CEIL"}
        x = _resize(b, x, [min(s, 1.0) for s in scales], None, up)
        if max(scales) <= 1:
            return x
        scales = [max(s, 1.0) for s in scales]
    return _resize(b, x, scales, None, attrs)


def _fits_engine(
    b: Builder, x: str, scales: list[float] | None, sizes: list[int | None] | None
) -> bool:
    """Whether the axes that change are the height and the width of images."""
    shape = b.extents(x)
    if scales is not None:
        changed = {k for k, s in enumerate(scales) if s != 1}
    else:
        changed = {k for k, s in enumerate(sizes or ()) if s not in (None, shape[k])}
    return len(shape) == 4 and (changed <= {2, 3} or changed <= {1, 2}) or any(
        shape[k] is None for k in changed)


def _cropped(b: Builder, n: SourceNode, axes: dict[int, Axis]) -> dict[int, Axis]:
    """The same for the part of each axis that the operand roi names."""
    rank, beyond = b.rank(n.inputs[0]), float(n.attr("extrapolation_value", 0.0))
    roi = _constant(b, n.inputs[1], "regions")
    named = [a % rank for a in n.attr("axes") or range(rank)]
    count = len(named)
    if len(roi) != 2 * count:
        raise ModelError(f"Resize '{n.name}': {len(roi)} numbers for {count} axes' regions")
    shape = b.extents(n.inputs[0])
    result = {}
    for i, k in enumerate(named):
        axis = axes.get(k) or Axis(shape[k], shape[k], 1.0)
        start, end = roi[i], roi[i + count]
        if k in axes or (start, end) != (0, 1):
            result[k] = replace(axis, start=start, end=end, beyond=beyond)
    return result


def _wanted(b: Builder, n: SourceNode) -> tuple[list[float] | None, list[int | None] | str | None]:
    """Scales or sizes of all axes: 1 or None for axes that stay; computed sizes as a tensor."""
    rank = b.rank(n.inputs[0])
    axes = [a % rank for a in n.attr("axes") or range(rank)]
    sizes = n.inputs[3] if len(n.inputs) > 3 else ""
    value = b.const(sizes) if sizes else np.array(_constant(b, n.inputs[2], "scales"))
    if value is not None and value.size != len(axes):
        raise ModelError(f"Resize '{n.name}': {value.size} scales or sizes for {len(axes)} axes")
    if not sizes:
        return [dict(zip(axes, value)).get(k, 1.0) for k in range(rank)], None
    if value is not None:
        return None, [dict(zip(axes, value.tolist())).get(k) for k in range(rank)]
    if axes == list(range(rank)):
        return None, sizes
    if rank != 4 or axes != [2, 3]:
        raise Unsupported(f"computed sizes of axes {axes}", "make the sizes constant")
    return None, b.op("Concat", b.add_const(np.zeros(2), b.dtype(sizes)), sizes, axis=0)


def _resized_axes(
    b: Builder, n: SourceNode, scales: list[float] | None, sizes: list[int | None] | None,
    policy: str,
) -> dict[int, Axis]:
    """The scales and sizes of the axes that change."""
    shape = b.extents(n.inputs[0])
    if policy not in ("stretch", "not_larger", "not_smaller"):
        raise Unsupported(f"keep_aspect_ratio_policy '{policy}'",
                          "use stretch, not_larger or not_smaller")
    named = {k: s for k, s in enumerate(scales or sizes or ()) if s is not None}
    if any(shape[k] is None for k in named):
        raise Unsupported("antialias or keep_aspect_ratio_policy with an input of unknown size",
                          "give input_shapes")
    if scales is not None:
        axes = {k: Axis(shape[k], int(np.floor(np.float32(shape[k]) * np.float32(s))), s)
                for k, s in named.items()}
    else:
        factors = {k: s / shape[k] for k, s in named.items()}
        if policy != "stretch":
            one = (min if policy == "not_larger" else max)(factors.values())
            factors = dict.fromkeys(named, one)
            named = {k: int(np.floor(one * shape[k] + 0.5)) for k in named}
        axes = {k: Axis(shape[k], named[k], factors[k]) for k in named}
    return {k: a for k, a in axes.items() if a.out != a.extent or a.scale != 1}


def _old(n: SourceNode) -> dict[str, Any]:
    """Resizing as defined before opset 11."""
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
    b: Builder, x: str, scales: list[float] | None, sizes: list[int | None] | str | None,
    attrs: dict[str, Any],
) -> str:
    """Resizes two adjacent axes: of [N, C, H, W] or, as some exporters write, of [N, H, W, C]."""
    rank, shape = b.rank(x), b.extents(x)
    if rank != 4:
        raise Unsupported(f"resizing a tensor of rank {rank}", "the engine resizes rank 4")
    changed = [2, 3]
    if isinstance(sizes, list):
        changed = [k for k, s in enumerate(sizes) if s not in (None, shape[k])]
    elif scales is not None:
        changed = [k for k, s in enumerate(scales) if s != 1]
    last = 1 in changed and 3 not in changed
    h = 1 if last else 2
    if any(k not in (h, h + 1) for k in changed):
        raise Unsupported(f"resizing axes {changed}", "the engine resizes height and width")
    x = x if last else b.transpose(x, [0, 2, 3, 1])
    if isinstance(sizes, str):
        hw = b.op("Slice", sizes, starts=[h], ends=[h + 2], axes=[0])
        y = b.op("Resize", x, b.op("Cast", hw, to="i32"), **attrs)
    elif sizes is not None:
        hw = [shape[k] if sizes[k] is None else sizes[k] for k in (h, h + 1)]
        if None in hw:
            raise Unsupported("a size for one of two axes, the other one's extent is unknown",
                              "give input_shapes, or sizes of both")
        y = b.op("Resize", x, size=hw, **attrs)
    else:
        y = b.op("Resize", x, scales=np.asarray(scales[h : h + 2], float), **attrs)
    return y if last else b.transpose(y, [0, 3, 1, 2])
