"""Interpolation at computed positions.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.layout import to_first, to_last
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode

MAX_SAMPLES = 256
_MODES = {"linear": "LINEAR", "bilinear": "LINEAR", "nearest": "NEAREST", "cubic": "CUBIC",
          "bicubic": "CUBIC"}
_PADDINGS = {"zeros": "ZEROS", "border": "BORDER", "reflection": "REFLECTION"}


def _one_of(n: SourceNode, attr: str, default: str, names: dict[str, str]) -> str:
    name = n.attr(attr, default)
    if name not in names:
        raise Unsupported(f"{attr} '{name}'", f"use {', '.join(names)}")
    return names[name]


@registry.op("GridSample")
def grid_sample(b: Builder, n: SourceNode) -> str:
    x, grid = n.inputs
    mode = _one_of(n, "mode", "linear" if b.opset >= 20 else "bilinear", _MODES)
    padding = _one_of(n, "padding_mode", "zeros", _PADDINGS)
    return to_first(b, b.op("GridSample", to_last(b, x), grid, mode=mode, padding=padding,
                            align_corners=n.flag("align_corners", 0)))


@registry.op("AffineGrid")
def affine_grid(b: Builder, n: SourceNode) -> str:
    """The product of theta with the positions of all elements"""
    theta, size = n.inputs
    wanted = b.const(size)
    if wanted is None:
        raise Unsupported("the size is computed while the model runs", "make the size a constant")
    batch, _, *extents = (int(d) for d in wanted.reshape(-1))
    corners = n.flag("align_corners", 0)
    ends = [0.0 if corners else 1 / d for d in extents]
    axes = [np.linspace(-1 + e, 1 - e, d) if d > 1 or not corners else np.zeros(d)
            for e, d in zip(ends, extents)]
    places = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(extents)], -1)
    base = b.add_const(places.reshape(-1, len(extents) + 1).astype(np.float32), name="places")
    grid = b.op("MatMul", base, theta, transpose_b=1)
    return b.op("Reshape", grid, dim=[batch, *extents, len(extents)])


@registry.op("RoiAlign")
def roi_align(b: Builder, n: SourceNode) -> str:
    x, rois, image = n.inputs
    centres = {"half_pixel": "half_pixel", "output_half_pixel": "output_half_pixel"}
    default = "half_pixel" if b.opset >= 16 else "output_half_pixel"
    kind = _one_of(n, "coordinate_transformation_mode", default, centres)
    mode = _one_of(n, "mode", "avg", {"avg": "AVG", "max": "MAX"})
    height, width = n.attr("output_height", 1), n.attr("output_width", 1)
    ratio, scale = n.attr("sampling_ratio", 0), float(n.attr("spatial_scale", 1.0))
    if height < 1 or width < 1 or not 0 <= ratio <= MAX_SAMPLES or not scale > 0:
        raise Unsupported(f"{height} x {width} bins, a sampling_ratio of {ratio} and a "
                          f"spatial_scale of {scale}", "give positive numbers, and a ratio of at "
                          f"most {MAX_SAMPLES}")
    return to_first(b, b.op(
        "RoiAlign", to_last(b, x), rois, image, output_height=height, output_width=width,
        sampling_ratio=ratio, spatial_scale=scale, mode=mode,
        half_pixel=int(kind == "half_pixel")))
