"""TFLite_Detection_PostProcess: what is refused.

SPDX-License-Identifier: Apache-2.0

test/golden/detection_test.py compares it with LiteRT.
"""

import pytest

from mace_tools.convert.importers import load
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.detection import detector


@pytest.mark.parametrize("options, kind, message", [
    ({"keypoints": 4}, UnsupportedOps, "does not know its attribute keypoints = 4"),
    ({"max_classes_per_detection": 4}, UnsupportedOps, "4 classes for each box, of 3"),
    ({"use_regular_nms": 2}, UnsupportedOps, "use_regular_nms is 2"),
    ({"max_detections": 0}, ModelError, "max_detections is 0, it must be positive"),
    ({"num_classes": None}, ModelError, "num_classes is None, it must be a number"),
    ({"num_classes": 7}, ModelError, r"must be \[1, boxes, 4\], \[1, boxes, 7 or 8\]"),
    ({"x_scale": 0.0}, ModelError, "scales .* must be positive"),
    ({"nms_iou_threshold": 1.5}, ModelError, "nms_iou_threshold 1.5 must be above 0"),
    ({"nms_score_threshold": float("nan")}, ModelError, "nms_score_threshold is nan"),
    ({"use_regular_nms": True, "detections_per_class": 0}, ModelError, "detections_per_class 0"),
])
def test_options_that_are_refused(tmp_path, options, kind, message):
    path, _ = detector(tmp_path, **options)
    with pytest.raises(kind, match=message):
        load("tflite", path)


def test_one_image_only(tmp_path):
    path, _ = detector(tmp_path)
    with pytest.raises(UnsupportedOps, match="a batch of 2; LiteRT takes one image"):
        load("tflite", path, {"boxes": (2, 20, 4), "scores": (2, 20, 4)})


def test_notes_of_the_converter_mean_nothing(tmp_path):
    path, _ = detector(tmp_path, _output_quantized=True, _output_types=[1, 1, 1, 1])
    assert "NonMaxSuppression" in {node.op for node in load("tflite", path).nodes}
