"""Layers of detectors: boxes, regions and what is in them.

SPDX-License-Identifier: Apache-2.0

Sources: Liu et al. 2016, "SSD", section 2.2; Ren et al. 2015, "Faster R-CNN", section 3; Dai et al.
2016, "R-FCN", section 2.
"""

import ast
import math
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.channels_first import to_first, to_last
from mace_tools.convert.importers.operands import fixed_shape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.support.errors import ModelError

_SAME_RATIO = 1e-6
_MAX_BOXES = 1 << 22  # a constant of 128 MiB


@registry.op("PriorBox")
def prior_box(b: Builder, n: Layer) -> str:
    """[1, 2, positions x boxes x 4]: corners as parts of the image, and variances."""
    n.check_bottoms(2)
    shapes = [fixed_shape(b, x) for x in n.bottoms]
    if any(len(s) != 4 for s in shapes):
        raise ModelError(f"PriorBox '{n.name}' needs two bottoms with four axes, they are {shapes}")
    rows, columns = shapes[0][2:]
    image = _image_size(n, shapes[1][2:])
    steps = _steps(n, [image[0] / rows, image[1] / columns])
    sizes = _box_sizes(n)
    offset = n.attr("offset")
    if rows * columns * len(sizes) > _MAX_BOXES:
        raise Unsupported(f"{rows} x {columns} positions with {len(sizes)} boxes each: the "
                          f"converter makes up to {_MAX_BOXES}", "give smaller input_shapes")
    boxes = np.zeros((rows, columns, len(sizes), 4), np.float32)
    x = ((np.arange(columns) + offset) * steps[1])[None, :, None]
    y = ((np.arange(rows) + offset) * steps[0])[:, None, None]
    half_w, half_h = (np.array([s[k] / 2 for s in sizes])[None, None] for k in (0, 1))
    boxes[..., 0], boxes[..., 2] = (x - half_w) / image[1], (x + half_w) / image[1]
    boxes[..., 1], boxes[..., 3] = (y - half_h) / image[0], (y + half_h) / image[0]
    if n.attr("clip"):
        boxes = boxes.clip(0, 1)
    variances = np.broadcast_to(np.float32(_variance(n)), boxes.shape)
    b.depends_on_shapes(f"PriorBox '{n.name}'")
    both = np.stack([boxes.reshape(-1), variances.reshape(-1)])
    return b.op("Identity", b.add_const(both[None], name="boxes"))


def _image_size(n: Layer, own: list[int]) -> list[int]:
    size, h, w = n.attr("img_size"), n.attr("img_h"), n.attr("img_w")
    if size is not None and (h is not None or w is not None):
        raise ModelError(f"PriorBox '{n.name}' has both img_size and img_h or img_w; keep one")
    found = [size, size] if size is not None else [h, w] if h and w else own
    if (h is None) != (w is None) or min(found) < 1:
        raise ModelError(f"PriorBox '{n.name}': the size of its image is {found}; give img_h and "
                         "img_w, both positive, or neither")
    return found


def _steps(n: Layer, own: list[float]) -> list[float]:
    step, h, w = n.attr("step"), n.attr("step_h"), n.attr("step_w")
    if step is not None and (h is not None or w is not None):
        raise ModelError(f"PriorBox '{n.name}' has both step and step_h or step_w; keep one")
    found = [step, step] if step is not None else [h, w] if h is not None and w is not None else own
    if (h is None) != (w is None) or not min(found) > 0:
        raise ModelError(f"PriorBox '{n.name}': its step is {found}; give step_h and step_w, both "
                         "positive, or neither")
    return found


def _box_sizes(n: Layer) -> list[tuple[float, float]]:
    """Width and height of each box at a position."""
    least, most = list(n.attr("min_size") or []), list(n.attr("max_size") or [])
    if not least or min(least) <= 0 or most and len(most) != len(least):
        raise ModelError(f"PriorBox '{n.name}': min_size {least} must be positive, and max_size "
                         f"{most} as many numbers, or none")
    if any(not p < q for p, q in zip(least, most)):
        raise ModelError(f"PriorBox '{n.name}': max_size {most} must be above min_size {least}")
    ratios = [1.0]
    flip = n.attr("flip")
    for ratio in n.attr("aspect_ratio") or []:
        if not ratio > 0:
            raise ModelError(f"PriorBox '{n.name}': aspect_ratio {ratio:g} must be positive")
        if all(abs(ratio - r) >= _SAME_RATIO for r in ratios):
            ratios += [ratio, 1 / ratio] if flip else [ratio]
    sizes = []
    for k, size in enumerate(least):
        sizes.append((size, size))
        if most:
            side = math.sqrt(size * most[k])
            sizes.append((side, side))
        sizes += [(size * math.sqrt(r), size / math.sqrt(r)) for r in ratios[1:]]
    return sizes


