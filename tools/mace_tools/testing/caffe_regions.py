"""Cases of the Caffe layers that choose among regions of an image.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mace_tools.testing import caffe_numpy as by
from mace_tools.testing.caffe_file import uniform

RPN = [uniform(1, 8, 5, 6), 0.3 * uniform(1, 16, 5, 6), np.float32([[80, 96, 1.5]])]
RPN9 = [uniform(1, 18, 3, 4), 0.3 * uniform(1, 36, 3, 4), np.float32([[48, 64, 1]])]
REGIONS = np.float32([[0, 1, 2, 6, 5], [1, 0, 0, 9, 7], [0, 2.5, 1.5, 3, 4], [1, -5, -5, 2, 2]])
BOXES, CLASSES = 24, 3
# Fields of DetectionOutput that OpenCV wants to see, with Caffe's defaults.
_NEEDED = {"share_location": "true", "background_label_id": 0, "keep_top_k": -1,
           "variance_encoded_in_target": "false", "code_type": "CORNER"}


def ssd(images: int = 1, lists: int = 1) -> list[np.ndarray]:
    """Corrections, scores and priors of DetectionOutput."""
    rng = np.random.default_rng(7)
    low = rng.uniform(0, 0.6, (BOXES, 2))
    boxes = np.concatenate([low, low + rng.uniform(0.1, 0.4, (BOXES, 2))], 1)
    variances = np.tile([0.1, 0.1, 0.2, 0.2], BOXES)
    return [rng.normal(0, 0.7, (images, BOXES * lists * 4)).astype(np.float32),
            rng.uniform(0, 1, (images, BOXES * CLASSES)).astype(np.float32),
            np.stack([boxes.ravel(), variances])[None].astype(np.float32)]


def cases(case: Callable[..., Any]) -> dict[str, list[Any]]:
    """The cases by layer; `case` makes one."""
    return {
        "Proposal": [case(
            "feat_stride: 16 base_size: 8 min_size: 4 scale: 1 scale: 3 ratio: 0.5 ratio: 2 "
            "pre_nms_topn: 40 post_nms_topn: 10 nms_thresh: 0.5", feeds=RPN,
            want=by.proposal(16, [1, 3], [0.5, 2], 8, 4, 0.5, 40, 10))],
        "Python.ProposalLayer": [
            case("module: 'rpn.proposal_layer' layer: 'ProposalLayer' "
                 f"param_str: \"{text}\"", feeds=RPN9,
                 want=by.proposal(16, scales, [0.5, 1, 2], 16, 16, 0.7, 6000, 300))
            for text, scales in (("'feat_stride': 16", [8, 16, 32]),
                                 ("{'feat_stride': 16, 'scales': (1, 2, 4)}", [1, 2, 4]))],
        "PSROIPooling": [
            case(f"spatial_scale: {scale} output_dim: 2 group_size: {group}",
                 feeds=[uniform(2, 2 * group**2, 7, 8), REGIONS])
            for scale, group in ((0.5, 2), (1, 3))],
        "DetectionOutput": _detections(case),
    }


def _detections(case: Callable[..., Any]) -> list[Any]:
    head = f"num_classes: {CLASSES} "
    usual = head + "nms_param { nms_threshold: 0.45 top_k: 20 } "

    def by_opencv(settings: str, feeds: list[np.ndarray], rows: int) -> Any:
        return case(" ".join([settings, *(f"{k}: {v}" for k, v in _NEEDED.items()
                                          if f"{k}:" not in settings)]), feeds=feeds, rows=rows)

    places, scores, priors = ssd()
    encoded = [0.1 * places, scores, priors[:, :1]]  # OpenCV takes no variances
    found = [
        by_opencv(usual + "code_type: CENTER_SIZE keep_top_k: 8 confidence_threshold: 0.3",
                  feeds=ssd(), rows=8),
        by_opencv(usual + "keep_top_k: 30 confidence_threshold: 0.6", feeds=ssd(), rows=30),
        by_opencv(usual + "code_type: CENTER_SIZE keep_top_k: 25 confidence_threshold: 0.25 "
                  "background_label_id: 2 share_location: false", feeds=ssd(1, CLASSES), rows=25),
        by_opencv(usual + "code_type: CENTER_SIZE keep_top_k: 9 variance_encoded_in_target: true "
                  "confidence_threshold: 0.1", feeds=encoded, rows=9),
        by_opencv(usual + "keep_top_k: 9 variance_encoded_in_target: true", feeds=encoded, rows=9),
        case(usual + "code_type: CENTER_SIZE keep_top_k: 20 confidence_threshold: 0.2 "
             "background_label_id: -1", feeds=ssd(), want=by.detections(
                 "CENTER_SIZE", CLASSES, True, False, 0.45, 1, 20, 20, 0.2, -1)),
        case(head + "code_type: CENTER_SIZE nms_param { nms_threshold: 0.3 top_k: 9 } "
             "confidence_threshold: 0.5", feeds=ssd(), want=by.detections(
                 "CENTER_SIZE", CLASSES, True, False, 0.3, 1, 9, 18, 0.5)),
        case(usual + "keep_top_k: 4 confidence_threshold: 2", feeds=ssd(),
             want=lambda x, w: np.full((1, 1, 4, 7), -1.0)),
    ]
    for kind in ("CORNER", "CENTER_SIZE", "CORNER_SIZE"):
        for shared, images in ((True, 1), (False, 2)):
            for target, eta in ((False, 1), (True, 0.7)):
                found.append(case(
                    head + f"code_type: {kind} share_location: {str(shared).lower()} "
                    f"variance_encoded_in_target: {str(target).lower()} keep_top_k: 12 "
                    f"nms_param {{ nms_threshold: 0.6 top_k: 15 eta: {eta} }} "
                    "confidence_threshold: 0.2 visualize: true visualize_threshold: 0.6",
                    feeds=[0.2 * a if target and k == 0 else a
                           for k, a in enumerate(ssd(images, 1 if shared else CLASSES))],
                    want=by.detections(kind, CLASSES, shared, target, 0.6, eta, 15, 12, 0.2)))
    # Defaults: no threshold, all candidates, all boxes.
    found.append(case(head, feeds=ssd(), want=by.detections(
        "CORNER", CLASSES, True, False, 0.3, 1, BOXES, BOXES * 2, -9)))
    return found
