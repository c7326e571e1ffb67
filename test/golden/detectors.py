"""Faces that the detectors of the test data find: scores, and boxes as parts of the image.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
from golden import Arrays

Found = tuple[np.ndarray, np.ndarray]  # scores [n], boxes [n, 4]: left, top, right, bottom


def blazeface(out: Arrays) -> Found:
    centers = np.concatenate([np.repeat((_cells(n, n) + 0.5) / n, count, 0)
                              for n, count in ((16, 2), (8, 6))])
    box = out["regressors"][0, :, :4] / 128
    logits = np.clip(out["classificators"][0, :, 0], -80, 80)
    return 1 / (1 + np.exp(-logits)), _corners(box[:, :2] + centers, box[:, 2:])


def ultraface(out: Arrays) -> Found:
    """Of outputs before their decoding."""
    scores = next(o for o in out.values() if o.shape[-1] == 2)[0, :, 1]
    raw = next(o for o in out.values() if o.shape[-1] == 4)[0]
    centers, sizes = [], []
    for stride, sides in ((8, (10, 16, 24)), (16, (32, 48)), (32, (64, 96)),
                          (64, (128, 192, 256))):
        cells = _cells(-(-240 // stride), -(-320 // stride))
        at = (cells + 0.5) * stride / np.array([320, 240])
        centers.append(np.repeat(at, len(sides), 0))
        sizes.append(np.tile(np.array(sides)[:, None] / np.array([320, 240]), (len(cells), 1)))
    center, size = np.concatenate(centers), np.concatenate(sizes)
    return scores, _corners(raw[:, :2] * 0.1 * size + center, size * np.exp(raw[:, 2:] * 0.2))


def yunet(out: Arrays) -> Found:
    scores, boxes = [], []
    for stride in (8, 16, 32):
        cls, obj, box = (out[f"{kind}_{stride}"][0] for kind in ("cls", "obj", "bbox"))
        scores.append(np.sqrt(np.clip(cls, 0, 1) * np.clip(obj, 0, 1))[:, 0])
        side = 320 // stride
        boxes.append(_corners((_cells(side, side) + box[:, :2]) * stride,
                              np.exp(box[:, 2:]) * stride) / 320)
    return np.concatenate(scores), np.concatenate(boxes)


def mtcnn(out: Arrays) -> Found:
    """Corrections of the windows, which are the images of the second and third network."""
    prob = out["prob1"]
    box = next(o for n, o in out.items() if n != "prob1" and o.shape[1] == 4)
    if box.ndim == 2:
        return prob[:, 1], box
    window = 12 / 60  # of the first network, in an image of 60 x 52
    return prob[0, 1].ravel(), box[0].reshape(4, -1).T * window


def kept(found: Found, least: float = 0.5, overlap: float = 0.3) -> np.ndarray:
    """The boxes that remain where overlapping ones give way to the best of them."""
    scores, boxes = found
    chosen: list[np.ndarray] = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] > least and all(_overlap(boxes[i], other) <= overlap for other in chosen):
            chosen.append(boxes[i])
    return np.array(chosen).reshape(-1, 4)


def _cells(rows: int, columns: int) -> np.ndarray:
    """[rows * columns, 2]: column and row."""
    return np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2)


def _corners(center: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.concatenate([center - size / 2, center + size / 2], 1)


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    both = np.prod(np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0))
    either = np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both
    return float(both / either) if either > 0 else 0.0
