"""DetectionOutput of SSD: boxes from the network's corrections, and the best of them.

SPDX-License-Identifier: Apache-2.0

Source: Liu et al. 2016, "SSD", and the layer's definition in its release.
"""

from mace_tools.convert.importers.boxes import around, half, part, product, total
from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import Layer
from mace_tools.convert.importers.operands import fixed_shape, reshape
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.support.errors import ModelError

registry.without_meaning(
    "what is shown in a window", "visualize", "visualize_threshold", "save_file",
    ops=["DetectionOutput"],
)
_NMS, _SAVE = "nms_param.", "save_output_param."


@registry.op("DetectionOutput")
def detection_output(b: Builder, n: Layer) -> str:
    """[1, 1, images x keep_top_k, 7]: image, class, score and corners as parts of the image, -1 in
    rows that are left over"""
    n.check_bottoms(3)
    classes, shared = n.needed("num_classes"), n.attr("share_location")
    if classes < 1:
        raise ModelError(f"DetectionOutput '{n.name}': num_classes must be positive")
    _check_not_saved(n)
    own = 1 if shared else classes
    places, scores, priors = n.bottoms
    shape = fixed_shape(b, priors)
    encoded = n.attr("variance_encoded_in_target")
    if len(shape) != 3 or shape[2] % 4 or shape[:2] not in ([1, 2], [1, 1][: 2 * encoded]):
        raise ModelError(f"DetectionOutput '{n.name}': its third bottom must be [1, 2, 4 x boxes], "
                         f"it is {shape}")
    boxes = shape[2] // 4
    _check_sizes(b, n, [(places, 4 * boxes * own), (scores, boxes * classes)])
    places = reshape(b, places, [-1, boxes, own, 4])
    corners = _decode(b, n, reshape(b, priors, [-1, boxes, 1, 4]), places)
    rows = b.op("NonMaxSuppression", corners, reshape(b, scores, [-1, boxes, classes]),
                by_class=1, fill_value=-1.0, **_choice(n))
    return reshape(b, rows, [1, 1, -1, 7])


def _check_not_saved(n: Layer) -> None:
    found = [k for k in n.attrs if k.startswith(_SAVE) and n.attr(k)]
    if found:
        raise Unsupported(f"it writes files ({found[0].removeprefix(_SAVE)})",
                          "remove its save_output_param")


def _check_sizes(b: Builder, n: Layer, bottoms: list[tuple[str, int]]) -> None:
    """Each bottom must have so many elements for an image. Errors: ModelError, Unsupported."""
    images = set()
    for name, count in bottoms:
        shape, found = fixed_shape(b, name), 1
        for extent in shape[1:]:
            found *= extent
        if found != count:
            raise ModelError(f"DetectionOutput '{n.name}': its bottom '{name}' has {found} numbers "
                             f"for each image, its settings and priors ask for {count}")
        images.add(shape[0] if shape else 1)
    if len(images) > 1:
        raise ModelError(f"DetectionOutput '{n.name}': its bottoms are of {sorted(images)} images")


def _choice(n: Layer) -> dict[str, float | int]:
    """The attributes that choose among boxes. Errors: ModelError."""
    found: dict[str, float | int] = {}
    for ours, theirs in (("top_k", f"{_NMS}top_k"), ("keep_top_k", "keep_top_k")):
        count = n.attr(theirs, -1)
        if count == 0:
            raise ModelError(f"DetectionOutput '{n.name}': {theirs} 0 leaves nothing; give a "
                             "positive number, or -1 for all")
        found[ours] = max(count, 0)
    overlap, eta = n.attr(f"{_NMS}nms_threshold", 0.3), n.attr(f"{_NMS}eta", 1.0)
    if not overlap >= 0 or not 0 < eta <= 1:
        raise ModelError(f"DetectionOutput '{n.name}': nms_threshold {overlap:g} must not be "
                         f"negative, and eta {eta:g} must be above 0 and up to 1")
    background = n.attr("background_label_id")
    found |= {"iou_threshold": overlap, "eta": eta, "background": max(background, -1)}
    if n.attr("confidence_threshold") is not None:
        found["score_threshold"] = n.attr("confidence_threshold")
    return found


def _decode(b: Builder, n: Layer, priors: str, places: str) -> str:
    """The corners of boxes, from their corrections; the priors are corners and variances."""
    kind, corners = n.attr("code_type"), part(b, priors, 0, 1, axis=0)
    if not n.attr("variance_encoded_in_target"):
        places = product(b, places, part(b, priors, 1, 2, axis=0))
    if kind == "CORNER":
        return total(b, corners, places)
    low, high = part(b, corners, 0, 2), part(b, corners, 2)
    size = b.op("Eltwise", high, low, type="SUB")
    if kind == "CORNER_SIZE":
        return total(b, corners, product(b, places, b.op("Concat", size, size, axis=-1)))
    centre = total(b, half(b, total(b, low, high)), product(b, size, part(b, places, 0, 2)))
    growth = b.op("Unary", part(b, places, 2), type="EXP")
    return around(b, centre, product(b, half(b, size), growth))