def _variance(n: Layer) -> list[float]:
    found = list(n.attr("variance") or [0.1])
    if len(found) not in (1, 4) or min(found) <= 0:
        raise ModelError(f"PriorBox '{n.name}': variance {found} must be one positive number, or "
                         "four")
    return found * 4 if len(found) == 1 else found


@registry.op("Proposal")
def proposal(b: Builder, n: Layer) -> str:
    scales, ratios = n.attr("scale") or [], n.attr("ratio") or []
    return _proposal(b, n, {
        "feat_stride": n.attr("feat_stride"), "base_size": n.attr("base_size"),
        "min_size": n.attr("min_size"), "nms_thresh": n.attr("nms_thresh"),
        "pre_nms_top_n": n.attr("pre_nms_topn"), "post_nms_top_n": n.attr("post_nms_topn"),
        "scales": scales, "ratios": ratios})


@registry.op("Python.ProposalLayer")
def python_proposal(b: Builder, n: Layer) -> str:
    """Of py-faster-rcnn: the numbers that its settings for tests have are not in the model."""
    n.attr("module"), n.attr("layer"), n.attr("share_in_parallel")
    text = n.attr("param_str")
    try:
        given = ast.literal_eval("{" + text.strip().strip("{}") + "}")
        known = {"feat_stride": int(given.pop("feat_stride")),
                 "scales": list(given.pop("scales", (8, 16, 32)))}
    except (KeyError, SyntaxError, TypeError, ValueError, AttributeError, RecursionError,
            MemoryError) as e:
        raise ModelError(f"Python '{n.name}': its param_str {text!r} must say feat_stride, as in "
                         "\"'feat_stride': 16\"") from e
    if given:
        raise Unsupported(f"its param_str has {', '.join(map(str, given))}, which the importer "
                          "does not know", "remove what has no meaning for boxes")
    b.graph.notes.append(
        f"Python '{n.name}': what py-faster-rcnn keeps outside of the model has its defaults: "
        "anchors of 16 pixels with ratios 0.5, 1 and 2, the best 6000 boxes, of which 300 are "
        "left, overlap 0.7, at least 16 pixels")
    return _proposal(b, n, {"base_size": 16, "min_size": 16, "nms_thresh": 0.7,
                            "pre_nms_top_n": 6000, "post_nms_top_n": 300,
                            "ratios": [0.5, 1.0, 2.0], **known})


def _proposal(b: Builder, n: Layer, attrs: dict[str, Any]) -> str:
    n.check_bottoms(3)
    if len(n.outputs) > 1:
        raise Unsupported("its second top, the scores of the boxes", "remove it")
    scales, ratios = attrs["scales"], attrs["ratios"]
    positive = [v for k, v in attrs.items() if k not in ("scales", "ratios", "min_size")]
    if not scales or not ratios or any(not v > 0 for v in [*scales, *ratios, *positive]):
        raise ModelError(f"{n.op} '{n.name}': its numbers must be positive, with at least one "
                         "scale and one ratio")
    if any(s != int(s) for s in scales):
        raise Unsupported(f"scales {scales}", "only whole ones convert")
    attrs["scales"] = [int(s) for s in scales]
    attrs["ratios"] = [float(r) for r in ratios]
    scores, deltas, info = n.bottoms
    return b.op("Proposal", to_last(b, scores), to_last(b, deltas), info, **attrs)


@registry.op("PSROIPooling")
def psroi_pooling(b: Builder, n: Layer) -> str:
    n.check_bottoms(2)
    scale, dim, group = (n.needed(k) for k in ("spatial_scale", "output_dim", "group_size"))
    if not min(scale, dim, group) > 0:
        raise ModelError(f"{n.op} '{n.name}': spatial_scale, output_dim and group_size must be "
                         "positive")
    return to_first(b, b.op("PsroiAlign", to_last(b, n.bottoms[0]), n.bottoms[1], group_size=group,
                            spatial_scale=float(scale), output_dim=dim, whole_pixels=1))
