"""Small TFLite models that end in TFLite_Detection_PostProcess.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from mace_tools.testing.tflite_file import Maker

BOXES, CLASSES = 20, 3
OPTIONS: dict[str, Any] = {
    "max_detections": 6, "max_classes_per_detection": 1, "num_classes": CLASSES,
    "nms_score_threshold": 0.3, "nms_iou_threshold": 0.4,
    "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
}
OUTPUTS = ["where", "what", "score", "count"]


def options(values: dict[str, Any]) -> bytes:
    """A FlexBuffer map."""
    b = flexbuffers.Builder()
    with b.Map():
        for key, value in values.items():
            b.Key(key)
            if isinstance(value, bool):
                b.Bool(value)
            elif isinstance(value, int):
                b.Int(value)
            elif isinstance(value, list):
                b.TypedVectorFromElements(value)
            else:
                b.Float(value)
    return bytes(b.Finish())


def head(m: Maker, boxes: str, scores: str, anchors: str, **changes: Any) -> None:
    """Adds the operator; options that are None are left out."""
    given = {k: v for k, v in (OPTIONS | changes).items() if v is not None}
    m.op("TFLite_Detection_PostProcess", [boxes, scores, anchors], OUTPUTS,
         CustomOptions=options(given))


def detector(folder: Path, background: bool = True, seed: int = 3,
             **changes: Any) -> tuple[Path, dict[str, np.ndarray]]:
    """The operator alone, and what to feed it."""
    rng, m = np.random.default_rng(seed), Maker()
    feeds = {"boxes": rng.normal(0, 1.5, (1, BOXES, 4)).astype(np.float32),
             "scores": rng.uniform(0, 1, (1, BOXES, CLASSES + background)).astype(np.float32)}
    for name, array in feeds.items():
        m.tensor(name, array.shape)
    m.const("anchors", rng.uniform(0.2, 0.8, (BOXES, 4)).astype(np.float32))
    head(m, "boxes", "scores", "anchors", **changes)
    return m.save(folder, list(feeds), OUTPUTS), feeds
