"""Layers of Caffe in NumPy, from their definitions: those that OpenCV lacks or computes otherwise.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray]
# Bottoms and weights to the first top, or to all of them.
Definition = Callable[[Arrays, Arrays], Any]


def unary(function: Callable[[np.ndarray], np.ndarray]) -> Definition:
    return lambda x, w: function(x[0])


def behind(array: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """An array whose first axis meets `axis` of `rank` axes."""
    return array.reshape(array.shape + (1,) * (rank - axis - array.ndim))


def deconvolution(dilation: int, pad: int) -> Definition:
    """With stride 1: each element of x adds the filter, spread by `dilation`."""

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        n, _, rows, columns = x[0].shape
        kernel = w[0].shape[2]
        reach = (kernel - 1) * dilation
        full = np.zeros((n, w[0].shape[1], rows + reach, columns + reach))
        for i in range(kernel):
            for j in range(kernel):
                part = np.einsum("nchw,co->nohw", x[0], w[0][:, :, i, j])
                full[:, :, i * dilation :, j * dilation :][:, :, :rows, :columns] += part
        cut = full[:, :, pad : full.shape[2] - pad, pad : full.shape[3] - pad]
        return cut + w[1][:, None, None]

    return define


def argmax(top: int = 1, axis: int | None = None, values: bool = False) -> Definition:
    """Of equal elements the last counts."""

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        a = x[0].reshape(len(x[0]), -1) if axis is None else x[0]
        along = 1 if axis is None else axis
        turned = np.flip(a, along)
        order = np.argsort(-turned, along, kind="stable").take(range(top), along)
        best = np.take_along_axis(turned, order, along)
        places = a.shape[along] - 1 - order
        if axis is not None:
            return best if values else places
        parts = np.stack([places, best] if values else [places], 1)
        return parts.reshape(parts.shape + (1,) * (x[0].ndim - 3))

    return define


def reduction(kind: str, axis: int, coeff: float) -> Definition:
    functions = {"SUM": np.sum, "MEAN": np.mean, "ASUM": lambda a, axes: np.abs(a).sum(axes),
                 "SUMSQ": lambda a, axes: np.square(a).sum(axes)}

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        axes = tuple(range(axis % x[0].ndim, x[0].ndim))
        return coeff * functions[kind](x[0], axes)

    return define


def lrn(size: int, alpha: float, beta: float, k: float) -> Definition:
    """Across channels."""

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        channels = x[0].shape[1]
        total = np.stack([np.square(x[0][:, max(c - size // 2, 0) : c + size // 2 + 1]).sum(1)
                          for c in range(channels)], 1)
        return x[0] / (k + alpha / size * total) ** beta

    return define


def lrn_within(size: int, alpha: float, beta: float) -> Definition:
    """Within a channel: means divide by the part of the window in the padded blob, all of it."""

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        half = size // 2
        padded = np.pad(np.square(x[0]), [(0, 0), (0, 0), (half, half), (half, half)])
        rows, columns = x[0].shape[2:]
        total = sum(padded[:, :, i : i + rows, j : j + columns]
                    for i in range(size) for j in range(size))
        return x[0] * (1 + alpha * total / size**2) ** -beta

    return define


def mvn(eps: float) -> Definition:
    def define(x: Arrays, w: Arrays) -> np.ndarray:
        y = x[0] - x[0].mean((2, 3), keepdims=True)
        return y / (np.sqrt(np.square(y).mean((2, 3), keepdims=True)) + eps)

    return define


def interp(rows: int, columns: int, before: int = 0, after: int = 0) -> Definition:
    """Bilinear with the corners in place, of the bottom without its edges."""

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        a = x[0][:, :, before : x[0].shape[2] - after, before : x[0].shape[3] - after]
        for axis, out in ((2, rows), (3, columns)):
            at = np.arange(out) * (a.shape[axis] - 1) / max(out - 1, 1)
            low = np.floor(at).astype(int)
            high = np.minimum(low + 1, a.shape[axis] - 1)
            part = behind(at - low, a.ndim, axis)
            a = a.take(low, axis) * (1 - part) + a.take(high, axis) * part
        return a

    return define


def squares(rows: int, columns: int, height: int, width: int, side: float) -> Definition:
    """PriorBox: a square in each cell of an image of this size, with variances of 0.1."""

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        found = [((j + 0.5) / columns - side / 2 / width, (i + 0.5) / rows - side / 2 / height,
                  (j + 0.5) / columns + side / 2 / width, (i + 0.5) / rows + side / 2 / height)
                 for i in range(rows) for j in range(columns)]
        return np.stack([np.ravel(found), np.full(4 * len(found), 0.1)])[None]

    return define


def proposal(stride: int, scales: Sequence[int], ratios: Sequence[float], base: int, least: int,
             overlap: float, before: int, after: int) -> Definition:
    """Ren et al. 2015, with the anchors and the order of py-faster-rcnn."""

    def anchors() -> np.ndarray:
        centre, found = (base - 1) / 2, []
        for ratio in ratios:
            w = np.round(np.sqrt(base * base / ratio))
            h = np.round(w * ratio)
            found += [[centre - (w * s - 1) / 2, centre - (h * s - 1) / 2,
                       centre + (w * s - 1) / 2, centre + (h * s - 1) / 2] for s in scales]
        return np.array(found)

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        scores, deltas, info = x[0][0], x[1][0], x[2].reshape(-1)
        count, (rows, columns) = len(scores) // 2, scores.shape[1:]
        shift = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1) * stride
        boxes = np.tile(shift, 2)[:, :, None, :] + anchors()
        d = deltas.reshape(count, 4, rows, columns).transpose(2, 3, 0, 1)
        size = boxes[..., 2:] - boxes[..., :2] + 1
        centre = boxes[..., :2] + size / 2 + d[..., :2] * size
        half = size * np.exp(d[..., 2:]) / 2
        limit = info[[1, 0]] - 1
        boxes = np.concatenate([np.clip(centre - half, 0, limit), np.clip(centre + half, 0, limit)],
                               -1).reshape(-1, 4)
        score = scores[count:].transpose(1, 2, 0).reshape(-1)
        large = (boxes[:, 2:] - boxes[:, :2] + 1 >= least * info[2]).all(1)
        boxes, score = boxes[large], score[large]
        order, kept = list(np.argsort(-score, kind="stable")[:before]), []
        while order and len(kept) < after:
            kept.append(boxes[order.pop(0)])
            order = [k for k in order if _overlap(kept[-1], boxes[k]) <= overlap]
        rois = np.zeros((after, 5))
        rois[: len(kept), 1:] = kept
        return rois

    return define


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    both = np.prod(np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]) + 1, 0))
    areas = [np.prod(v[2:] - v[:2] + 1) for v in (a, b)]
    return both / (sum(areas) - both)


def padded(found: np.ndarray, rows: int) -> np.ndarray:
    """The rows of DetectionOutput, and so many in all: others are -1."""
    found = found.reshape(-1, 7)
    more = np.full((rows - len(found), 7), -1, found.dtype)
    return np.concatenate([found, more])[None, None]


def detections(kind: str, classes: int, shared: bool, encoded: bool, overlap: float, eta: float,
               top: int, keep: int, least: float, background: int = 0) -> Definition:
    """DetectionOutput of SSD."""

    def corners(places: np.ndarray, priors: np.ndarray) -> np.ndarray:
        """[boxes, lists, 4] of the same corrections."""
        prior = priors[0, 0].reshape(-1, 1, 4)
        d = places if encoded else places * priors[0, 1].reshape(-1, 1, 4)
        size = prior[..., 2:] - prior[..., :2]
        if kind == "CORNER":
            return prior + d
        if kind == "CORNER_SIZE":
            return prior + d * np.tile(size, 2)
        centre = (prior[..., :2] + prior[..., 2:]) / 2 + d[..., :2] * size
        half = np.exp(d[..., 2:]) * size / 2
        return np.concatenate([centre - half, centre + half], -1)

    def of_class(boxes: np.ndarray, scores: np.ndarray) -> list[int]:
        limit, kept = overlap, []
        order = [k for k in np.argsort(-scores, kind="stable") if scores[k] > least]
        for k in order[:top]:
            if all(_jaccard(boxes[k], boxes[j]) <= limit for j in kept):
                kept.append(k)
                limit *= eta if eta < 1 and limit > 0.5 else 1
        return kept

    def define(x: Arrays, w: Arrays) -> np.ndarray:
        images = []
        for n, (places, scores) in enumerate(zip(x[0], x[1])):
            points = scores.reshape(-1, classes)
            boxes = corners(places.reshape(len(points), -1, 4).astype(float), x[2].astype(float))
            lists = {c: 0 if shared else c for c in range(classes) if c != background}
            rows = [(n, c, points[k, c], *boxes[k, own]) for c, own in lists.items()
                    for k in of_class(boxes[:, own], points[:, c])]
            rows = sorted(rows, key=lambda r: -r[2])[:keep]
            rows.sort(key=lambda r: (r[1], -r[2]))
            images.append(padded(np.array(rows).reshape(-1, 7), keep))
        return np.concatenate(images, 2)

    return define


def _jaccard(a: np.ndarray, b: np.ndarray) -> float:
    size = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    if min(size) <= 0:
        return 0
    both = size.prod()
    return both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both)
